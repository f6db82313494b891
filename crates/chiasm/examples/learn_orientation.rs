//! A model of how phrases move, from a word-aligned corpus and a recipe.

use chiasm::Silent;
use chiasm::phrases::{AlignedFiles, IndexedCorpus};
use chiasm::reorder::trainer::{Preparation, Workplace};
use chiasm::reorder::{ClassTable, Recipe};
use chiasm::synthesis::Language;
use std::fmt::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let file = |name: &str| folder.path().join(name);
    let generator = Language::ArabicLike.generator(1, 0);
    let (mut source, mut target, mut links) = (String::new(), String::new(), String::new());
    for number in 0..500 {
        let pair = generator.pair(number);
        writeln!(source, "{}", pair.source_text())?;
        writeln!(target, "{}", pair.target_text())?;
        writeln!(links, "{}", pair.links_text())?;
    }
    for (name, text) in [("source", source), ("target", target), ("links", links)] {
        std::fs::write(file(name), text)?;
    }
    let files = AlignedFiles {
        source: file("source"),
        target: file("target"),
        links: file("links"),
    };
    let mut corpus = IndexedCorpus::read(&files, folder.path(), &())?;
    let recipe: Recipe = "--learner svm --c 0.1 --features S7 --held-out 50".parse()?;
    let workplace = Workplace {
        memory: 1 << 30,
        folder: folder.path().into(),
    };
    let classes = [ClassTable::default(), ClassTable::default()];
    let prepared = Preparation::new(&recipe, &mut corpus, classes, &workplace, &Silent)?;
    let learned = prepared.learn(&Silent)?;
    for (evaluation, _) in &learned.held_out {
        println!("accuracy on pairs kept aside: {:.3}", evaluation.accuracy());
    }
    learned.model.save(file("moves.model"))?;
    Ok(())
}
