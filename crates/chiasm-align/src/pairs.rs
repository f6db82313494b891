//! Sentence pairs one after another, whatever they stand in.
//!
//! Of a million lines a few are always broken. Such a pair is read as an empty one, so that every line of the input has its
//! line of links, and counted; who wants to stop there asks for `strict`.

use crate::Result;
use crate::bitext::split_joined;
use crate::cells::MOST_CELLS;
use crate::sampler::LONGEST;
use chiasm_text::{Lines, TextOutput, tokens};
use std::path::PathBuf;

/// Where sentence pairs stand; `-` is standard input.
#[derive(Clone, Debug)]
pub enum PairInput {
    /// Two files with equally many lines.
    Files([PathBuf; 2]),
    /// Lines `source<TAB>target`; further columns are passed over.
    TabSeparated(PathBuf),
    /// Lines `source ||| target`.
    Joined(PathBuf),
}

impl PairInput {
    /// Two files, or the one that was named, or lines `source ||| target` of standard input.
    pub fn choose(
        files: Option<[PathBuf; 2]>,
        tab_separated: Option<PathBuf>,
        joined: Option<PathBuf>,
    ) -> Self {
        match (files, tab_separated) {
            (Some(files), _) => PairInput::Files(files),
            (_, Some(table)) => PairInput::TabSeparated(table),
            _ => PairInput::Joined(joined.unwrap_or_else(|| "-".into())),
        }
    }

    /// Every file that is read.
    pub fn paths(&self) -> Vec<PathBuf> {
        match self {
            PairInput::Files(files) => files.to_vec(),
            PairInput::TabSeparated(file) | PairInput::Joined(file) => vec![file.clone()],
        }
    }
}

/// Pairs that have no links because there is nothing to link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    /// A side is empty.
    pub blank: u64,
    /// Not UTF-8, or a line beyond any length.
    pub unreadable: u64,
    /// No line of two sides.
    pub undivided: u64,
    /// Too many words to be sentences.
    pub long: u64,
    /// The first of them: file, line, what was found.
    pub first: Option<String>,
}

impl Skipped {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.blank + self.unreadable + self.undivided + self.long
    }

    /// A warning for people, if there is anything to warn of.
    pub fn warning(&self) -> Option<String> {
        let kinds = [
            (self.blank, "with an empty side"),
            (self.unreadable, "unreadable"),
            (self.undivided, "without two sides"),
            (self.long, "too long"),
        ];
        let some = kinds.iter().filter(|(count, _)| *count > 0);
        let counts: Vec<String> = some
            .map(|(count, kind)| format!("{count} {kind}"))
            .collect();
        let first = self.first.as_ref()?;
        let counts = counts.join(", ");
        Some(format!(
            "warning: {} pairs have no links ({counts}); the first: {first}",
            self.total()
        ))
    }
}

/// Reads sentence pairs.
pub struct Pairs {
    files: Vec<Lines>,
    form: Form,
    strict: bool,
    skipped: Skipped,
    read: u64,
    /// The first pair that could not be read.
    broken: Option<chiasm_text::Error>,
    copies: Option<[TextOutput; 2]>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Files,
    TabSeparated,
    Joined,
}

type Count = fn(&mut Skipped) -> &mut u64;

impl Pairs {
    /// Opens the input. `strict` makes an error of whatever would be skipped.
    pub fn open(input: &PairInput, strict: bool) -> Result<Self> {
        let form = match input {
            PairInput::Files(_) => Form::Files,
            PairInput::TabSeparated(_) => Form::TabSeparated,
            PairInput::Joined(_) => Form::Joined,
        };
        let paths = input.paths();
        let files: chiasm_text::Result<_> = paths.iter().map(Lines::open).collect();
        Ok(Pairs {
            files: files?,
            form,
            strict,
            skipped: Skipped::default(),
            read: 0,
            broken: None,
            copies: None,
        })
    }

    /// Also writes every pair to two files as it was understood, for who reads the text again.
    pub fn copying(mut self, copies: &[PathBuf; 2]) -> Result<Self> {
        let [source, target] = copies;
        self.copies = Some([TextOutput::create(source)?, TextOutput::create(target)?]);
        Ok(self)
    }

