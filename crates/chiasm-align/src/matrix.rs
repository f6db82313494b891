//! Alignment matrices to look at, as text and as a page.

use crate::aer::{Agreement, ComparedPair};
use chiasm_page::document;
use chiasm_text::{Link, escape};
use std::fmt::Write;

/// What a cell of the matrix is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cell {
    Empty,
    /// Found, and sure.
    Right,
    /// Found, and possible.
    Allowed,
    /// Found, and neither.
    Wrong,
    /// Sure, and not found.
    Missing,
    /// Possible, and not found.
    Possible,
}

fn cell(pair: &ComparedPair, source: usize, target: usize) -> Cell {
    let link = Link {
        source: source as u32,
        target: target as u32,
    };
    let has = |links: &[Link]| links.binary_search(&link).is_ok();
    match (
        has(&pair.links),
        has(&pair.gold.sure),
        has(&pair.gold.possible),
    ) {
        (true, true, _) => Cell::Right,
        (true, false, true) => Cell::Allowed,
        (true, false, false) => Cell::Wrong,
        (false, true, _) => Cell::Missing,
        (false, false, true) => Cell::Possible,
        (false, false, false) => Cell::Empty,
    }
}

/// What the signs of [`text`] mean.
pub const LEGEND: &str =
    "# found and sure   + found and possible   X wrong   o missing   . possible";

/// A row a source word, a column a target word; the target words stand below, numbered.
pub fn text(pair: &ComparedPair, source: &[String], target: &[String]) -> String {
    let mut page = String::new();
    let width = source
        .iter()
        .map(|word| word.chars().count())
        .max()
        .unwrap_or(0);
    for (i, word) in source.iter().enumerate() {
        let padding = " ".repeat(width - word.chars().count());
        let _ = write!(page, "{padding}{word} |");
        for j in 0..target.len() {
            page.push(match cell(pair, i, j) {
                Cell::Empty => ' ',
                Cell::Right => '#',
                Cell::Allowed => '+',
                Cell::Wrong => 'X',
                Cell::Missing => 'o',
                Cell::Possible => '.',
            });
            page.push(' ');
        }
        page.push('\n');
    }
    let ruler: String = (0..target.len()).map(|j| format!("{} ", j % 10)).collect();
    let _ = writeln!(page, "{} |{ruler}", " ".repeat(width));
    let words = target
        .iter()
        .enumerate()
        .map(|(j, word)| format!("{j}:{word}"));
    let _ = writeln!(page, "{}", words.collect::<Vec<_>>().join(" "));
    page
}

const STYLE: &str = "
table.links { margin: .5rem 0 2rem; } table.links td { width: 1.1em; height: 1.1em; padding: 0; border: 1px solid var(--line); }
table.links th { font-weight: normal; border: 0; } table.links th.s { text-align: right; padding-right: .5em; }
table.links th.t { writing-mode: vertical-rl; transform: rotate(180deg); text-align: left; padding-bottom: .4em; }
.right { background: #2a7; } .allowed { background: #9d9; } .wrong { background: #d44; }
.missing { box-shadow: inset 0 0 0 3px #26c; } .possible { background: #88a5; }
.key span { display: inline-block; width: 1em; height: 1em; margin: 0 .4em 0 1.2em; vertical-align: middle; border: 1px solid var(--line); }
";

/// A page with the figures and the matrices of `shown`, each with its words.
pub fn html(total: &Agreement, shown: &[(&ComparedPair, &[String], &[String])]) -> String {
    let mut page = format!(
        "<p>AER {:.4}, precision {:.4}, recall {:.4}, F-measure {:.4}, {} links.</p>\n\
         <p class=\"key\"><span class=\"right\"></span>found and sure<span class=\"allowed\"></span>found and \
         possible<span class=\"wrong\"></span>wrong<span class=\"missing\"></span>missing\
         <span class=\"possible\"></span>possible</p>\n",
        total.error_rate(),
        total.precision(),
        total.recall(),
        total.f_measure(),
        total.links
    );
    for (pair, source, target) in shown {
        let _ = writeln!(
            page,
            "<h2>Line {}</h2><p>AER {:.4}, {} mistakes</p>",
            pair.line,
            pair.agreement.error_rate(),
            pair.agreement.mistakes()
        );
        page.push_str(&table(pair, source, target));
    }
    document("Word alignment", STYLE, &page)
}

fn table(pair: &ComparedPair, source: &[String], target: &[String]) -> String {
    let mut page = String::from("<table class=\"links\"><tr><th></th>");
    for word in target {
        let _ = write!(page, "<th class=\"t\">{}</th>", escape(word));
    }
    page.push_str("</tr>\n");
    for (i, word) in source.iter().enumerate() {
        let _ = write!(page, "<tr><th class=\"s\">{}</th>", escape(word));
        for j in 0..target.len() {
            let class = match cell(pair, i, j) {
                Cell::Empty => "",
                Cell::Right => " right",
                Cell::Allowed => " allowed",
                Cell::Wrong => " wrong",
                Cell::Missing => " missing",
                Cell::Possible => " possible",
            };
            let _ = write!(page, "<td class=\"c{class}\"></td>");
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table>\n");
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aer::GoldLinks;

    #[test]
    fn every_kind_of_cell_is_shown() {
        let gold = GoldLinks::parse("0-0 1-1 1p2 0p2").unwrap();
        let links = vec![
            Link {
                source: 0,
                target: 0,
            },
            Link {
                source: 0,
                target: 1,
            },
            Link {
                source: 1,
                target: 2,
            },
        ];
        let pair = ComparedPair {
            line: 3,
            agreement: Agreement::of(&gold, &links),
            gold,
            links,
        };
        let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
        let (source, target) = (words("a bb"), words("x <y> z"));
        let shown = text(&pair, &source, &target);
        assert_eq!(shown, " a |# X . \nbb |  o + \n   |0 1 2 \n0:x 1:<y> 2:z\n");
        let page = html(&pair.agreement, &[(&pair, &source, &target)]);
        assert!(page.contains("&lt;y&gt;") && !page.contains("<y>"));
        assert!(
            page.contains("<td class=\"c wrong\">") && page.contains("<td class=\"c missing\">")
        );
    }
}
