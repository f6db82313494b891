//! Which systems are compared: what they know of how phrases move.

use crate::{Error, Result};
use chiasm_reorder::Recipe;
use chiasm_train::Tuner;
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

/// Which models are compared, and how often.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    /// Learners, by their names on the command line.
    pub learners: Vec<String>,
    /// Numbers of their feature sets.
    pub sets: Vec<u32>,
    /// Orientations of lexicalised tables; the hierarchical one is always there, for others are compared with it.
    pub tables: Vec<String>,
    /// Which jumps the models know of.
    pub direction: Direction,
    /// A table with a learned model beside it, and with operation sequences beside both?
    pub combined: bool,
    /// Every system with sparse features, too? What they look at, the settings say.
    pub sparse: bool,
    /// Those of the phrase alone, without word classes, as in the papers?
    pub phrase_alone: bool,
    /// Nothing without sparse features but what stands so in the paper on support vector machines?
    pub as_printed: bool,
    /// Their frequent words, if not those of the settings.
    pub sparse_words: Option<usize>,
    /// Tuners.
    pub tuners: Vec<Tuner>,
    /// How often each system is tuned, with other seeds.
    pub seeds: u64,
}

/// The orientations of tables.
const ORIENTATIONS: [&str; 3] = ["word", "phrase", "hier"];

impl Design {
    /// What is compared if nothing else is asked for.
    pub fn usual() -> Self {
        Design {
            learners: LEARNERS.map(|known| known.0.to_string()).to_vec(),
            sets: vec![6, 7, 9, 15],
            tables: ORIENTATIONS.map(String::from).to_vec(),
            direction: Direction::Both,
            combined: true,
            sparse: true,
            phrase_alone: false,
            as_printed: false,
            sparse_words: None,
            tuners: vec![Tuner::Mert, Tuner::Pro],
            seeds: 3,
        }
    }

    /// The papers' own: models of jumps from the phrase before, S6 and S7, sparse features of the phrase alone with the
    /// 200 most frequent words, and five seeds of each tuner.
    pub fn papers() -> Self {
        Design {
            sets: vec![6, 7],
            tables: vec!["hier".into()],
            direction: Direction::Backward,
            combined: false,
            phrase_alone: true,
            sparse_words: Some(200),
            tuners: vec![Tuner::Mert, Tuner::Pro, Tuner::Mira],
            seeds: 5,
            ..Self::usual()
        }
    }

    /// The designs that have names: all that the papers compare, or the table of one of them.
    pub const NAMES: [&str; 4] = ["papers", "nb", "mlr", "svm"];

    /// The design of that name.
    pub fn named(name: &str) -> Option<Self> {
        let of_paper = |learners: [&str; 2], sets: &[u32], tuner| Design {
            learners: learners.map(String::from).to_vec(),
            sets: sets.to_vec(),
            sparse: tuner == Tuner::Pro,
            as_printed: true,
            tuners: vec![tuner],
            ..Self::papers()
        };
        match name {
            "papers" => Some(Self::papers()),
            "nb" => Some(of_paper(["nb-map", "nb-bayes"], &[7], Tuner::Mert)),
            "mlr" => Some(of_paper(["lbfgs", "dual"], &[7], Tuner::Mert)),
            "svm" => Some(of_paper(["svm", "lbfgs"], &[6, 7], Tuner::Pro)),
            _ => None,
        }
    }

    /// All kinds: none, lexicalised tables, every learner with every set, each without and with sparse features.
    pub fn kinds(&self) -> Result<Vec<Kind>> {
        let mut plain = vec![self.kind("none", Family::None, "none", None)?];
        for orientation in &self.orientations()? {
            let table = format!("{orientation}-msd-{}-fe", self.table_direction());
            let name = format!("lexicalised, {orientation}");
            plain.push(self.kind(&name, Family::Lexicalised, &table, None)?);
        }
        for learner in &self.learners {
            for &set in &self.sets {
                plain.push(self.learned(learner, set)?);
            }
        }
        plain.extend(self.combinations(plain.last())?);
        let mut all = Vec::new();
        for kind in plain {
            let sparse = Kind {
                name: format!("{} + sparse", kind.name),
                sparse: true,
                ..kind.clone()
            };
            let is_printed = |kind: &Kind| {
                !self.sparse || !self.as_printed || {
                    let family = kind.family;
                    family == Family::Lexicalised || kind.sparse != (family == Family::None)
                }
            };
            let both = std::iter::once(kind).chain(self.sparse.then_some(sparse));
            all.extend(both.filter(is_printed));
        }
        Ok(all)
    }

