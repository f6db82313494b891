//! Can outputs be written where they were asked for? Said before the work, not after it.

use crate::place::Place;
use crate::{Error, Result, temporary};
use std::path::{Path, PathBuf};

/// `PATH` with `ending` behind its name.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(ending);
    path.with_file_name(name)
}

/// Checks that every output can be written and replaces neither an input nor another output, by
/// whatever names and links they go. A neighbour of each output is made and removed again. `-`, pipes
/// and devices replace nothing.
pub fn check_outputs(outputs: &[impl AsRef<Path>], inputs: &[impl AsRef<Path>]) -> Result<()> {
    let inputs: Vec<(Identity, PathBuf)> = inputs
        .iter()
        .map(AsRef::as_ref)
        .filter_map(|path| Some((Identity::of(path)?, path.to_path_buf())))
        .collect();
    let mut earlier: Vec<(Identity, PathBuf)> = Vec::new();
    for output in outputs.iter().map(AsRef::as_ref) {
        let place = Place::of(output)?;
        if let Some(identity) = Identity::of(output) {
            let same = |known: &[(Identity, PathBuf)]| {
                let found = known.iter().find(|(known, _)| *known == identity);
                found.map(|(_, path)| path.clone())
            };
            let path = output.to_path_buf();
            if let Some(input) = same(&inputs) {
                return Err(Error::ReplacesInput { path, input });
            }
            if let Some(other) = same(&earlier) {
                return Err(Error::SameOutput { path, other });
            }
            earlier.push((identity, path));
        }
        if let Place::File(place, _) = place {
            let (neighbour, file) = temporary::create(&place).map_err(|e| Error::io(output, e))?;
            drop(file);
            temporary::remove(&neighbour);
        }
    }
    Ok(())
}

/// What tells one file from another.
#[derive(PartialEq)]
enum Identity {
    There(FileKey),
    /// A file that is not there yet: its folder, and its name in it.
    NotYet(PathBuf),
}

impl Identity {
    /// Nothing for what is no file.
    fn of(path: &Path) -> Option<Self> {
        match Place::of(path).ok()? {
            Place::File(place, Some(metadata)) => key(&place, &metadata).map(Identity::There),
            Place::File(place, None) => {
                let folder = place.parent().filter(|folder| folder.as_os_str() != "");
                let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
                Some(Identity::NotYet(folder.join(place.file_name()?)))
            }
            _ => None,
        }
    }
}

/// Device and number on it.
#[cfg(unix)]
type FileKey = (u64, u64);

#[cfg(unix)]
fn key(_: &Path, metadata: &std::fs::Metadata) -> Option<FileKey> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

/// Volume and index, which Windows tells of open files only.
#[cfg(windows)]
type FileKey = same_file::Handle;

#[cfg(windows)]
fn key(path: &Path, _: &std::fs::Metadata) -> Option<FileKey> {
    same_file::Handle::from_path(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: &[&Path] = &[];

    #[test]
    fn an_output_replaces_no_input_and_no_other_output() {
        let folder = tempfile::tempdir().unwrap();
        let [input, hard, output] =
            ["input", "hard", "output"].map(|name| folder.path().join(name));
        std::fs::write(&input, b"text").unwrap();
        std::fs::hard_link(&input, &hard).unwrap();
        let roundabout = folder.path().join(".").join("input");
        for name in [&input, &hard, &roundabout] {
            let error = check_outputs(&[name], &[&input]).unwrap_err();
            assert!(matches!(error, Error::ReplacesInput { .. }), "{error}");
        }
        check_outputs(&[&output], &[&input]).unwrap();
        let again = folder.path().join(".").join("output");
        let error = check_outputs(&[&output, &again], &[&input]).unwrap_err();
        assert!(matches!(error, Error::SameOutput { .. }), "{error}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_also_to_what_is_not_there() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let [input, link, second, circle] =
            ["input", "link", "second", "circle"].map(|name| folder.path().join(name));
        std::fs::write(&input, b"text").unwrap();
        symlink("link", &second).unwrap();
        symlink("input", &link).unwrap();
        let error = check_outputs(&[&second], &[&input]).unwrap_err();
        assert!(matches!(error, Error::ReplacesInput { .. }), "{error}");
        std::fs::remove_file(&input).unwrap();
        let error = check_outputs(&[&second, &input], NOTHING).unwrap_err();
        assert!(matches!(error, Error::SameOutput { .. }), "{error}");
        symlink("circle", &circle).unwrap();
        assert!(check_outputs(&[&circle], NOTHING).is_err());
    }

    #[test]
    fn a_place_that_cannot_be_written_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = check_outputs(&[folder.path()], NOTHING).unwrap_err();
        assert!(matches!(error, Error::Folder { .. }), "{error}");
        let nowhere = folder.path().join("missing").join("out");
        let error = check_outputs(&[&nowhere], NOTHING).unwrap_err();
        assert!(matches!(error, Error::Io { .. }), "{error}");
        check_outputs(&[Path::new("-"), Path::new("-")], &[Path::new("-")]).unwrap();
    }
}
