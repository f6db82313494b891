//! Whatever has been typed, the translation goes on from there.

use chiasm::decode::GraphLimits;
use chiasm::synthesis::Language;
use chiasm::{ParallelText, Preset, Trainer};

/// Numbers that are the same on every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % sides.max(1)
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.roll(from.len())]
    }
}

/// Letters of many scripts, marks, spaces of all kinds, and what is no letter at all.
const LETTERS: [char; 30] = [
    'a', 'E', 'ß', 'ñ', 'ζ', 'Ж', 'ש', 'ع', 'ด', '漢', 'か', '한', '🙂', '\u{301}', '\u{200f}',
    ' ', ' ', '\t', '\u{a0}', '\u{3000}', '.', ',', '\'', '"', '&', '<', '>', '|', '\\', '0',
];

/// The beginning of a text, cut between two letters.
fn beginning(text: &str, dice: &mut Dice) -> String {
    let letters = text.chars().count();
    text.chars().take(dice.roll(letters + 1)).collect()
}

#[test]
fn five_thousand_beginnings_go_on() {
    let generator = Language::ArabicLike.generator(1, 0);
    let pairs = (0..400).map(|number| generator.pair(number));
    let pairs = pairs.map(|pair| (pair.source_text(), pair.target_text()));
    let text = ParallelText::sentences(pairs).languages("ar", "en");
    let trained = Trainer::new(text).preset(Preset::Quick).seed(7).train();
    let translator = trained.unwrap().translator().unwrap();
    let mut dice = Dice(23);
    let (mut reached, mut true_beginnings) = (0, 0);
    for number in 400..450 {
        let pair = generator.pair(number);
        let source = pair.source_text();
        let graph = translator
            .word_graph(&source, GraphLimits::default())
            .unwrap();
        let best = translator.translate(&source).unwrap().text;
        let list = translator.nbest(&source, 20).unwrap();
        let other = generator.pair(1000 + number).target_text();
        for round in 0..100 {
            let prefix = match round % 5 {
                // What the system would say itself, the last word half typed or whole.
                0 => beginning(&best, &mut dice),
                1 => beginning(&dice.pick(&list).text.clone(), &mut dice),
                // The reference, and a translation of another sentence.
                2 => beginning(&pair.target_text(), &mut dice),
                3 => beginning(&other, &mut dice),
                _ => {
                    let length = dice.roll(30);
                    (0..length).map(|_| *dice.pick(&LETTERS)).collect()
                }
            };
            let rest = translator.complete_in(&graph, &prefix);
            let whole = format!("{prefix}{rest}");
            assert!(whole.starts_with(&prefix), "{prefix:?}");
            assert!(!rest.contains('\n'), "{prefix:?} goes on with {rest:?}");
            // Where words follow, they are words of their own, or the end of the half typed one.
            let apart =
                rest.starts_with(char::is_whitespace) && prefix.ends_with(char::is_whitespace);
            assert!(!apart, "{prefix:?} goes on with {rest:?}");
            if prefix.is_empty() {
                assert_eq!(whole, best);
            }
            if round % 5 == 0 {
                true_beginnings += 1;
                reached += usize::from(whole == best);
            }
        }
    }
    // Its own translation is the way on from nearly all of its beginnings (a half typed word may have a better end).
    assert!(
        10 * reached >= 8 * true_beginnings,
        "{reached} of {true_beginnings}"
    );
}
