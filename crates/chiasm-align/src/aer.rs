//! How good links are beside hand-made ones (Och & Ney 2003).
//!
//! Hand-made links are sure (S) or only possible (P, which contains S). For links A:
//! precision = |A∩P|/|A|, recall = |A∩S|/|S|, AER = 1 - (|A∩S| + |A∩P|) / (|A| + |S|).
//! The F-measure is the harmonic mean of precision and recall.

use crate::{Error, Result};
use chiasm_text::{Batch, Link, ParallelLines, links, tokens};
use std::path::Path;

/// The hand-made links of one sentence pair, each sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoldLinks {
    /// Links that must be there.
    pub sure: Vec<Link>,
    /// Links that may be there, the sure ones among them.
    pub possible: Vec<Link>,
}

impl GoldLinks {
    /// Reads `0-0 1p2`: `-` sure, `p` possible.
    pub fn parse(line: &str) -> std::result::Result<Self, String> {
        let (mut sure, mut possible) = (String::new(), String::new());
        for token in tokens(line) {
            let (into, hyphenated) = match token.split_once('p') {
                Some((source, target)) => (&mut possible, format!("{source}-{target} ")),
                None => (&mut sure, format!("{token} ")),
            };
            links::parse(&hyphenated, usize::MAX, usize::MAX, &mut Vec::new()).map_err(|_| {
                format!(
                    "'{token}' is neither a sure link such as 3-4 nor a possible one such as 3p4"
                )
            })?;
            into.push_str(&hyphenated);
        }
        possible.push_str(&sure);
        let mut gold = GoldLinks::default();
        links::parse(&sure, usize::MAX, usize::MAX, &mut gold.sure)?;
        links::parse(&possible, usize::MAX, usize::MAX, &mut gold.possible)?;
        Ok(gold)
    }
}

/// The four numbers that everything is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// |A|.
    pub links: u64,
    /// |S|.
    pub sure: u64,
    /// |A∩S|.
    pub links_sure: u64,
    /// |A∩P|.
    pub links_possible: u64,
}

impl Agreement {
    /// Of the links of one sentence pair (sorted).
    pub fn of(gold: &GoldLinks, links: &[Link]) -> Self {
        let among = |set: &[Link]| {
            let found = links.iter().filter(|link| set.binary_search(link).is_ok());
            found.count() as u64
        };
        Agreement {
            links: links.len() as u64,
            sure: gold.sure.len() as u64,
            links_sure: among(&gold.sure),
            links_possible: among(&gold.possible),
        }
    }

    /// Adds another sentence pair's.
    pub fn add(&mut self, other: &Agreement) {
        self.links += other.links;
        self.sure += other.sure;
        self.links_sure += other.links_sure;
        self.links_possible += other.links_possible;
    }

    /// The alignment error rate; 0 if there is nothing to find and nothing was found.
    pub fn error_rate(&self) -> f64 {
        match self.links + self.sure {
            0 => 0.0,
            all => 1.0 - (self.links_sure + self.links_possible) as f64 / all as f64,
        }
    }

    /// |A∩P|/|A|; 1 without links.
    pub fn precision(&self) -> f64 {
        share(self.links_possible, self.links)
    }

    /// |A∩S|/|S|; 1 without sure links.
    pub fn recall(&self) -> f64 {
        share(self.links_sure, self.sure)
    }

    /// The harmonic mean of precision and recall.
    pub fn f_measure(&self) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        2.0 * precision * recall / (precision + recall).max(f64::MIN_POSITIVE)
    }

    /// Wrong and missing links, by which sentences are called worst.
    pub fn mistakes(&self) -> u64 {
        self.links - self.links_possible + self.sure - self.links_sure
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        1.0
    } else {
        part as f64 / whole as f64
    }
}

/// One sentence pair beside its hand-made links.
#[derive(Clone, Debug)]
pub struct ComparedPair {
    /// Counted from 1.
    pub line: u64,
    /// The hand-made links.
    pub gold: GoldLinks,
    /// The links in question.
    pub links: Vec<Link>,
    /// How they agree.
    pub agreement: Agreement,
}

/// Reads both files. `links` may go on after `gold` ends: gold sentences stand at the beginning of
/// the text that was aligned.
pub fn compare(gold: impl AsRef<Path>, links_path: impl AsRef<Path>) -> Result<Vec<ComparedPair>> {
    let (gold, links_path) = (gold.as_ref(), links_path.as_ref());
    let mut gold_lines = chiasm_text::Lines::open(gold)?;
    let mut link_lines = chiasm_text::Lines::open(links_path)?;
    let mut pairs = Vec::new();
    loop {
        let Some(line) = gold_lines.next_line()? else {
            return Ok(pairs);
        };
        let parsed = GoldLinks::parse(line);
        let gold_links = parsed.map_err(|message| gold_lines.error(message))?;
        let Some(line) = link_lines.next_line()? else {
            let message = format!("the file ends here, but {} has more lines", gold.display());
            return Err(Error::Text(link_lines.error(message)));
        };
        let mut found = Vec::new();
        let parsed = links::parse(line, usize::MAX, usize::MAX, &mut found);
        parsed.map_err(|message| link_lines.error(message))?;
        pairs.push(ComparedPair {
            line: gold_lines.number(),
            agreement: Agreement::of(&gold_links, &found),
            gold: gold_links,
            links: found,
        });
    }
}

/// The words of the compared pairs, for showing them.
pub fn read_words(
    source: impl AsRef<Path>,
    target: impl AsRef<Path>,
    pairs: usize,
) -> Result<Vec<(Vec<String>, Vec<String>)>> {
    let mut files = ParallelLines::open(&[source.as_ref(), target.as_ref()])?;
    let (mut batch, mut words) = (Batch::default(), Vec::new());
    while words.len() < pairs && files.next_batch(&mut batch, pairs - words.len())? {
        for row in 0..batch.len() {
            let split = |column| tokens(batch.line(column, row)).map(String::from).collect();
            words.push((split(0), split(1)));
        }
    }
    if words.len() < pairs {
        let message = format!("{pairs} lines expected, as in the gold links");
        let error = chiasm_text::Error::line(files.path(0), files.lines_read(), message);
        return Err(Error::Text(error));
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_rate_of_a_worked_example() {
        let gold = GoldLinks::parse("0-0 1-1 2p2 2p3").unwrap();
        assert_eq!((gold.sure.len(), gold.possible.len()), (2, 4));
        let mut links = Vec::new();
        links::parse("0-0 2-2 3-3", 9, 9, &mut links).unwrap();
        let agreement = Agreement::of(&gold, &links);
        // |A| = 3, |S| = 2, |A∩S| = 1, |A∩P| = 2.
        assert!((agreement.error_rate() - 0.4).abs() < 1e-12);
        assert!((agreement.precision() - 2.0 / 3.0).abs() < 1e-12);
        assert!((agreement.recall() - 0.5).abs() < 1e-12);
        assert!((agreement.f_measure() - 4.0 / 7.0).abs() < 1e-12);
        assert_eq!(agreement.mistakes(), 2);
    }

    #[test]
    fn nothing_is_no_error() {
        let nothing = Agreement::of(&GoldLinks::default(), &[]);
        assert_eq!(nothing.error_rate(), 0.0);
        assert_eq!(nothing.f_measure(), 1.0);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for bad in ["0:0", "p", "1p", "p2", "1-", "1p2p3", "x"] {
            let error = GoldLinks::parse(bad).unwrap_err();
            assert!(error.starts_with(&format!("'{bad}' is neither")), "{error}");
        }
    }
}
