//! From sentence pairs to a translation, with the n-best list and the reasons.

use chiasm::synthesis::Language;
use chiasm::{ParallelText, Preset, Trainer};

fn main() -> chiasm::Result<()> {
    let generator = Language::JapaneseLike.generator(1, 0);
    let pairs = (0..600).map(|number| generator.pair(number));
    let pairs = pairs.map(|pair| (pair.source_text(), pair.target_text()));
    let trained = Trainer::new(ParallelText::sentences(pairs))
        .preset(Preset::Quick)
        .seed(7)
        .train()?;
    let translator = trained.translator()?;
    let sentence = generator.pair(700).source_text();
    for translated in translator.nbest(&sentence, 3)? {
        println!("{:8.3}  {}", translated.derivation.score, translated.text);
    }
    let best = translator.translate(&sentence)?;
    println!("{}", translator.json(&best)["phrases"]);
    Ok(())
}
