//! How a model did on a corpus, for people and for machines.

use chiasm_learn::Evaluation;
use chiasm_phrases::Direction;
use serde_json::{Value, json};

/// The outcome of one direction.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Which neighbour.
    pub direction: Direction,
    /// Right and wrong answers.
    pub evaluation: Evaluation,
    /// Phrase pairs that the model did not know.
    pub unknown: u64,
    /// The examples of each sentence pair that has any: they are not independent of each other, so intervals are
    /// drawn over sentence pairs.
    pub sentences: Vec<SentenceOutcome>,
}

/// What the model answered for the phrase pairs of one sentence pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SentenceOutcome {
    /// Phrase pairs.
    pub examples: u32,
    /// Right answers.
    pub right: u32,
}

impl Outcome {
    /// Several outcomes as one value: the first one's, with a list of all where there are more.
    pub fn json_of_all(outcomes: &[Outcome]) -> Value {
        let all: Vec<Value> = outcomes.iter().map(Outcome::json).collect();
        let mut first = all.first().cloned().unwrap_or_else(|| json!({}));
        if all.len() > 1 {
            first["directions"] = all.into();
        }
        first
    }

    /// The outcome of each sentence pair, as two lists.
    pub fn sentences_json(&self) -> Value {
        let list =
            |of: fn(&SentenceOutcome) -> u32| self.sentences.iter().map(of).collect::<Vec<_>>();
        json!({
            "examples": list(|sentence| sentence.examples),
            "right": list(|sentence| sentence.right),
        })
    }

    /// The keys that scripts rely on, and more.
    pub fn json(&self) -> Value {
        let mut all = self.evaluation.json(self.unknown);
        all["direction"] = self.direction.to_string().into();
        all
    }

    /// A line and the table of confusions.
    pub fn text(&self) -> String {
        let evaluation = &self.evaluation;
        format!(
            "{}: {} examples, accuracy {:.2} % (majority class {:.2} %), log loss {:.4} nats, {} unknown\n{}",
            self.direction,
            evaluation.examples(),
            100.0 * evaluation.accuracy(),
            100.0 * evaluation.majority_share(),
            evaluation.log_loss(),
            self.unknown,
            table(evaluation)
        )
    }
}

fn table(evaluation: &Evaluation) -> String {
    let names = &evaluation.class_names;
    let columns: String = names.iter().map(|name| format!("{name:>20}")).collect();
    let mut text = format!(
        "{:<22}{columns}{:>11}{:>9}{:>9}\n",
        "truth \\ answer", "precision", "recall", "F1"
    );
    for (class, name) in names.iter().enumerate() {
        let row = evaluation.confusion[class].iter();
        let counts: String = row.map(|count| format!("{count:>20}")).collect();
        let quality = evaluation.class_quality(class);
        text += &format!(
            "{name:<22}{counts}{:>11.4}{:>9.4}{:>9.4}\n",
            quality.precision, quality.recall, quality.f1
        );
    }
    text
}
