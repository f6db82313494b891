//! Word alignment alone: learn, print links, align a new sentence.

use chiasm::Aligner;
use chiasm::align::Preset;
use chiasm::synthesis::Language;

fn main() -> chiasm::Result<()> {
    let generator = Language::JapaneseLike.generator(1, 0);
    let pairs = (0..500).map(|number| generator.pair(number));
    let pairs = pairs.map(|pair| (pair.source_text(), pair.target_text()));
    let fitted = Aligner::new(Preset::Fast).seed(3).fit(pairs, &())?;
    for pair in fitted.links()?.iter().take(3) {
        println!("{:?}", pair.links);
    }
    let model = fitted.into_model()?;
    let new = generator.pair(900);
    println!(
        "{:?}",
        model.align(&new.source_text(), &new.target_text()).links
    );
    Ok(())
}
