//! The systems that the papers compare themselves with, as recipes: what each tells apart, looks at and learns by.
//! `Recipe::from_str` takes a name as `--like NAME`; options behind it change what it says.
//!
//! They are these systems' models of reordering in this decoder, not the systems: their corpora, decoders and tuning
//! were others, and what they say of features is followed as far as the words of a phrase, its links and the source
//! words around it go.

/// Names and options.
pub const COMPETITORS: [(&str, &str); 4] = [
    // Does the next phrase start to the left or to the right of this one? MaxEnt on words and word classes at the
    // borders of the phrase and beside them. They predict the next phrase, so the direction is forward.
    (
        "zens-ney-2006",
        "--learner lbfgs --features S4+classes --orientation word-leftright --direction forward",
    ),
    // Are neighbouring blocks joined straight or inverted? MaxEnt on boundary words: those of the phrase, and those of
    // the block it joins, which stand beside it in the source. To be decoded with `translate --itg`.
    (
        "xiong-2006",
        "--learner lbfgs --features S4 --orientation hier-straightinverted",
    ),
    // How far does the phrase jump? MaxEnt whose prior is p₀(o) = λ p(o) + (1-λ) p(o|f̄,ē).
    (
        "xiang-2011",
        "--learner lbfgs --prior-lambda 0.5 --features S10 --orientation word-distance",
    ),
    // The same classes, by a perceptron to which a far mistake is worse than a near one, with a model of its own for
    // each source phrase.
    (
        "ni-2011",
        "--learner perceptron --loss distance --features S10+by-phrase --orientation word-distance",
    ),
];

/// The options of a system.
pub fn options_like(name: &str) -> Result<&'static str, String> {
    let found = COMPETITORS.iter().find(|(known, _)| *known == name);
    found.map(|&(_, options)| options).ok_or_else(|| {
        let names = COMPETITORS.map(|(name, _)| name).join(", ");
        format!("'{name}' is none of {names}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Recipe;

    #[test]
    fn every_one_is_a_recipe_that_options_can_change() {
        for (name, options) in COMPETITORS {
            let plain: Recipe = options.parse().unwrap();
            let like: Recipe = format!("--like {name}").parse().unwrap();
            assert_eq!(like, plain);
            assert_eq!(plain.to_string(), options);
            let changed: Recipe = format!("--like {name} --min-count 3").parse().unwrap();
            assert_eq!((changed.min_count, changed.classes), (3, plain.classes));
        }
        let complaint = "--like brown-1993".parse::<Recipe>().unwrap_err();
        assert!(complaint.to_string().contains("xiong-2006"), "{complaint}");
    }
}
