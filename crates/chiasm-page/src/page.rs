//! Tables and figures, and the one page that holds them.

use crate::svg::{self, Plot};
use chiasm_text::escape;
use serde_json::{Value, json};
use std::fmt::Write;

/// A table of a report.
pub struct Table {
    /// Its heading.
    pub title: String,
    /// What to know about it.
    pub note: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
    /// How each row was measured.
    pub commands: Vec<String>,
}

/// A figure of a report.
pub struct Figure {
    /// Its heading.
    pub title: String,
    /// What to know about it.
    pub note: String,
    /// The plot.
    pub plot: Plot,
    /// How each point was measured.
    pub commands: Vec<String>,
}

/// A claim that was tested; in bold if it holds.
pub struct Claim {
    /// What was claimed.
    pub text: String,
    /// What was found.
    pub found: String,
    /// Whether that bears the claim out.
    pub holds: bool,
}

/// A part of a report.
pub enum Item {
    /// A heading.
    Heading(String),
    /// A table.
    Table(Table),
    /// A figure.
    Figure(Figure),
    /// What was claimed and what was found.
    Claims(Vec<Claim>),
    /// A picture that is drawn already.
    Drawing {
        /// The picture.
        svg: String,
        /// What to know about it.
        note: String,
    },
}

/// A report as files: the page, and what stands on it as a table of everything measured and as JSON.
pub struct Report {
    /// The page.
    pub html: String,
    /// Everything measured.
    pub csv: String,
    /// Everything.
    pub json: Value,
}

const STYLE: &str = "
:root { color-scheme: light dark; --line: #d0d0d0; --soft: #666; }
@media (prefers-color-scheme: dark) { :root { --line: #444; --soft: #aaa; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: .5rem 0; font-size: .85rem; } .wide { overflow-x: auto; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .4rem; text-align: right; font-variant-numeric: tabular-nums; }
th:first-child, td:first-child { text-align: left; } .soft { color: var(--soft); font-size: .85rem; }
pre { font-size: .75rem; white-space: pre-wrap; overflow-wrap: anywhere; }
";

/// A page around a body of markup, with style of its own beside the common one. It needs nothing but itself.
pub fn document(title: &str, style: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{0}</title><style>{STYLE}{1}{style}</style></head><body>\n<h1>{0}</h1>\n{body}</body></html>\n",
        escape(title),
        svg::STYLE,
    )
}

/// A page of tables and figures.
pub fn html(title: &str, introduction: &str, items: &[Item]) -> String {
    let mut page = format!("<p>{}</p>\n", escape(introduction));
    for item in items {
        match item {
            Item::Heading(text) => {
                let _ = writeln!(page, "<h2>{}</h2>", escape(text));
            }
            Item::Table(table) => write_table(&mut page, table),
            Item::Claims(claims) => write_claims(&mut page, claims),
            Item::Figure(figure) => {
                let _ = writeln!(
                    page,
                    "<h3>{}</h3><p class=\"soft\">{}</p>{}",
                    escape(&figure.title),
                    escape(&figure.note),
                    figure.plot.svg()
                );
                write_commands(&mut page, &figure.commands);
            }
            Item::Drawing { svg, note } => {
                let note = escape(note);
                let _ = writeln!(
                    page,
                    "<div class=\"wide\">{svg}</div><p class=\"soft\">{note}</p>"
                );
            }
        }
    }
    document(title, "", &page)
}

fn write_table(page: &mut String, table: &Table) {
    let _ = write!(
        page,
        "<h3>{}</h3><p class=\"soft\">{}</p><div class=\"wide\"><table><tr>",
        escape(&table.title),
        escape(&table.note)
    );
    for column in &table.columns {
        let _ = write!(page, "<th>{}</th>", escape(column));
    }
    page.push_str("</tr>\n");
    for row in &table.rows {
        page.push_str("<tr>");
        for cell in row {
            let _ = write!(page, "<td>{}</td>", escape(cell));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table></div>");
    write_commands(page, &table.commands);
}

fn write_claims(page: &mut String, claims: &[Claim]) {
    page.push_str("<ul>");
    for claim in claims {
        let text = escape(&claim.text);
        let text = match claim.holds {
            true => format!("<strong>{text}</strong>"),
            false => format!("{text} (not borne out)"),
        };
        let _ = writeln!(page, "<li>{text}: {}</li>", escape(&claim.found));
    }
    page.push_str("</ul>");
}

fn write_commands(page: &mut String, commands: &[String]) {
    if !commands.is_empty() {
        let _ = writeln!(
            page,
            "<details><summary class=\"soft\">commands</summary><pre>{}</pre></details>",
            escape(&commands.join("\n"))
        );
    }
}

/// The same as JSON.
pub fn as_json(items: &[Item]) -> Value {
    let of_item = |item: &Item| match item {
        Item::Heading(text) => json!({ "heading": text }),
        Item::Drawing { note, .. } => json!({ "drawing": note }),
        Item::Claims(claims) => claims
            .iter()
            .map(|claim| json!({ "claim": claim.text, "found": claim.found, "holds": claim.holds }))
            .collect(),
        Item::Table(table) => json!({
            "table": table.title, "note": table.note, "columns": table.columns,
            "rows": table.rows, "commands": table.commands,
        }),
        Item::Figure(figure) => {
            let lines = figure.plot.series.iter();
            let series: Vec<Value> = lines
                .map(|line| json!({ "name": line.name, "points": line.points }))
                .collect();
            json!({
                "figure": figure.title, "note": figure.note, "x": figure.plot.x_label,
                "y": figure.plot.y_label, "series": series, "commands": figure.commands,
            })
        }
    };
    items.iter().map(of_item).collect()
}
