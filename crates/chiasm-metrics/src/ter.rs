//! TER (Snover et al. 2006) as sacreBLEU 2 counts it, which follows Tercom: the fewest insertions,
//! deletions, substitutions and shifts of word groups that a greedy search finds, divided by the
//! mean length of the references. Of several references the closest gives the edits.
//!
//! The text is in lower case and split at white space: Tercom's `normalized`, `no punctuation` and
//! `asian support` modes, which are off by default, are not offered.

mod distance;
mod shift;

use crate::tokenize::tokens;
use crate::{Metric, SACREBLEU_VERSION};
use rustc_hash::FxHashMap;

/// TER with its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ter {
    /// Tell upper from lower case.
    pub case_sensitive: bool,
}

impl Ter {
    fn encode(&self, line: &str, ids: &mut FxHashMap<String, u32>) -> Vec<u32> {
        let lowered = (!self.case_sensitive).then(|| line.to_lowercase());
        let line = lowered.as_deref().unwrap_or(line);
        let mut sentence = Vec::new();
        for word in tokens(line) {
            let next = ids.len() as u32;
            sentence.push(*ids.entry(word.to_string()).or_insert(next));
        }
        sentence
    }
}

impl Metric for Ter {
    fn name(&self) -> String {
        "TER".to_string()
    }

    fn signature(&self, references: usize) -> String {
        let case = if self.case_sensitive { "mixed" } else { "lc" };
        format!(
            "nrefs:{references}|case:{case}|tok:tercom|norm:no|punct:yes|asian:no|version:{SACREBLEU_VERSION}"
        )
    }

    fn width(&self) -> usize {
        2
    }

    fn sentence(&self, hypothesis: &str, references: &[&str], row: &mut [f64]) {
        let mut ids = FxHashMap::default();
        let hypothesis = self.encode(hypothesis, &mut ids);
        let mut fewest = None;
        let mut length = 0;
        for reference in references {
            let reference = self.encode(reference, &mut ids);
            length += reference.len();
            let edits = shift::edits(&hypothesis, &reference);
            fewest = Some(fewest.map_or(edits, |fewest: usize| fewest.min(edits)));
        }
        row[0] = fewest.unwrap_or(hypothesis.len()) as f64;
        row[1] = length as f64 / references.len().max(1) as f64;
    }

    fn score(&self, sum: &[f64]) -> f64 {
        let (edits, length) = (sum[0], sum[1]);
        if length > 0.0 {
            100.0 * (edits / length)
        } else if edits > 0.0 {
            100.0
        } else {
            0.0
        }
    }

    fn higher_is_better(&self) -> bool {
        false
    }
}