    /// The next pair; `false` at the end. If none of all pairs could be read, that is an error: the file is not what somebody
    /// takes it for.
    pub fn next(&mut self, source: &mut String, target: &mut String) -> Result<bool> {
        source.clear();
        target.clear();
        let there = match self.form {
            Form::Files => self.next_of_files(source, target)?,
            Form::TabSeparated => self.next_of_one(source, target, split_tabs)?,
            Form::Joined => self.next_of_one(source, target, split_joined)?,
        };
        self.read += u64::from(there);
        let unread = self.skipped.unreadable + self.skipped.undivided;
        if !there
            && unread == self.read
            && let Some(error) = self.broken.take()
        {
            return Err(error.into());
        }
        if let (true, Some(copies)) = (there, &mut self.copies) {
            for (copy, line) in copies.iter_mut().zip([&*source, &*target]) {
                copy.write_text(line.as_bytes())?;
                copy.write_text(b"\n")?;
            }
        }
        Ok(there)
    }

    /// At the end: what was skipped. The copies exist from here on.
    pub fn finish(self) -> Result<Skipped> {
        for copy in self.copies.into_iter().flatten() {
            copy.finish()?;
        }
        Ok(self.skipped)
    }

    fn next_of_files(&mut self, source: &mut String, target: &mut String) -> Result<bool> {
        let mut broken = None;
        let mut ended = Vec::new();
        for (at, side) in [&mut *source, &mut *target].into_iter().enumerate() {
            match self.files[at].next_or_broken()? {
                None => ended.push(at),
                Some(Ok(line)) => side.push_str(line),
                Some(Err(error)) => broken = broken.or(Some(error)),
            }
        }
        match ended[..] {
            [] => {}
            [short] => return Err(self.unequal(short).into()),
            _ => return Ok(false),
        }
        match broken {
            Some(error) => {
                source.clear();
                target.clear();
                self.skip(|skipped| &mut skipped.unreadable, error)?;
            }
            None => self.look_at(source, target)?,
        }
        Ok(true)
    }

    fn next_of_one(
        &mut self,
        source: &mut String,
        target: &mut String,
        split: impl Fn(&str) -> Option<(&str, &str)>,
    ) -> Result<bool> {
        let line = match self.files[0].next_or_broken()? {
            None => return Ok(false),
            Some(Ok(line)) => line,
            Some(Err(error)) => {
                self.skip(|skipped| &mut skipped.unreadable, error)?;
                return Ok(true);
            }
        };
        if line.trim_ascii().is_empty() {
            self.look_at(source, target)?;
        } else if let Some(sides) = split(line) {
            source.push_str(sides.0);
            target.push_str(sides.1);
            self.look_at(source, target)?;
        } else {
            let expected = match self.form {
                Form::TabSeparated => "expected: source and target with a tab between",
                _ => crate::bitext::JOINED_EXPECTED,
            };
            let error = self.files[0].error(expected);
            self.skip(|skipped| &mut skipped.undivided, error)?;
        }
        Ok(true)
    }

    /// The file that ended has fewer lines than the other.
    fn unequal(&self, short: usize) -> chiasm_text::Error {
        let (short_file, long_file) = (&self.files[short], &self.files[1 - short]);
        let (short_path, long_path) = (short_file.path().display(), long_file.path().display());
        match short {
            0 => long_file.error(format!(
                "{} lines expected, as in {short_path}",
                short_file.number()
            )),
            _ => short_file.error(format!(
                "the file ends here, but {long_path} has more lines"
            )),
        }
    }

    fn look_at(&mut self, source: &str, target: &str) -> Result<()> {
        match complaint(source, target) {
            None => Ok(()),
            Some((Complaint::Blank, reason)) => {
                let side = match tokens(source).next() {
                    None => 0,
                    Some(_) => self.files.len() - 1,
                };
                let error = self.files[side].error(reason);
                self.skip(|skipped| &mut skipped.blank, error)
            }
            Some((Complaint::Long, reason)) => {
                let error = self.files[0].error(reason);
                self.skip(|skipped| &mut skipped.long, error)
            }
        }
    }

