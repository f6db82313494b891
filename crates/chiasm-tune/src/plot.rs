//! The rounds as a page: BLEU as decoded, BLEU as the method expected it, and the weights of every round.

use crate::Outcome;
use chiasm_page::{Figure, Item, Plot, Series, Table, html};

/// The page. `names` are those of the dense features.
pub fn page(outcome: &Outcome, method: &str, names: &[String]) -> String {
    let introduction = format!(
        "BLEU on the development set: {:.2} with the starting weights, {:.2} with those of round {}, which were kept. \
         It ended because {}.",
        outcome.rounds[0].bleu,
        outcome.rounds[outcome.best].bleu,
        outcome.best,
        outcome.stop.describe()
    );
    let items = [
        Item::Figure(figure(outcome)),
        Item::Table(table(outcome, names)),
    ];
    html(&format!("Tuning with {method}"), &introduction, &items)
}

fn figure(outcome: &Outcome) -> Figure {
    let rounds = || outcome.rounds.iter().enumerate();
    let series = |name: &str, points: Vec<(f64, f64)>| Series {
        name: name.into(),
        points,
    };
    let expected = rounds().filter_map(|(at, round)| Some((at as f64, round.predicted?)));
    Figure {
        title: "BLEU by round".into(),
        note: "As decoded, and as expected on the merged n-best lists.".into(),
        plot: Plot {
            x_label: "round".into(),
            y_label: "BLEU".into(),
            logarithmic: false,
            series: vec![
                series(
                    "decoded",
                    rounds()
                        .map(|(at, round)| (at as f64, round.bleu))
                        .collect(),
                ),
                series("expected", expected.collect()),
            ],
        },
        commands: Vec::new(),
    }
}

fn table(outcome: &Outcome, names: &[String]) -> Table {
    let columns = ["round", "BLEU", "expected", "length", "new entries"];
    let rows = outcome.rounds.iter().enumerate().map(|(index, round)| {
        let expected = round
            .predicted
            .map_or(String::new(), |bleu| format!("{bleu:.2}"));
        let mut row = vec![
            index.to_string(),
            format!("{:.2}", round.bleu),
            expected,
            format!("{:.3}", round.length_ratio),
            round.new_entries.to_string(),
        ];
        row.extend(
            round
                .weights
                .dense
                .iter()
                .map(|weight| format!("{weight:.4}")),
        );
        row
    });
    Table {
        title: "Rounds".into(),
        note: "What was decoded, and the weights it was decoded with.".into(),
        columns: columns
            .map(String::from)
            .into_iter()
            .chain(names.iter().cloned())
            .collect(),
        rows: rows.collect(),
        commands: Vec::new(),
    }
}
