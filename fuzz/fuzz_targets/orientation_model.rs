//! A model of orientation whose contents are overwritten with any bytes, its checksums made right: an error, or a model that answers.
#![no_main]

#[path = "../../xtask/src/mutate/damage.rs"]
#[allow(dead_code)]
mod damage;

use chiasm_phrases::{PhraseLink, Span};
use chiasm_reorder::{Scratch, StoredModel, WordKey};

const WHOLE: [&[u8]; 4] = [
    include_bytes!("../../crates/chiasm-reorder/tests/golden/0.1.0/svm.model"),
    include_bytes!("../../crates/chiasm-reorder/tests/golden/0.1.0/dual8.model"),
    include_bytes!("../../crates/chiasm-reorder/tests/golden/0.1.0/nb-map.model"),
    include_bytes!("../../crates/chiasm-reorder/tests/golden/0.1.0/lexicalised.model"),
];

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let [kind, input @ ..] = input else { return };
    let mut bytes = WHOLE[usize::from(*kind) % WHOLE.len()].to_vec();
    damage::overwrite(&mut bytes, input);
    damage::forge(&mut bytes);
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), &bytes).expect("room for it");
    if let Ok(model) = StoredModel::open(file.path()) {
        let source: Vec<WordKey> = "gishi ga yomu ."
            .split(' ')
            .map(|word| model.source_word(word))
            .collect();
        let target = [model.target_word("the"), model.target_word("engineer")];
        let mut scratch = Scratch::default();
        scratch.begin_sentence(&source);
        let mut logarithms = vec![0.0; model.columns()];
        for start in 0..3 {
            let links = [PhraseLink::new(0, 0)];
            let span = Span::new(start, start + 1);
            model.log_probabilities(&mut scratch, span, &target, &links, &mut logarithms);
        }
    }
});
