//! Which known word stands in for a word that the phrase table does not know: a form of it with other endings, or none.
//!
//! Prefixes and suffixes are what words of the vocabulary have more than other words of it. One that makes many words of
//! others is cheap to take away or to put on: its cost is minus the logarithm of the share of words that it makes.

use hashbrown::HashMap;
use std::str::FromStr;

/// What becomes of a word that the phrase table does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unknown {
    /// It is copied.
    #[default]
    Copy,
    /// It is translated as the nearest known form of it; copied if there is none.
    Nearest,
}

impl Unknown {
    /// Is it the default?
    pub(crate) fn is_copy(&self) -> bool {
        *self == Unknown::Copy
    }
}

impl FromStr for Unknown {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "copy" => Ok(Unknown::Copy),
            "nearest" => Ok(Unknown::Nearest),
            _ => Err(format!("'{text}' is none of copy, nearest")),
        }
    }
}

/// Letters that two forms have in common at least.
const STEM: usize = 3;
/// The longest prefix or suffix.
const LONGEST: usize = 4;
/// Longer words are no words.
const LONGEST_WORD: usize = 60;
/// Words that an affix makes of others at least.
const FEWEST: u32 = 5;
/// Forms whose affixes cost more together are not related.
const FARTHEST: f32 = 7.0;
/// What a form gains for each time that its weight is e times as large.
const LIKED: f32 = 0.2;

/// Prefixes or suffixes with their costs.
#[derive(Default)]
struct Affixes {
    costs: HashMap<String, f32>,
    /// The cheapest first.
    sorted: Vec<(String, f32)>,
}

impl Affixes {
    fn new(counts: HashMap<&str, u32>, words: usize) -> Self {
        let cost = |count: u32| -(count as f32 / words as f32).ln();
        let enough = |&(_, count): &(&str, u32)| count >= FEWEST && cost(count) < FARTHEST;
        let kept = counts.into_iter().filter(enough);
        let mut sorted: Vec<(String, f32)> = kept
            .map(|(affix, count)| (affix.to_string(), cost(count)))
            .collect();
        sorted.sort_unstable_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
        Affixes {
            costs: sorted.iter().cloned().collect(),
            sorted,
        }
    }

    /// What the affix costs; the empty one is free.
    fn cost(&self, affix: &str) -> Option<f32> {
        if affix.is_empty() {
            return Some(0.0);
        }
        self.costs.get(affix).copied()
    }

    /// Those that are not too much on top of this cost, with what it is then.
    fn beside(&self, cost: f32) -> impl Iterator<Item = (&str, f32)> {
        let sums = self
            .sorted
            .iter()
            .map(move |(affix, more)| (affix.as_str(), cost + more));
        sums.take_while(|&(_, sum)| sum < FARTHEST)
    }
}

/// What words of a language begin and end with.
#[derive(Default)]
pub(crate) struct Relatives {
    prefixes: Affixes,
    suffixes: Affixes,
}

impl Relatives {
    /// Learns the affixes of a vocabulary.
    pub fn learn<'a>(
        words: impl Iterator<Item = &'a str>,
        is_known: impl Fn(&str) -> bool,
    ) -> Self {
        let (mut prefixes, mut suffixes) = (HashMap::new(), HashMap::new());
        let mut count = 0;
        for word in words {
            count += 1;
            for (prefix, stem, suffix) in divisions(word) {
                if suffix.is_empty() && !prefix.is_empty() && is_known(stem) {
                    *prefixes.entry(prefix).or_insert(0) += 1;
                }
                if prefix.is_empty() && !suffix.is_empty() && is_known(stem) {
                    *suffixes.entry(suffix).or_insert(0) += 1;
                }
            }
        }
        Relatives {
            prefixes: Affixes::new(prefixes, count),
            suffixes: Affixes::new(suffixes, count),
        }
    }

    /// The word that is nearest to one that is not known; `weight` is that of a known word, at least 1. At most two affixes
    /// differ: both are taken away, or one is, and perhaps another put in its place, or one is put on.
    pub fn nearest(&self, word: &str, weight: impl Fn(&str) -> Option<f32>) -> Option<String> {
        let letters = |c: char| c.is_alphabetic() || !c.is_ascii() && !c.is_numeric();
        if word.chars().count() > LONGEST_WORD || !word.chars().all(letters) {
            return None;
        }
        let mut best: Option<(f32, String)> = None;
        let mut consider = |form: &str, cost: f32| {
            let Some(weight) = weight(form) else { return };
            let score = LIKED * weight.ln() - cost;
            let better = match &best {
                None => true,
                Some((most, first)) => score > *most || score == *most && form < first.as_str(),
            };
            if better {
                best = Some((score, form.to_string()));
            }
        };
        for (prefix, stem, suffix) in divisions(word) {
            let costs = (self.prefixes.cost(prefix), self.suffixes.cost(suffix));
            let (Some(before), Some(after)) = costs else {
                continue;
            };
            let cost = before + after;
            if cost < FARTHEST {
                consider(stem, cost);
            }
            if prefix.is_empty() || suffix.is_empty() {
                for (prefix, cost) in self.prefixes.beside(cost) {
                    consider(&format!("{prefix}{stem}"), cost);
                }
                for (suffix, cost) in self.suffixes.beside(cost) {
                    consider(&format!("{stem}{suffix}"), cost);
                }
            }
        }
        best.map(|(_, form)| form)
    }
}