    fn skip(&mut self, count: Count, error: chiasm_text::Error) -> Result<()> {
        if self.strict {
            return Err(error.into());
        }
        *count(&mut self.skipped) += 1;
        self.skipped.first.get_or_insert_with(|| error.to_string());
        self.broken.get_or_insert(error);
        Ok(())
    }
}

/// Why a sentence pair has no links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Complaint {
    /// A side is empty.
    Blank,
    /// Too many words to be sentences.
    Long,
}

/// Is there anything to align in a pair, and not too much? If not, what is wrong.
pub fn complaint(source: &str, target: &str) -> Option<(Complaint, String)> {
    if tokens(source).next().is_none() || tokens(target).next().is_none() {
        return Some((Complaint::Blank, "no words on one side".into()));
    }
    // So many bytes cannot be too many words.
    let most = |line: &str| line.len() / 2 + 1;
    let (sources, targets) = (most(source), most(target));
    if sources.max(targets) <= LONGEST && sources * targets <= MOST_CELLS {
        return None;
    }
    let (sources, targets) = (tokens(source).count(), tokens(target).count());
    let long = sources.max(targets) > LONGEST || sources.saturating_mul(targets) > MOST_CELLS;
    let reason = || format!("{sources} and {targets} words are too many for a sentence pair");
    long.then(|| (Complaint::Long, reason()))
}

fn split_tabs(line: &str) -> Option<(&str, &str)> {
    let mut columns = line.split('\t');
    columns.next().zip(columns.next())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(
        input: &PairInput,
        strict: bool,
    ) -> std::result::Result<(Vec<String>, Skipped), String> {
        let mut pairs = Pairs::open(input, strict).map_err(|error| error.to_string())?;
        let (mut source, mut target) = (String::new(), String::new());
        let mut all = Vec::new();
        while pairs
            .next(&mut source, &mut target)
            .map_err(|error| error.to_string())?
        {
            all.push(format!("{source}/{target}"));
        }
        Ok((all, pairs.finish().map_err(|error| error.to_string())?))
    }

    #[test]
    fn broken_pairs_are_empty_and_counted_or_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let long = "x ".repeat(70_000);
        let target = [b"A\nB\nC\n\n", long.as_bytes(), b"\nF\n"].concat();
        let files = [write("s", b"a\n\xff\n\nd\ne\nf\n"), write("t", &target)];
        let files = PairInput::Files(files);
        let (pairs, skipped) = read(&files, false).unwrap();
        assert_eq!(pairs.len(), 6);
        assert_eq!(pairs[..4], ["a/A", "/", "/C", "d/"]);
        assert_eq!(pairs[5], "f/F");
        let counts = (skipped.blank, skipped.unreadable, skipped.long);
        assert_eq!(counts, (2, 1, 1));
        let warning = skipped.warning().unwrap();
        assert!(
            warning
                .contains("4 pairs have no links (2 with an empty side, 1 unreadable, 1 too long)")
        );
        assert!(warning.contains("s: line 2: invalid UTF-8"), "{warning}");
        assert!(
            read(&files, true)
                .unwrap_err()
                .contains("s: line 2: invalid UTF-8")
        );

        let table = PairInput::TabSeparated(write("p", b"a b\tA\tmore\nc ||| C\n\nd\t\n"));
        let (pairs, skipped) = read(&table, false).unwrap();
        assert_eq!(pairs, ["a b/A", "/", "/", "d/"]);
        assert_eq!((skipped.undivided, skipped.blank), (1, 2));
        let message = read(&table, true).unwrap_err();
        assert!(message.ends_with("p: line 2: expected: source and target with a tab between"));

        let nothing = PairInput::Files([write("n", b"\xff\n\xff\n"), write("m", b"A\nB\n")]);
        assert!(
            read(&nothing, false)
                .unwrap_err()
                .contains("n: line 1: invalid UTF-8")
        );

        let joined = PairInput::Joined(write("j", b"a ||| A\nb\tB\n"));
        assert_eq!(read(&joined, false).unwrap().0, ["a / A", "/"]);
        assert_eq!(
            read(&PairInput::Joined(write("k", b"a ||| A\n")), true)
                .unwrap()
                .1
                .warning(),
            None
        );
    }
}
