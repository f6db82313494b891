//! Naive Bayes of counts is naive Bayes of examples.

use super::data;
use chiasm_phrases::IndexedCorpus;
use chiasm_reorder::trainer::{Preparation, Workplace, learn};
use chiasm_reorder::{ClassTable, Recipe, StoredModel, evaluate};
use chiasm_work::Silent;

fn log_loss(model: &StoredModel, corpus: &mut IndexedCorpus) -> Vec<f64> {
    let outcomes = evaluate(&**model, model.settings(), corpus, &()).unwrap();
    outcomes
        .iter()
        .map(|outcome| outcome.evaluation.total_log_loss)
        .collect()
}

#[test]
fn counts_alone_give_the_same_model() {
    let folder = tempfile::tempdir().unwrap();
    let mut corpus = IndexedCorpus::read(&data(), folder.path(), &()).unwrap();
    let none = || [ClassTable::default(), ClassTable::default()];
    for (at, options) in [
        "--learner nb-map --features S7 --min-count 3",
        "--learner nb-map --features S7 --min-count 3 --direction both --keep-counts off",
        "--learner nb-bayes --features S1 --alpha auto --min-count 2",
        "--learner nb-bayes --features S9 --min-count 4 --direction both",
        "--learner nb-map --features S6 --select 0.01 --alpha 3 --min-sentences 2",
        "--learner nb-bayes --features S7 --select 0.02 --direction forward --alpha auto",
    ]
    .into_iter()
    .enumerate()
    {
        let recipe: Recipe = options.parse().unwrap();
        // So little memory that the counts are sorted on disk.
        let memory = if at % 2 == 0 { 1 << 24 } else { 1 << 14 };
        let workplace = Workplace {
            memory,
            folder: folder.path().to_path_buf(),
        };
        let quick = learn(&recipe, &mut corpus, none(), &workplace, &Silent).unwrap();
        let slow = Preparation::new(&recipe, &mut corpus, none(), &workplace, &Silent).unwrap();
        let slow = slow.learn(&Silent).unwrap();
        assert_eq!(quick.kept, slow.kept, "{options}");
        for (quick, slow) in quick.reports.iter().zip(&slow.reports) {
            assert_eq!(quick.examples, slow.examples, "{options}");
            assert_eq!(quick.parameters, slow.parameters, "{options}");
            assert_eq!(quick.rows, 0, "no example was kept");
        }
        let losses = [&quick.model, &slow.model].map(|model| log_loss(model, &mut corpus));
        assert_eq!(losses[0], losses[1], "{options}");
    }
}
