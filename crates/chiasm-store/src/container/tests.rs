//! Files that are whole come back, files that are not are refused.

use super::*;
use proptest::prelude::*;

fn sample(path: &Path) {
    let mut writer = Writer::create(path, "sample", 3).unwrap();
    writer.array("numbers", &[1u32, 2, 3]).unwrap();
    writer
        .within("part/", |writer| writer.bytes("text", "kīmōno".as_bytes()))
        .unwrap();
    writer.bytes("empty", b"").unwrap();
    writer.finish().unwrap();
}

#[test]
fn what_is_written_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sample.bin");
    sample(&path);
    let file = Container::open(&path)
        .unwrap()
        .expect_kind("sample", 3)
        .unwrap();
    assert_eq!(&file.array::<u32>("numbers").unwrap()[..], &[1, 2, 3]);
    assert_eq!(file.within("part/").text("text").unwrap(), "kīmōno");
    assert!(file.bytes("empty").unwrap().is_empty());
    assert_eq!(file.list().count(), 3);
    file.verify().unwrap();
    let missing = file.bytes("none").unwrap_err().to_string();
    assert!(
        missing.ends_with("sample.bin: section none: is missing"),
        "{missing}"
    );
    let other = Container::open(&path)
        .unwrap()
        .expect_kind("other", 3)
        .unwrap_err();
    assert!(other.to_string().ends_with("holds a sample, not a other"));
    let newer = Container::open(&path)
        .unwrap()
        .expect_kind("sample", 4)
        .unwrap_err();
    assert!(
        newer
            .to_string()
            .ends_with("sample of version 3; this program reads version 4")
    );
}

#[test]
fn every_truncation_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sample.bin");
    sample(&path);
    let whole = std::fs::read(&path).unwrap();
    for length in 0..whole.len() {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(Container::open(&path).is_err(), "{length}");
    }
}

#[test]
fn damage_is_confirmed_in_the_background_and_names_its_section() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sample.bin");
    let mut writer = Writer::create(&path, "sample", 3).unwrap();
    writer.array("small", &[1u32, 2, 3]).unwrap();
    writer.bytes("large", &vec![5; 1 << 20]).unwrap();
    writer.finish().unwrap();
    let open = || Container::open(&path).unwrap().sections().clone();
    let intact = open();
    intact.confirm_in_background();
    intact.confirm().unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[700_000] = 0;
    std::fs::write(&path, &bytes).unwrap();
    let damaged = open();
    damaged.confirm_in_background();
    for sections in [&damaged, &damaged.within("other/")] {
        let error = sections.confirm().unwrap_err().to_string();
        let expected = "sample.bin: section large: damaged, its checksum differs";
        assert!(error.ends_with(expected), "{error}");
    }
    // Known for good once it is known; `verify` looks again.
    intact.confirm().unwrap();
    intact.verify().unwrap_err();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..Default::default() })]
    #[test]
    fn every_changed_byte_is_noticed(at in 0usize..4096, change in 1u8..) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sample.bin");
        sample(&path);
        let mut bytes = std::fs::read(&path).unwrap();
        let at = at % bytes.len();
        bytes[at] ^= change;
        std::fs::write(&path, &bytes).unwrap();
        let noticed = match Container::open(&path) {
            Err(_) => true,
            Ok(file) => file.sections().verify().is_err(),
        };
        // Padding between sections is the only thing nobody reads.
        let padding = !noticed && bytes[at] == change;
        prop_assert!(noticed || padding);
    }
}
