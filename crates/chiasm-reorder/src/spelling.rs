//! Features as people read them: `f3&e5`, `f2⁻`, `e4 · f6⁺`.

use crate::features::{BaseFeature, FeatureSet, Kind};
use chiasm_phrases::{PhraseLink, Span};

/// Looks up what stands at a position.
pub trait Spelling {
    /// The source word at a position within the sentence.
    fn source(&self, position: usize) -> String;
    /// The target word at a position within the phrase.
    fn target(&self, position: usize) -> String;
    /// The class of that source word.
    fn source_class(&self, position: usize) -> String;
    /// The class of that target word.
    fn target_class(&self, position: usize) -> String;
    /// The tag of that source word.
    fn tag(&self, _position: usize) -> String {
        "|?".into()
    }
}

/// Two slices of words without classes.
pub struct Words<'a> {
    /// The source sentence.
    pub source: &'a [&'a str],
    /// The target phrase.
    pub target: &'a [&'a str],
}

impl Spelling for Words<'_> {
    fn source(&self, position: usize) -> String {
        self.source[position].to_string()
    }

    fn target(&self, position: usize) -> String {
        self.target[position].to_string()
    }

    fn source_class(&self, _position: usize) -> String {
        "?".into()
    }

    fn target_class(&self, _position: usize) -> String {
        "?".into()
    }
}

/// A base feature in words. `length` is that of the source sentence.
pub fn spell(feature: BaseFeature, length: usize, words: &impl Spelling) -> String {
    let words_of = |position| words.source(position);
    let kind = feature.kind;
    if kind == Kind::PAIR {
        let words = feature.source..feature.source + feature.target;
        let words: Vec<String> = words.map(|word| words_of(word as usize)).collect();
        return format!("[{}]", words.join(" "));
    }
    let source = |position: i32| {
        if position < 0 {
            "<s>".to_string()
        } else if position as usize >= length {
            "</s>".to_string()
        } else if kind.is_tag() {
            words.tag(position as usize)
        } else if kind.is_class() {
            words.source_class(position as usize)
        } else {
            words.source(position as usize)
        }
    };
    let target = |position: i32| {
        if kind.is_class() {
            words.target_class(position as usize)
        } else {
            words.target(position as usize)
        }
    };
    let mut text = match (kind.has_source(), kind.has_target()) {
        (true, true) => format!("{}&{}", source(feature.source), target(feature.target)),
        (true, false) if kind.is_unaligned() => format!("{}&∅", source(feature.source)),
        (false, _) if kind.is_unaligned() => format!("∅&{}", target(feature.target)),
        (true, false) => source(feature.source),
        _ => target(feature.target),
    };
    if let Some((side, distance)) = kind.mark() {
        text.push(if side == '-' { '⁻' } else { '⁺' });
        if distance > 1 {
            text.push_str(&distance.to_string());
        }
    }
    text
}

