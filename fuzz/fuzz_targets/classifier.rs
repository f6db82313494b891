//! A classifier whose contents are overwritten with any bytes, its checksums made right: an error, or a model that answers.
#![no_main]

#[path = "../../xtask/src/mutate/damage.rs"]
#[allow(dead_code)]
mod damage;

use chiasm_learn::{Model, libsvm};

const WHOLE: [&[u8]; 3] = [
    include_bytes!("../../crates/chiasm-learn/tests/golden/0.1.0/svm8.classifier"),
    include_bytes!("../../crates/chiasm-learn/tests/golden/0.1.0/nb-map.classifier"),
    include_bytes!("../../crates/chiasm-learn/tests/golden/0.1.0/lbfgs64.classifier"),
];

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let [kind, input @ ..] = input else { return };
    let mut bytes = WHOLE[usize::from(*kind) % WHOLE.len()].to_vec();
    damage::overwrite(&mut bytes, input);
    damage::forge(&mut bytes);
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), &bytes).expect("room for it");
    if let Ok(model) = Model::open(file.path()) {
        let text = b"1 1:1 2:1 7:0.5\n2 3:1\n";
        let examples = libsvm::read(text.as_slice(), "fuzz", false).expect("good examples");
        let mut predictor = model.predictor(&examples);
        let mut logarithms = vec![0.0; model.class_names().len()];
        for row in 0..examples.rows() {
            predictor.log_probabilities(examples.row(row), &mut logarithms);
        }
    }
});
