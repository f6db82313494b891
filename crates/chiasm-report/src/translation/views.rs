//! What the papers' tables ask of the results: the same rows, chosen and ordered as there.

use super::contenders::{BASELINE, Family, Kind, LEARNERS};
use super::scores::COLUMNS;
use super::test_sets::TestSet;
use super::{Tuned, papers};
use chiasm_page::{Figure, Item, Plot, Series, Table};

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
pub fn items(all: &[Tuned], tests: &[TestSet], command: &str) -> Vec<Item> {
    let mut items = Vec::new();
    for tuned in all {
        for (number, test) in tests.iter().enumerate() {
            let tuner = tuned.tuner.to_string().to_uppercase();
            let of = match tests.len() {
                1 => String::new(),
                _ => format!(", {}", test.name),
            };
            items.push(Item::Heading(format!("Tuned by {tuner}{of}")));
            items.extend(of_set(tuned, number, command));
        }
    }
    items
}

/// What one tuner did on one test set.
fn of_set(tuned: &Tuned, test: usize, command: &str) -> Vec<Item> {
    let mut items = vec![table(tuned, test, "All systems", "", command, |_| true)];
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
        items.extend(figure(tuned, test, sparse, command));
    }
    items
}

/// The names of the columns: those of scores, and the size.
fn columns() -> Vec<String> {
    let columns = COLUMNS.into_iter().chain(["MB"]);
    columns.map(String::from).collect()
}

/// The rows of the systems that are wanted.
fn rows(tuned: &Tuned, test: usize, wanted: fn(&Kind) -> bool) -> Vec<Vec<String>> {
    let rows = tuned.rows(test).filter(|(kind, _)| wanted(kind));
    rows.map(|(kind, scores)| {
        let mut cells = scores.cells(&kind.name).to_vec();
        cells.push(format!("{:.1}", scores.megabytes));
        cells
    })
    .collect()
}

fn table(
    tuned: &Tuned,
    test: usize,
    title: &str,
    note: &str,
    command: &str,
    wanted: fn(&Kind) -> bool,
) -> Item {
    Item::Table(Table {
        title: title.into(),
        note: note.into(),
        columns: columns(),
        rows: rows(tuned, test, wanted),
        commands: vec![command.to_string()],
    })
}

/// All systems of a tuner on a test set, for a terminal.
pub fn text(tuned: &Tuned, test: usize) -> String {
    let mut lines = vec![columns()];
    lines.extend(rows(tuned, test, |_| true));
    let width = |column: usize| {
        let cells = lines.iter().map(|cells| cells[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    let line = |cells: &Vec<String>| {
        let mut line = format!("{:<1$}", cells[0], widths[0]);
        for (cell, width) in cells.iter().zip(&widths).skip(1) {
            line += &format!("  {cell:>width$}");
        }
        line + "\n"
    };
    lines.iter().map(line).collect()
}

/// BLEU by feature set, a line a learner, the baseline as a level line.
fn figure(tuned: &Tuned, test: usize, sparse: bool, command: &str) -> Option<Item> {
    let rows = || tuned.rows(test);
    let sets: Vec<u32> = tuned.kinds.iter().filter_map(|kind| kind.set).collect();
    let (&first, &last) = (sets.iter().min()?, sets.iter().max()?);
    if first == last {
        return None;
    }
    let mut series = Vec::new();
    for (_, name, _) in LEARNERS {
        let points: Vec<(f64, f64)> = rows()
            .filter(|(kind, _)| kind.sparse == sparse && kind.name.starts_with(&format!("{name},")))
            .filter_map(|(kind, scores)| Some((f64::from(kind.set?), scores.bleu)))
            .collect();
        if !points.is_empty() {
            series.push(Series {
                name: name.into(),
                points,
            });
        }
    }
    let baseline = rows().find(|(kind, _)| kind.name == BASELINE)?.1.bleu;
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

/// All systems of all tuners on all test sets as comma-separated values.
pub fn csv(all: &[Tuned], tests: &[TestSet]) -> String {
    let quote = |cell: &str| format!("\"{}\"", cell.replace('"', "\"\""));
    let line = |cells: Vec<String>| {
        let cells: Vec<String> = cells.iter().map(|cell| quote(cell)).collect();
        cells.join(",") + "\n"
    };
    let mut header = vec!["tuner".to_string(), "test set".to_string()];
    header.extend(columns());
    let mut text = line(header);
    for tuned in all {
        for (number, test) in tests.iter().enumerate() {
            for row in rows(tuned, number, |_| true) {
                let mut cells = vec![tuned.tuner.to_string(), test.name.clone()];
                cells.extend(row);
                text += &line(cells);
            }
        }
    }
    text
}
