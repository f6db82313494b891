//! A system file that rots is noticed before a wrong translation leaves.

use chiasm_decode::{Decoder, Input, System};
use std::path::Path;
use std::sync::Arc;

const SECTOR: usize = 512;

fn translate(path: &Path, sentence: &str) -> chiasm_decode::Result<String> {
    let decoder = Decoder::new(Arc::new(System::open(path)?))?;
    let best = decoder.translate(&Input::from_line(sentence))?;
    Ok(best.words.join(" "))
}

#[test]
fn a_zeroed_sector_is_an_error_and_never_another_answer() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/0.1.0");
    let original = golden.join("tokenised.chiasm");
    let sentence = "gishi ga yomu";
    let expected = translate(&original, sentence).unwrap();
    let bytes = std::fs::read(&original).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rotten.chiasm");
    let mut noticed = 0;
    for start in (0..bytes.len()).step_by(SECTOR) {
        let mut rotten = bytes.clone();
        let end = (start + SECTOR).min(bytes.len());
        rotten[start..end].fill(0);
        if rotten == bytes {
            continue;
        }
        std::fs::write(&path, &rotten).unwrap();
        match translate(&path, sentence) {
            Err(error) => {
                let message = error.to_string();
                assert!(message.contains("rotten.chiasm: "), "{message}");
                noticed += 1;
            }
            // Only what lies between sections may change unnoticed.
            Ok(found) => assert_eq!(found, expected, "sector at {start}"),
        }
    }
    assert!(noticed > 20, "{noticed}");
}

#[test]
fn what_is_damaged_is_not_written_again_with_new_checksums() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/0.1.0");
    let mut bytes = std::fs::read(golden.join("tokenised.chiasm")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + SECTOR].fill(0xff);
    let folder = tempfile::tempdir().unwrap();
    let (rotten, copy) = (folder.path().join("rotten"), folder.path().join("copy"));
    std::fs::write(&rotten, &bytes).unwrap();
    let outcome = System::open(&rotten).and_then(|system| system.write(&copy));
    let message = outcome.unwrap_err().to_string();
    assert!(message.contains("rotten: section "), "{message}");
    assert!(!copy.exists());
}
