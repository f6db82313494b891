//! A system is one file; opening it takes milliseconds.

use chiasm::synthesis::Language;
use chiasm::{ParallelText, Preset, Trainer, Translator};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("ar-en.chiasm");
    let generator = Language::ArabicLike.generator(1, 0);
    let pairs = (0..400).map(|number| generator.pair(number));
    let pairs = pairs.map(|pair| (pair.source_text(), pair.target_text()));
    let text = ParallelText::sentences(pairs);
    let trained = Trainer::new(text)
        .preset(Preset::Quick)
        .with(|settings| settings.lm.order = 3)
        .train()?;
    for timing in trained.timings() {
        println!("{:<8} {:?}", timing.stage, timing.seconds);
    }
    trained.save(&file)?;
    let lines: Vec<String> = (500..505)
        .map(|n| generator.pair(n).source_text())
        .collect();
    for translated in Translator::open(&file)?.translate_batch(&lines, 2)? {
        println!("{}", translated.text);
    }
    Ok(())
}
