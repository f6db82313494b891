//! Words that must be translated so, and an observer that is told how far training is.

use chiasm::synthesis::Language;
use chiasm::{Glossary, Observer, ParallelText, Preset, Progress, Trainer};

struct Printer;

impl Observer for Printer {
    fn say(&self, remark: &str) {
        println!("| {remark}");
    }

    fn begin(&self, work: &str, unit: &str, total: Option<u64>) -> Box<dyn Progress + '_> {
        println!("> {work}: {total:?} {unit}");
        Box::new(())
    }
}

fn main() -> chiasm::Result<()> {
    let generator = Language::JapaneseLike.generator(2, 0);
    let pairs = (0..400).map(|number| generator.pair(number));
    let pairs = pairs.map(|pair| (pair.source_text(), pair.target_text()));
    let trained = Trainer::new(ParallelText::sentences(pairs))
        .preset(Preset::Quick)
        .threads(1)
        .observer(&Printer)
        .train()?;
    let mut glossary = Glossary::default();
    glossary.add("chiasm", "a crossing");
    let translator = trained.translator()?.glossary(glossary);
    println!("{}", translator.translate("chiasm")?.text);
    Ok(())
}
