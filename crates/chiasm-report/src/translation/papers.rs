//! The papers' own tables of translation: their rows, their figures beside ours.

use super::Tuned;
use super::contenders::BASELINE;
use super::scores::Scores;
use chiasm_page::{Item, Table};

/// A row: the paper's name, ours, and the paper's figures.
type Row = (&'static str, &'static str, &'static [&'static str]);

/// What is shown of a system.
#[derive(Clone, Copy)]
enum Shown {
    Bleu,
    NistAndBleu,
    SizeAndTime,
    Size,
}

/// A table as printed.
struct Printed {
    title: &'static str,
    note: &'static str,
    columns: &'static [&'static str],
    shown: Shown,
    rows: &'static [Row],
}

const NONE: &str = "none";

const PRINTED: [Printed; 5] = [
    Printed {
        title: "NB Table 5: size in MB and seconds a sentence",
        note: "Ours: what the whole system is larger than the one without a model, and processor seconds of translation.",
        columns: &["paper MB", "paper s"],
        shown: Shown::SizeAndTime,
        rows: &[
            ("lexicalised", BASELINE, &["604", "2.2"]),
            ("Bayesian", "NB-Bayes, S7", &["18", "2.6"]),
        ],
    },
    Printed {
        title: "NB Table 6: BLEU",
        note: "The paper: Arabic-English, MERT, four references; * significant against lexicalised.",
        columns: &["paper MT06", "paper MT08"],
        shown: Shown::Bleu,
        rows: &[
            ("none", NONE, &["28.92", "32.13"]),
            ("lexicalised", BASELINE, &["30.86", "34.22"]),
            ("MAP", "NB-MAP, S7", &["31.21 *", "34.72 *"]),
            ("Bayesian", "NB-Bayes, S7", &["31.20", "34.69"]),
        ],
    },
    Printed {
        title: "MLR Table 3: BLEU",
        note: "The paper: Arabic-English, MERT, four references. Our primal is L-BFGS.",
        columns: &["paper MT06", "paper MT08"],
        shown: Shown::Bleu,
        rows: &[
            ("lexicalised", BASELINE, &["30.86", "34.22"]),
            ("primal", "MaxEnt primal, S7", &["31.37", "34.85"]),
            ("dual", "MaxEnt dual, S7", &["31.36", "34.87"]),
        ],
    },
    Printed {
        title: "SVM Table 7: size on disk",
        note: "Ours: what the whole system is larger than the one without a model; parameters stand in the report on classification.",
        columns: &["paper millions", "paper GB"],
        shown: Shown::Size,
        rows: &[
            ("lexicalised", BASELINE, &["73.2", "5.9"]),
            ("SVM S6", "SVM, S6", &["17.1", "0.7"]),
            ("SVM S7", "SVM, S7", &["2.4", "0.1"]),
        ],
    },
    Printed {
        title: "SVM Table 8: NIST and BLEU",
        note: "The paper: Arabic-English, PRO, four references; its sparse features are those of the phrase with the 200 most \
               frequent words. Claim: SVM and sparse features gain 1.0 and 1.5 BLEU over lexicalised.",
        columns: &[
            "paper MT06 NIST",
            "paper MT06 BLEU",
            "paper MT08 NIST",
            "paper MT08 BLEU",
        ],
        shown: Shown::NistAndBleu,
        rows: &[
            ("none", NONE, &["9.1", "35.5", "9.9", "41.2"]),
            (
                "lexicalised (baseline)",
                BASELINE,
                &["9.4", "37.1", "10.1", "42.9"],
            ),
            (
                "lexicalised + sparse",
                "lexicalised, hier + sparse",
                &["9.5", "37.6", "10.2", "43.8"],
            ),
            (
                "SVM S6 + sparse",
                "SVM, S6 + sparse",
                &["9.6", "38.1", "10.4", "44.4"],
            ),
            (
                "SVM S7 + sparse",
                "SVM, S7 + sparse",
                &["9.6", "38.0", "10.4", "44.3"],
            ),
            (
                "MaxEnt S6 + sparse",
                "MaxEnt primal, S6 + sparse",
                &["9.6", "38.1", "10.4", "44.4"],
            ),
            (
                "MaxEnt S7 + sparse",
                "MaxEnt primal, S7 + sparse",
                &["9.6", "38.1", "10.4", "44.4"],
            ),
        ],
    },
];

/// The papers' tables of which at least a row beside the baseline was measured.
pub fn items(tuned: &Tuned, test: usize, command: &str) -> Vec<Item> {
    let tables = PRINTED
        .iter()
        .filter_map(|printed| printed.table(tuned, test, command));
    tables.map(Item::Table).collect()
}

impl Printed {
    fn table(&self, tuned: &Tuned, test: usize, command: &str) -> Option<Table> {
        let none = find(tuned, test, NONE).map_or(0.0, |scores| scores.megabytes);
        let mut rows = Vec::new();
        let mut measured = 0;
        for (name, ours, paper) in self.rows {
            let mut row = vec![name.to_string()];
            row.extend(paper.iter().map(ToString::to_string));
            let found = find(tuned, test, ours);
            measured += usize::from(found.is_some() && ![NONE, BASELINE].contains(ours));
            row.extend(self.shown.cells(found, none));
            rows.push(row);
        }
        let columns = std::iter::once("model").chain(self.columns.iter().copied());
        let columns = columns.chain(self.shown.columns().iter().copied());
        (measured > 0).then(|| Table {
            title: self.title.into(),
            note: self.note.into(),
            columns: columns.map(String::from).collect(),
            rows,
            commands: vec![command.to_string()],
        })
    }
}

fn find<'a>(tuned: &'a Tuned, test: usize, name: &str) -> Option<&'a Scores> {
    let mut rows = tuned.rows(test);
    rows.find(|(kind, _)| kind.name == name).map(|row| row.1)
}

impl Shown {
    fn columns(self) -> &'static [&'static str] {
        match self {
            Shown::Bleu => &["BLEU", "sd", "difference", "p", "Holm"],
            Shown::NistAndBleu => &["NIST", "BLEU", "sd", "difference", "p", "Holm"],
            Shown::SizeAndTime => &["MB", "s"],
            Shown::Size => &["GB"],
        }
    }

    /// What was measured; a line where it was not.
    fn cells(self, found: Option<&Scores>, none: f64) -> Vec<String> {
        let Some(scores) = found else {
            return vec!["-".into(); self.columns().len()];
        };
        let larger = (scores.megabytes - none).max(0.0);
        let [_, bleu, deviation, difference, p, corrected, nist, ..] = scores.cells("");
        let bleu = vec![bleu, deviation, difference, p, corrected];
        match self {
            Shown::Bleu => bleu,
            Shown::NistAndBleu => [vec![nist], bleu].concat(),
            Shown::SizeAndTime => {
                let seconds = scores.milliseconds / 1000.0;
                vec![format!("{larger:.1}"), format!("{seconds:.4}")]
            }
            Shown::Size => vec![format!("{:.4}", larger / 1000.0)],
        }
    }
}
