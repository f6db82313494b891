//! How good translations are, and whether a difference could be chance.

use chiasm::metrics::bleu::Bleu;
use chiasm::metrics::{Metric, References, Statistics, bootstrap};

fn main() -> chiasm::Result<()> {
    let lines = |texts: &[&str]| {
        texts
            .iter()
            .map(|text| text.to_string())
            .collect::<Vec<_>>()
    };
    let reference = lines(&[
        "the cat sat on the mat",
        "it is raining today",
        "he went home",
    ]);
    let first = lines(&["the cat sat on a mat", "it rains today", "he went home"]);
    let second = lines(&[
        "the cat sat on the mat",
        "it is raining now",
        "he went home",
    ]);
    println!("{:?}", chiasm::score(&first, vec![reference.clone()])?);
    let references = References::new(vec![reference])?;
    let bleu = Bleu::default();
    let one = Statistics::collect(&bleu, &first, &references)?;
    let two = Statistics::collect(&bleu, &second, &references)?;
    let difference = bleu.score(&two.sum()) - bleu.score(&one.sum());
    let samples = bootstrap::resample(&bleu, &[&one, &two], 1000, 1)?;
    println!(
        "{difference:+.2}, p = {:.3}",
        samples.compare(1, 0, difference).p_value
    );
    Ok(())
}
