//! What the papers' tables ask of the results: the same rows, chosen and ordered as there.

use super::contenders::{BASELINE, Family, Kind, LEARNERS};
use super::{Tuned, papers};
use chiasm_page::{Figure, Item, Plot, Series, Table};
use chiasm_train::experiment::{COLUMNS, TestSet, cells};

/// A view: title, what to know, and which rows.
type View = (&'static str, &'static str, fn(&Kind) -> bool);

const VIEWS: [View; 1] = [(
    "Sparse features alone against learned models alone",
    "Cherry (2013) found sparse features stronger than models trained apart.",
    |kind| {
        kind.sparse && matches!(kind.family, Family::None | Family::Lexicalised)
            || !kind.sparse && is_one_of(kind, &[Family::NaiveBayes, Family::MaxEnt, Family::Svm])
    },
)];

fn is_one_of(kind: &Kind, families: &[Family]) -> bool {
    kind.family == Family::Lexicalised && kind.name.starts_with(BASELINE)
        || families.contains(&kind.family)
}

/// Everything of the page.
pub fn items(all: &[Tuned], test: &TestSet, command: &str) -> Vec<Item> {
    let mut items = Vec::new();
    for tuned in all {
        items.push(Item::Heading(format!(
            "Tuned by {}",
            tuned.tuner.to_string().to_uppercase()
        )));
        items.push(table(tuned, test, "All systems", "", command, |_| true));
        items.extend(papers::items(tuned, test, command));
        for (title, note, wanted) in VIEWS {
            if tuned
                .kinds
                .iter()
                .any(|kind| wanted(kind) && kind.name != BASELINE)
            {
                items.push(table(tuned, test, title, note, command, wanted));
            }
        }
        let sparse = tuned.kinds.iter().any(|kind| kind.sparse);
        for sparse in [false, true].into_iter().filter(|&with| !with || sparse) {
            items.extend(figure(tuned, sparse, command));
        }
    }
    items
}

fn table(
    tuned: &Tuned,
    test: &TestSet,
    title: &str,
    note: &str,
    command: &str,
    wanted: fn(&Kind) -> bool,
) -> Item {
    let rows = tuned.kinds.iter().zip(&tuned.contenders);
    Item::Table(Table {
        title: title.into(),
        note: note.into(),
        columns: COLUMNS.map(String::from).to_vec(),
        rows: rows
            .filter(|(kind, _)| wanted(kind))
            .map(|(_, contender)| cells(contender, test.source.len()).to_vec())
            .collect(),
        commands: vec![command.to_string()],
    })
}

/// BLEU by feature set, a line a learner, the baseline as a level line.
fn figure(tuned: &Tuned, sparse: bool, command: &str) -> Option<Item> {
    let rows = || tuned.kinds.iter().zip(&tuned.contenders);
    let sets: Vec<u32> = tuned.kinds.iter().filter_map(|kind| kind.set).collect();
    let (&first, &last) = (sets.iter().min()?, sets.iter().max()?);
    if first == last {
        return None;
    }
    let mut series = Vec::new();
    for (_, name, _) in LEARNERS {
        let points: Vec<(f64, f64)> = rows()
            .filter(|(kind, _)| kind.sparse == sparse && kind.name.starts_with(&format!("{name},")))
            .filter_map(|(kind, contender)| Some((f64::from(kind.set?), contender.scores.bleu)))
            .collect();
        if !points.is_empty() {
            series.push(Series {
                name: name.into(),
                points,
            });
        }
    }
    let baseline = rows()
        .find(|(kind, _)| kind.name == BASELINE)?
        .1
        .scores
        .bleu;
    series.push(Series {
        name: "lexicalised".into(),
        points: vec![(f64::from(first), baseline), (f64::from(last), baseline)],
    });
    let with = if sparse { ", with sparse features" } else { "" };
    Some(Item::Figure(Figure {
        title: format!("BLEU by feature set{with}"),
        note: "The level line is the lexicalised table without sparse features.".into(),
        plot: Plot {
            x_label: "feature set".into(),
            y_label: "BLEU".into(),
            logarithmic: false,
            series,
        },
        commands: vec![command.to_string()],
    }))
}

/// All systems of all tuners as comma-separated values.
pub fn csv(all: &[Tuned], test: &TestSet) -> String {
    let quote = |cell: &str| format!("\"{}\"", cell.replace('"', "\"\""));
    let line = |cells: Vec<String>| {
        let cells: Vec<String> = cells.iter().map(|cell| quote(cell)).collect();
        cells.join(",") + "\n"
    };
    let mut header = vec!["tuner".to_string()];
    header.extend(COLUMNS.map(String::from));
    let mut text = line(header);
    for tuned in all {
        for contender in &tuned.contenders {
            let mut row = vec![tuned.tuner.to_string()];
            row.extend(cells(contender, test.source.len()));
            text += &line(row);
        }
    }
    text
}
