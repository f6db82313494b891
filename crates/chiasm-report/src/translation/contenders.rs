//! Which systems are compared: what they know of how phrases move.

use crate::{Error, Result};
use chiasm_reorder::Recipe;
use chiasm_train::settings::{Settings, Table};
use std::str::FromStr;

/// The table that all others are compared with.
pub const BASELINE: &str = "lexicalised, hier";

/// The longest n-grams of operation sequences.
const OPERATIONS: usize = 5;

/// How a system knows that phrases move.
#[derive(Clone, Debug, PartialEq)]
pub struct Kind {
    /// Its name in tables.
    pub name: String,
    /// The family, for the views of the papers.
    pub family: Family,
    /// The number of its feature set, if it is learned.
    pub set: Option<u32>,
    /// The lexicalised table, or none.
    table: Table,
    /// The learned model.
    model: Option<Recipe>,
    /// The longest n-grams of a model of operation sequences; 0 is none.
    operations: usize,
    /// Sparse features beside it?
    pub sparse: bool,
}

/// Models that belong together in a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Nothing but the length of jumps.
    None,
    /// A table of counts.
    Lexicalised,
    /// A naive Bayes classifier.
    NaiveBayes,
    /// A maximum entropy classifier.
    MaxEnt,
    /// A support vector machine.
    Svm,
}

/// The learners by their names on the command line.
pub const LEARNERS: [(&str, &str, Family); 5] = [
    ("nb-map", "NB-MAP", Family::NaiveBayes),
    ("nb-bayes", "NB-Bayes", Family::NaiveBayes),
    ("lbfgs", "MaxEnt primal", Family::MaxEnt),
    ("dual", "MaxEnt dual", Family::MaxEnt),
    ("svm", "SVM", Family::Svm),
];

impl Kind {
    /// Sets what makes the difference.
    pub fn apply(&self, settings: &mut Settings) {
        settings.reordering.table = self.table;
        settings.reordering.models = self.model.iter().cloned().collect();
        settings.reordering.operations = self.operations;
        settings.reordering.sparse = self.sparse;
    }
}

/// Which jumps the models know of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the phrase before and to the one after.
    Both,
    /// From the phrase before: the papers' `hier-msd-backward-fe`.
    Backward,
}

impl FromStr for Direction {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text {
            "both" => Ok(Direction::Both),
            "backward" => Ok(Direction::Backward),
            other => Err(format!("'{other}' is none of both, backward")),
        }
    }
}

/// All kinds: none, lexicalised tables, every learner with every set, each without and with
/// sparse features.
pub fn kinds(
    learners: &[String],
    sets: &[u32],
    direction: Direction,
    sparse: bool,
) -> Result<Vec<Kind>> {
    let (tables, models) = match direction {
        Direction::Both => ("bidirectional", "both"),
        Direction::Backward => ("backward", "backward"),
    };
    let table = |name: &str| name.parse::<Table>().map_err(Error::Request);
    let kind = |name: String, family, table: Table, model: Option<Recipe>, set| Kind {
        name,
        family,
        set,
        table,
        model,
        operations: 0,
        sparse: false,
    };
    let mut plain = vec![kind("none".into(), Family::None, Table(None), None, None)];
    for orientation in ["word", "phrase", "hier"] {
        let table = table(&format!("{orientation}-msd-{tables}-fe"))?;
        let name = format!("lexicalised, {orientation}");
        plain.push(kind(name, Family::Lexicalised, table, None, None));
    }
    for learner in learners {
        let Some(&(option, name, family)) = LEARNERS.iter().find(|known| known.0 == learner) else {
            let known: Vec<&str> = LEARNERS.iter().map(|known| known.0).collect();
            let reason = format!("--learners: '{learner}' is none of {}", known.join(", "));
            return Err(Error::Request(reason));
        };
        for &set in sets {
            let options = format!("--learner {option} --features S{set} --direction {models}");
            let name = format!("{name}, S{set}");
            plain.push(kind(
                name,
                family,
                Table(None),
                Some(options.parse()?),
                Some(set),
            ));
        }
    }
    // What `train` does by default has both.
    if let Some(learned) = plain
        .last()
        .filter(|last| last.family == Family::Svm)
        .cloned()
    {
        let both = Kind {
            name: format!("lexicalised, hier + {}", learned.name),
            table: table(&format!("hier-msd-{tables}-fe"))?,
            ..learned
        };
        plain.push(both.clone());
        plain.push(Kind {
            name: format!("{} + operations", both.name),
            operations: OPERATIONS,
            ..both
        });
    }
    let mut all = Vec::new();
    for kind in plain {
        all.push(kind.clone());
        if sparse {
            all.push(Kind {
                name: format!("{} + sparse", kind.name),
                sparse: true,
                ..kind
            });
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_once() {
        let learners = LEARNERS.map(|known| known.0.to_string());
        let all = kinds(&learners, &[6, 7, 9, 15], Direction::Both, true).unwrap();
        assert_eq!(all.len(), 2 * (4 + 5 * 4 + 2));
        assert_eq!(all.iter().filter(|kind| kind.name == BASELINE).count(), 1);
        let mut names: Vec<&str> = all.iter().map(|kind| kind.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all.len());
        let unknown = kinds(&["tree".into()], &[7], Direction::Both, false).unwrap_err();
        assert!(unknown.to_string().contains("'tree'"));
    }

    #[test]
    fn backward_models_are_the_papers() {
        let all = kinds(&["svm".into()], &[7], Direction::Backward, false).unwrap();
        let mut settings = Settings::default();
        for kind in &all {
            kind.apply(&mut settings);
            let table = settings.reordering.table.to_string();
            assert!(table == "none" || table.ends_with("-msd-backward-fe"));
            let models = &settings.reordering.models;
            assert!(
                models
                    .iter()
                    .all(|model| !model.to_string().contains("both"))
            );
        }
    }
}
