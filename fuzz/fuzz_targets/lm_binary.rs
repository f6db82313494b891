//! A binary model whose contents are overwritten with any bytes: an error, or a model that answers.
//! (Header and section table have a checksum, which a fuzzer would not get past.)
#![no_main]

use chiasm_lm::arpa::{NgramList, Reader};
use chiasm_lm::{Model, State};
use chiasm_text::Lines;
use std::io::Cursor;
use std::path::Path;
use std::sync::OnceLock;

const ARPA: &str = "\\data\\\nngram 1=5\nngram 2=4\nngram 3=3\nngram 4=1\n\n\\1-grams:\n-2\t<unk>\n\
    -99\t<s>\t-0.3\n-0.7\t</s>\n-0.6\ta\t-0.2\n-0.5\tb\t-0.1\n\n\\2-grams:\n-0.4\t<s> a\t-0.05\n\
    -0.2\ta b\t-0.1\n-0.3\tb </s>\n-0.7\tb a\t0\n\n\\3-grams:\n-0.1\t<s> a b\t-0.2\n\
    -0.2\ta b </s>\n-0.3\ta b a\n\n\\4-grams:\n-0.01\t<s> a b </s>\n\n\\end\\\n";

fn binaries() -> &'static [Vec<u8>] {
    static BYTES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    BYTES.get_or_init(|| {
        let lines = Lines::new(Box::new(Cursor::new(ARPA.as_bytes())), "fuzz");
        let list = Reader::new(lines)
            .and_then(NgramList::from_reader)
            .expect("a good file");
        let models = [
            Model::from_list(list.clone(), Path::new("fuzz")),
            Model::quantised(list, Path::new("fuzz")),
        ];
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        let bytes = models.map(|model| {
            model
                .expect("a good model")
                .save(file.path())
                .expect("room for it");
            std::fs::read(file.path()).expect("the file just written")
        });
        bytes.to_vec()
    })
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let [kind, input @ ..] = input else { return };
    let mut bytes = binaries()[usize::from(kind % 2)].clone();
    let end = usize::from(u16::from_le_bytes([bytes[48], bytes[49]])).max(64);
    // Pieces of (place, length, contents).
    let mut rest = input;
    while let [low, high, length, more @ ..] = rest {
        let at = 64 + usize::from(u16::from_le_bytes([*low, *high])) % (end - 64).max(1);
        let length = usize::from(length % 16)
            .min(more.len())
            .min(end.saturating_sub(at));
        bytes[at..at + length].copy_from_slice(&more[..length]);
        rest = &more[length..];
    }
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), &bytes).expect("room for it");
    if let Ok(model) = Model::open(file.path()) {
        let (mut state, mut next) = (model.begin_sentence_state(), State::default());
        for word in (0..40).chain(0..40) {
            model.score(&state, word * 7 % 13, &mut next);
            model.word(word);
            state = next;
        }
        model.score_line("a b <s> c");
    }
});