/// All ways to see a word as prefix, stem and suffix.
fn divisions(word: &str) -> Vec<(&str, &str, &str)> {
    let mut places: Vec<usize> = word.char_indices().map(|(place, _)| place).collect();
    let letters = places.len();
    places.push(word.len());
    let mut found = Vec::new();
    for before in 0..=LONGEST {
        for after in 0..=LONGEST {
            if before + STEM + after <= letters {
                let (start, end) = (places[before], places[letters - after]);
                found.push((&word[..start], &word[start..end], &word[end..]));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every known word, divided in every way, beside the unknown one, divided in every way.
    fn slow_nearest(relatives: &Relatives, word: &str, known: &[(String, f32)]) -> Option<String> {
        let mut best: Option<(f32, &str)> = None;
        for (form, weight) in known {
            for (prefix, stem, suffix) in divisions(word) {
                for (new_prefix, same, new_suffix) in divisions(form) {
                    let taken = [prefix, suffix].iter().filter(|a| !a.is_empty()).count();
                    let put = [new_prefix, new_suffix]
                        .iter()
                        .filter(|a| !a.is_empty())
                        .count();
                    if stem != same || put > 1 || taken + put > 2 {
                        continue;
                    }
                    let costs = [
                        relatives.prefixes.cost(prefix),
                        relatives.suffixes.cost(suffix),
                        relatives.prefixes.cost(new_prefix),
                        relatives.suffixes.cost(new_suffix),
                    ];
                    let Some(costs) = costs.into_iter().collect::<Option<Vec<f32>>>() else {
                        continue;
                    };
                    let cost = costs[0] + costs[1] + (costs[2] + costs[3]);
                    let score = LIKED * weight.ln() - cost;
                    let better = best.is_none_or(|(most, first)| {
                        score > most || score == most && form.as_str() < first
                    });
                    if cost < FARTHEST && better {
                        best = Some((score, form));
                    }
                }
            }
        }
        best.map(|(_, form)| form.to_string())
    }

    proptest! {
        #[test]
        fn the_nearest_form_is_that_of_the_slow_search(
            words in proptest::collection::hash_set("[abü]{1,7}", 1..120),
            unknown in "[abü]{1,8}",
        ) {
            let mut words: Vec<String> = words.into_iter().collect();
            words.sort();
            let is_known = |word: &str| words.iter().any(|known| known == word);
            let relatives = Relatives::learn(words.iter().map(String::as_str), is_known);
            let known: Vec<(String, f32)> = words
                .iter()
                .filter(|&word| *word != unknown)
                .map(|word| (word.clone(), 1.0 + (word.len() % 3) as f32))
                .collect();
            let weight = |form: &str| {
                let found = known.iter().find(|(word, _)| word == form);
                found.map(|(_, weight)| *weight)
            };
            prop_assert_eq!(relatives.nearest(&unknown, weight), slow_nearest(&relatives, &unknown, &known));
        }
    }

    #[test]
    fn endings_are_learned_from_the_vocabulary() {
        let stems = ["kalt", "warm", "jung", "klug", "ruhig", "stark"];
        let mut words: Vec<String> = Vec::new();
        for stem in stems {
            words.push(stem.to_string());
            words.push(format!("{stem}e"));
            words.push(format!("{stem}en"));
        }
        words.push("alberne".into());
        let is_known = |word: &str| words.iter().any(|known| known == word);
        let relatives = Relatives::learn(words.iter().map(String::as_str), is_known);
        let weight = |form: &str| is_known(form).then_some(1.0);
        assert_eq!(
            relatives.nearest("albernen", weight).as_deref(),
            Some("alberne")
        );
        assert_eq!(relatives.nearest("obama", weight), None);
        assert_eq!(relatives.nearest("alberne2", weight), None);
        assert_eq!(relatives.nearest("", weight), None);
        let endless = "kalt".repeat(100_000);
        assert_eq!(relatives.nearest(&endless, weight), None);
    }
}
