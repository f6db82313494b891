//! Links beside hand-made ones, the worst sentences first: for machines, for people, as a page.

use crate::aer::{Agreement, ComparedPair, compare, read_words};
use crate::{Result, matrix};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::path::Path;

/// All sentence pairs, the worst first.
pub struct Comparison {
    total: Agreement,
    pairs: Vec<ComparedPair>,
    /// Source and target words by line, if they are known.
    words: Option<Vec<(Vec<String>, Vec<String>)>>,
}

impl Comparison {
    /// Compares links with the hand-made ones.
    pub fn read(gold: impl AsRef<Path>, links: impl AsRef<Path>) -> Result<Self> {
        let mut pairs = compare(gold, links)?;
        let mut total = Agreement::default();
        pairs.iter().for_each(|pair| total.add(&pair.agreement));
        pairs.sort_by_key(|pair| (Reverse(pair.agreement.mistakes()), pair.line));
        Ok(Comparison {
            total,
            pairs,
            words: None,
        })
    }

    /// Reads the text, so that sentences can be shown.
    pub fn read_words(&mut self, source: impl AsRef<Path>, target: impl AsRef<Path>) -> Result<()> {
        self.words = Some(read_words(source, target, self.pairs.len())?);
        Ok(())
    }

    fn worst(&self, count: usize) -> &[ComparedPair] {
        &self.pairs[..count.min(self.pairs.len())]
    }

    fn words_of(&self, pair: &ComparedPair) -> Option<(&[String], &[String])> {
        let (source, target) = self.words.as_ref()?.get(pair.line as usize - 1)?;
        Some((source, target))
    }

    /// For machines, with so many of the worst sentences.
    pub fn json(&self, worst: usize) -> Value {
        let total = &self.total;
        let sentence = |pair: &ComparedPair| {
            json!({
                "line": pair.line,
                "aer": pair.agreement.error_rate(),
                "mistakes": pair.agreement.mistakes(),
            })
        };
        json!({
            "aer": total.error_rate(),
            "precision": total.precision(),
            "recall": total.recall(),
            "f_measure": total.f_measure(),
            "links": total.links,
            "sure": total.sure,
            "pairs": self.pairs.len(),
            "worst": self.worst(worst).iter().map(sentence).collect::<Vec<_>>(),
        })
    }

    /// For people, with so many of the worst sentences, as matrices if the text is known.
    pub fn text(&self, worst: usize) -> String {
        let total = &self.total;
        let mut text = format!(
            "AER {:.4}  precision {:.4}  recall {:.4}  F-measure {:.4}  links {}\n",
            total.error_rate(),
            total.precision(),
            total.recall(),
            total.f_measure(),
            total.links
        );
        let worst = self.worst(worst);
        if self.words.is_some() && !worst.is_empty() {
            text += &format!("{}\n", matrix::LEGEND);
        }
        for pair in worst {
            let agreement = &pair.agreement;
            text += &format!(
                "line {}: AER {:.4}, {} mistakes\n",
                pair.line,
                agreement.error_rate(),
                agreement.mistakes()
            );
            if let Some((source, target)) = self.words_of(pair) {
                text += &format!("{}\n", matrix::text(pair, source, target));
            }
        }
        text
    }

    /// A page with the matrices of so many of the worst sentences.
    pub fn html(&self, worst: usize) -> String {
        let shown = self.worst(worst).iter().filter_map(|pair| {
            let (source, target) = self.words_of(pair)?;
            Some((pair, source, target))
        });
        matrix::html(&self.total, &shown.collect::<Vec<_>>())
    }
}
