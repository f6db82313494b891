//! The rounds as a page with a picture: BLEU as decoded, BLEU as the method expected it, and the
//! weights of every round. The page needs nothing but itself.

use crate::Outcome;
use chiasm_text::escape;
use std::fmt::Write;

const STYLE: &str = "
:root { color-scheme: light dark; --line: #d0d0d0; --soft: #666; --decoded: #1565c0; --expected: #b26a00; }
@media (prefers-color-scheme: dark) {
  :root { --line: #444; --soft: #aaa; --decoded: #82b1ff; --expected: #ffb74d; }
}
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
svg { width: 100%; height: auto; }
svg text { font: 12px system-ui, sans-serif; fill: var(--soft); }
.grid { stroke: var(--line); }
.decoded { stroke: var(--decoded); fill: none; stroke-width: 2; }
.expected { stroke: var(--expected); fill: none; stroke-width: 1.5; stroke-dasharray: 5 4; }
.best { fill: var(--decoded); }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid var(--line); padding: .2rem .6rem; text-align: right; white-space: nowrap; }
";

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 320.0;
const MARGIN: f64 = 48.0;

/// The page. `names` are those of the dense features.
pub fn page(outcome: &Outcome, method: &str, names: &[String]) -> String {
    let mut page =
        String::from("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    page.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    let _ = write!(
        page,
        "<title>Tuning</title><style>{STYLE}</style></head><body>"
    );
    let best = &outcome.rounds[outcome.best];
    let _ = writeln!(
        page,
        "<h1>Tuning with {method}</h1><p>BLEU on the development set: {:.2} with the starting \
         weights, {:.2} with those of round {}, which were kept. It ended because {}.</p>",
        outcome.rounds[0].bleu,
        best.bleu,
        outcome.best,
        outcome.stop.describe()
    );
    page.push_str(&picture(outcome));
    page.push_str("<p>Solid: as decoded. Dashed: as expected on the merged n-best lists.</p>\n");
    page.push_str(&table(outcome, names));
    page.push_str("</body></html>\n");
    page
}

/// The picture alone.
pub fn picture(outcome: &Outcome) -> String {
    let decoded = outcome.rounds.iter().map(|round| round.bleu);
    let expected = outcome.rounds.iter().filter_map(|round| round.predicted);
    let all: Vec<f64> = decoded.chain(expected).collect();
    let low = all.iter().copied().fold(f64::INFINITY, f64::min).floor();
    let high = all.iter().copied().fold(f64::NEG_INFINITY, f64::max).ceil();
    let (low, high) = if high > low {
        (low, high)
    } else {
        (low - 1.0, low + 1.0)
    };
    let last = outcome.rounds.len().max(2) - 1;
    let x = |round: usize| MARGIN + round as f64 / last as f64 * (WIDTH - 2.0 * MARGIN);
    let y = |bleu: f64| HEIGHT - MARGIN - (bleu - low) / (high - low) * (HEIGHT - 2.0 * MARGIN);
    let mut svg =
        format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"BLEU by round\">");
    let lines = ((high - low) as usize).clamp(1, 8);
    for i in 0..=lines {
        let bleu = low + (high - low) * i as f64 / lines as f64;
        let (left, right, at) = (MARGIN, WIDTH - MARGIN, y(bleu));
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{left}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text x=\"4\" y=\"{:.1}\">{bleu:.1}</text>",
            at + 4.0
        );
    }
    let mut path = |class: &str, points: Vec<(usize, f64)>| {
        let points: Vec<String> = points
            .iter()
            .map(|&(round, bleu)| format!("{:.1},{:.1}", x(round), y(bleu)))
            .collect();
        let _ = write!(
            svg,
            "<polyline class=\"{class}\" points=\"{}\"/>",
            points.join(" ")
        );
    };
    let rounds = outcome.rounds.iter().enumerate();
    path(
        "decoded",
        rounds.clone().map(|(i, round)| (i, round.bleu)).collect(),
    );
    let predicted = rounds.filter_map(|(i, round)| Some((i, round.predicted?)));
    path("expected", predicted.collect());
    let best = outcome.best;
    let (at_x, at_y) = (x(best), y(outcome.rounds[best].bleu));
    let _ = write!(
        svg,
        "<circle class=\"best\" cx=\"{at_x:.1}\" cy=\"{at_y:.1}\" r=\"5\"/>"
    );
    for round in 0..outcome.rounds.len() {
        let at = HEIGHT - MARGIN + 20.0;
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{at}\">{round}</text>",
            x(round) - 3.0
        );
    }
    svg.push_str("</svg>\n");
    svg
}

fn table(outcome: &Outcome, names: &[String]) -> String {
    let mut table = String::from(
        "<table><tr><th>round</th><th>BLEU</th><th>expected</th><th>length</th><th>new entries</th>",
    );
    for name in names {
        let _ = write!(table, "<th>{}</th>", escape(name));
    }
    table.push_str("</tr>\n");
    for (index, round) in outcome.rounds.iter().enumerate() {
        let expected = round
            .predicted
            .map_or(String::new(), |bleu| format!("{bleu:.2}"));
        let _ = write!(
            table,
            "<tr><td>{index}</td><td>{:.2}</td><td>{expected}</td><td>{:.3}</td><td>{}</td>",
            round.bleu, round.length_ratio, round.new_entries
        );
        for weight in &round.weights.dense {
            let _ = write!(table, "<td>{weight:.4}</td>");
        }
        table.push_str("</tr>\n");
    }
    table.push_str("</table>\n");
    table
}
