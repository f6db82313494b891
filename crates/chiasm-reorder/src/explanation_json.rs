//! Explanations as JSON, the same from the command line and from the server.

use crate::explain::{Explanation, Reason};
use chiasm_phrases::{ClassSet, Direction, Jump};
use serde::{Serialize, Serializer};

/// An explanation with its numbers by the names of the classes.
#[derive(Clone, Debug, Serialize)]
pub struct DescribedExplanation<'a> {
    direction: Direction,
    /// Left out where nobody asked for it; null where the truth is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    truth: Option<Option<&'static str>>,
    probabilities: ByClass<'a>,
    without_features: ByClass<'a>,
    features: Vec<DescribedReason<'a>>,
}

#[derive(Clone, Debug, Serialize)]
struct DescribedReason<'a> {
    feature: &'a str,
    count: u32,
    known: bool,
    contributions: Option<ByClass<'a>>,
}

/// Values with the names of their classes.
#[derive(Clone, Copy, Debug)]
struct ByClass<'a> {
    classes: ClassSet,
    values: &'a [f64],
}

impl Serialize for ByClass<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.classes.names().iter().zip(self.values))
    }
}

impl Explanation {
    /// The explanation as JSON, with the features that decide most, at most so many.
    pub fn described(&self, classes: ClassSet, most: usize) -> DescribedExplanation<'_> {
        let by_class = |values| ByClass { classes, values };
        let reasons = self.reasons.iter().take(most);
        DescribedExplanation {
            direction: self.direction,
            truth: None,
            probabilities: by_class(&self.probabilities),
            without_features: by_class(&self.without_features),
            features: reasons.map(|reason| reason.described(classes)).collect(),
        }
    }
}

impl Reason {
    fn described(&self, classes: ClassSet) -> DescribedReason<'_> {
        let contributions = self.contributions.as_deref();
        DescribedReason {
            feature: &self.feature,
            count: self.count,
            known: contributions.is_some(),
            contributions: contributions.map(|values| ByClass { classes, values }),
        }
    }
}

impl DescribedExplanation<'_> {
    /// The same with the orientation that the links say, if they say one.
    #[must_use]
    pub fn with_truth(mut self, truth: Option<Jump>) -> Self {
        let classes = self.probabilities.classes;
        self.truth = Some(truth.and_then(|truth| classes.name_of(truth)));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chiasm_phrases::Orientation;
    use serde_json::json;

    #[test]
    fn keys_are_those_that_scripts_rely_on() {
        let explanation = Explanation {
            direction: Direction::Forward,
            probabilities: vec![0.75, 0.25],
            without_features: vec![0.0, 0.5],
            reasons: vec![
                Reason {
                    feature: "a&b".into(),
                    count: 1,
                    contributions: Some(vec![1.0, -1.0]),
                },
                Reason {
                    feature: "c".into(),
                    count: 2,
                    contributions: None,
                },
                Reason {
                    feature: "d".into(),
                    count: 1,
                    contributions: None,
                },
            ],
        };
        let described = explanation.described(ClassSet::Monotonicity, 2);
        let mut expected = json!({
            "direction": "forward",
            "probabilities": { "monotone": 0.75, "other": 0.25 },
            "without_features": { "monotone": 0.0, "other": 0.5 },
            "features": [
                {
                    "feature": "a&b",
                    "count": 1,
                    "known": true,
                    "contributions": { "monotone": 1.0, "other": -1.0 },
                },
                { "feature": "c", "count": 2, "known": false, "contributions": null },
            ],
        });
        assert_eq!(json!(described), expected);
        expected["truth"] = json!("other");
        let told = described.clone().with_truth(Some(Orientation::Swap.into()));
        assert_eq!(json!(told), expected);
        expected["truth"] = json!(null);
        assert_eq!(json!(described.with_truth(None)), expected);
    }
}