    /// The tables asked for, the one that all are compared with among them.
    fn orientations(&self) -> Result<Vec<String>> {
        let unknown = |name: &&String| !ORIENTATIONS.contains(&name.as_str());
        if let Some(name) = self.tables.iter().find(unknown) {
            let known = ORIENTATIONS.join(", ");
            let reason = format!("--tables: '{name}' is none of {known}");
            return Err(Error::Request(reason));
        }
        let wanted = ORIENTATIONS
            .iter()
            .filter(|&&name| name == "hier" || self.tables.iter().any(|table| table == name));
        Ok(wanted.map(ToString::to_string).collect())
    }

    fn table_direction(&self) -> &'static str {
        match self.direction {
            Direction::Both => "bidirectional",
            Direction::Backward => "backward",
        }
    }

    fn kind(
        &self,
        name: &str,
        family: Family,
        table: &str,
        model: Option<(Recipe, u32)>,
    ) -> Result<Kind> {
        let (model, set) = model.unzip();
        Ok(Kind {
            name: name.to_string(),
            family,
            set,
            table: table.parse().map_err(Error::Request)?,
            model,
            operations: 0,
            sparse: false,
        })
    }

    fn learned(&self, learner: &str, set: u32) -> Result<Kind> {
        let Some(&(option, name, family)) = LEARNERS.iter().find(|known| known.0 == learner) else {
            let known: Vec<&str> = LEARNERS.iter().map(|known| known.0).collect();
            let reason = format!("--learners: '{learner}' is none of {}", known.join(", "));
            return Err(Error::Request(reason));
        };
        let direction = match self.direction {
            Direction::Both => "both",
            Direction::Backward => "backward",
        };
        let options = format!("--learner {option} --features S{set} --direction {direction}");
        let model = Some((options.parse()?, set));
        self.kind(&format!("{name}, S{set}"), family, "none", model)
    }

    /// What `train` does by default has a table and a learned model; operation sequences may join them.
    fn combinations(&self, last: Option<&Kind>) -> Result<Vec<Kind>> {
        let Some(learned) = last.filter(|last| self.combined && last.family == Family::Svm) else {
            return Ok(Vec::new());
        };
        let table = format!("hier-msd-{}-fe", self.table_direction());
        let both = Kind {
            name: format!("{BASELINE} + {}", learned.name),
            table: table.parse().map_err(Error::Request)?,
            ..learned.clone()
        };
        let operations = Kind {
            name: format!("{} + operations", both.name),
            operations: OPERATIONS,
            ..both.clone()
        };
        Ok(vec![both, operations])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_once() {
        let all = Design::usual().kinds().unwrap();
        assert_eq!(all.len(), 2 * (4 + 5 * 4 + 2));
        assert_eq!(all.iter().filter(|kind| kind.name == BASELINE).count(), 1);
        let mut names: Vec<&str> = all.iter().map(|kind| kind.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all.len());
        let wrong = |design: Design| design.kinds().unwrap_err().to_string();
        let learners = vec!["tree".to_string()];
        let usual = Design::usual;
        assert!(
            wrong(Design {
                learners,
                ..usual()
            })
            .contains("'tree'")
        );
        let tables = vec!["flat".to_string()];
        assert!(wrong(Design { tables, ..usual() }).contains("'flat'"));
    }

    #[test]
    fn each_papers_own_rows() {
        let rows = |name| {
            let all = Design::named(name).unwrap().kinds().unwrap();
            all.into_iter().map(|kind| kind.name).collect::<Vec<_>>()
        };
        assert_eq!(rows("nb"), ["none", BASELINE, "NB-MAP, S7", "NB-Bayes, S7"]);
        assert_eq!(
            rows("mlr"),
            ["none", BASELINE, "MaxEnt primal, S7", "MaxEnt dual, S7"]
        );
        assert_eq!(
            rows("svm"),
            [
                "none",
                BASELINE,
                "lexicalised, hier + sparse",
                "SVM, S6 + sparse",
                "SVM, S7 + sparse",
                "MaxEnt primal, S6 + sparse",
                "MaxEnt primal, S7 + sparse",
            ]
        );
        assert!(Design::named("nobody").is_none());
    }

    #[test]
    fn the_papers_models_know_the_phrase_before() {
        let all = Design::papers().kinds().unwrap();
        // None, the table, five learners with two sets; each without and with sparse features.
        assert_eq!(all.len(), 2 * (2 + 5 * 2));
        let mut settings = Settings::default();
        for kind in &all {
            kind.apply(&mut settings);
            let table = settings.reordering.table.to_string();
            assert!(table == "none" || table == "hier-msd-backward-fe");
            let models = &settings.reordering.models;
            assert!(
                models
                    .iter()
                    .all(|model| !model.to_string().contains("both"))
            );
        }
    }
}