/// All features of a phrase in words, each as often as it counts: base features in the order in
/// which they are generated, then products `a · b`.
pub fn spell_all(
    set: &FeatureSet,
    span: Span,
    length: usize,
    target_length: usize,
    links: &[PhraseLink],
    words: &impl Spelling,
) -> Vec<String> {
    let mut base: Vec<(BaseFeature, String, usize)> = Vec::new();
    let mut add = |feature: BaseFeature| {
        let text = spell(feature, length, words);
        match base
            .iter_mut()
            .find(|(other, spelled, _)| other.kind == feature.kind && *spelled == text)
        {
            Some((_, _, count)) => *count += 1,
            None => base.push((feature, text, 1)),
        }
    };
    set.phrase_features(span, target_length, links, &mut add);
    set.context_features(span, length, &mut add);
    let mut all = Vec::new();
    if set.anova.has_single() {
        for (_, text, count) in &base {
            all.extend(std::iter::repeat_n(text.clone(), *count));
        }
    }
    if set.anova.degree() > 1 {
        for (place, (_, first, first_count)) in base.iter().enumerate() {
            for (next, (_, second, second_count)) in base.iter().enumerate().skip(place + 1) {
                let (product, count) = (format!("{first} · {second}"), first_count * second_count);
                if set.anova.has_triples() {
                    for (_, third, third_count) in &base[next + 1..] {
                        let product = format!("{product} · {third}");
                        all.extend(std::iter::repeat_n(product, count * third_count));
                    }
                }
                if set.anova.has_pairs() {
                    all.extend(std::iter::repeat_n(product, count));
                }
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::ContextMarks;
    use std::ops::Range;

    const FIRST: Span = Span::new(0, 1);

    fn links(pairs: &[(u8, u8)]) -> Vec<PhraseLink> {
        pairs.iter().map(|&pair| pair.into()).collect()
    }

    fn features(name: &str, phrase: (Range<u32>, Range<u32>, &[(u8, u8)])) -> Vec<String> {
        let source = ["f1", "f2", "f3", "f4", "f5", "f6"];
        let target = ["e1", "e2", "e3", "e4", "e5"];
        let (span, target_span) = (
            Span::new(phrase.0.start, phrase.0.end),
            Span::new(phrase.1.start, phrase.1.end),
        );
        let words = Words {
            source: &source,
            target: &target[target_span.range()],
        };
        let set: FeatureSet = name.parse().unwrap();
        spell_all(&set, span, 6, target_span.len(), &links(phrase.2), &words)
    }

    /// The papers' worked example (SPEC section 2): φ(f3 f4 f5 | e4 e5) in S1 to S7.
    #[test]
    fn the_papers_worked_example() {
        let swap = || (2..5, 3..5, [(0u8, 1u8), (2, 0)]);
        let get = |name: &str| {
            let (span, target, links) = swap();
            features(name, (span, target, &links))
        };
        assert_eq!(get("S1"), ["f3", "f4", "f5", "e4", "e5"]);
        assert_eq!(get("S2"), ["f3", "f5", "e4", "e5"]);
        assert_eq!(get("S3"), ["f3&e5", "f5&e4"]);
        let s4 = get("S4");
        assert_eq!(s4, ["f3", "f5", "e4", "e5", "f2⁻", "f6⁺"]);
        let s5 = get("S5");
        assert_eq!(s5.len(), 15);
        for (place, first) in s4.iter().enumerate() {
            for second in &s4[place + 1..] {
                assert!(s5.contains(&format!("{first} · {second}")));
            }
        }
        assert_eq!(get("S6"), [s4, s5].concat());
        let s7 = get("S7");
        assert_eq!(s7, ["f3&e5", "f5&e4", "f2⁻", "f6⁺"]);
        assert_eq!(get("S8").len(), 6);
        assert_eq!(get("S9").len(), 10);
    }

    /// f4 has no link; nothing else of S7 would see it.
    #[test]
    fn words_without_a_link_are_a_part_of_their_own() {
        let swap = (2..5, 3..5, &[(0u8, 1u8), (2, 0)][..]);
        let with = features("S7+unaligned", swap);
        assert_eq!(with, ["f3&e5", "f5&e4", "f4&∅", "f2⁻", "f6⁺"]);
        let one_link = (1..3, 0..3, &[(1u8, 1u8)][..]);
        assert_eq!(
            features("S3+unaligned", one_link.clone()),
            ["f3&e2", "f2&∅", "∅&e1", "∅&e3"]
        );
        assert_eq!(features("unaligned", one_link), ["f2&∅", "∅&e1", "∅&e3"]);
    }

    #[test]
    fn the_other_two_phrases_of_the_example() {
        let first = (0..2, 0..1, &[(0u8, 0u8), (1, 0)][..]);
        assert_eq!(
            features("S7", first.clone()),
            ["f1&e1", "f2&e1", "<s>⁻", "f3⁺"]
        );
        assert_eq!(features("S2", first), ["f1", "f2", "e1"]);
        let last = (5..6, 1..3, &[(0u8, 0u8), (0, 1)][..]);
        assert_eq!(
            features("S13", last),
            [
                "f6&e2", "f6&e3", "f5⁻", "</s>⁺", "f4⁻2", "</s>⁺2", "f3⁻3", "</s>⁺3"
            ]
        );
    }

    #[test]
    fn marks_and_edges_are_options() {
        let mut set: FeatureSet = "S7".parse().unwrap();
        set.marks = ContextMarks::None;
        set.edges = false;
        let words = Words {
            source: &["a", "b"],
            target: &["x"],
        };
        assert_eq!(
            spell_all(&set, FIRST, 2, 1, &links(&[(0, 0)]), &words),
            ["a&x", "b"]
        );
        set.marks = ContextMarks::Side;
        set.words.context = 2;
        let words = Words {
            source: &["a", "b", "b"],
            target: &["x"],
        };
        // Without distances the two words after the phrase are one feature that counts twice.
        assert_eq!(
            spell_all(&set, FIRST, 3, 1, &links(&[(0, 0)]), &words),
            ["a&x", "b⁺", "b⁺"]
        );
    }

    #[test]
    fn a_repeated_word_counts_twice_and_makes_no_pair_with_itself() {
        let words = Words {
            source: &["a", "b", "a"],
            target: &["x"],
        };
        let set: FeatureSet = "boundaries+anova=<=2".parse().unwrap();
        assert_eq!(
            spell_all(&set, Span::new(0, 3), 3, 1, &[], &words),
            ["a", "a", "x", "a · x", "a · x"]
        );
    }
}
