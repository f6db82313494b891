//! A page that shows systems side by side where they differ most. It needs nothing but itself.

use super::Task;
use super::evaluate::{Results, sentence_bleu};
use chiasm_page::document;
use chiasm_text::escape;
use std::fmt::Write;

const STYLE: &str = "
:root { --mark: #ffe2b8; } @media (prefers-color-scheme: dark) { :root { --mark: #5a4420; } }
table { width: 100%; margin: 1rem 0 2rem; } th, td { text-align: left; vertical-align: top; }
td.number { text-align: right; white-space: nowrap; }
mark { background: var(--mark); color: inherit; border-radius: .2rem; padding: 0 .1rem; }
.soft { overflow-wrap: anywhere; }
";

/// The page: scores, then for every system the sentences that differ most from the baseline
/// (without one, from the first system; with one system alone, its worst).
pub fn page(task: &Task, results: &Results, limit: usize) -> String {
    let mut page = String::new();
    scores(&mut page, task, results);
    // Of several runs the first stands for all.
    let mut shown: Vec<usize> = task.contenders.iter().map(|one| one.runs[0]).collect();
    if task.has_baseline {
        shown.rotate_right(1);
    }
    if let [_] = shown[..] {
        worst(&mut page, task, limit);
    }
    for &system in shown.iter().skip(1) {
        differences(&mut page, task, shown[0], system, limit);
    }
    document("Translations side by side", STYLE, &page)
}

fn scores(page: &mut String, task: &Task, results: &Results) {
    page.push_str("<table><tr><th>system</th>");
    for metric in &results.metrics {
        let _ = write!(page, "<th>{}</th>", escape(&metric.name));
    }
    page.push_str("</tr>\n");
    for (index, system) in task.contenders.iter().enumerate() {
        let baseline = task.has_baseline && index == task.contenders.len() - 1;
        let mark = if baseline { " (baseline)" } else { "" };
        let _ = write!(page, "<tr><td>{}{mark}</td>", escape(&system.name));
        for metric in &results.metrics {
            let outcome = &metric.outcomes[index];
            let _ = write!(page, "<td class=\"number\">{:.2}", outcome.score);
            if let Some(p) = outcome.p_value() {
                let _ = write!(page, "<br><span class=\"soft\">p = {p:.3}</span>");
            }
            page.push_str("</td>");
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table>\n");
    for metric in &results.metrics {
        let (name, signature) = (escape(&metric.name), escape(&metric.signature));
        let _ = writeln!(page, "<div class=\"soft\">{name}|{signature}</div>");
    }
}

fn differences(page: &mut String, task: &Task, base: usize, system: usize, limit: usize) {
    let (before, after) = (sentence_bleu(task, base), sentence_bleu(task, system));
    let mut order: Vec<usize> = (0..before.len())
        .filter(|&i| task.systems[base].lines[i] != task.systems[system].lines[i])
        .collect();
    let distance = |i: usize| (after[i] - before[i]).abs();
    order.sort_by(|&a, &b| distance(b).total_cmp(&distance(a)).then(a.cmp(&b)));
    let name = |system: usize| escape(&task.systems[system].name);
    let _ = writeln!(
        page,
        "<h2>{} beside {}</h2><p class=\"soft\">{} of {} sentences differ; those whose sentence BLEU \
         differs most come first. Marked words have no counterpart in the reference.</p>",
        name(system),
        name(base),
        order.len(),
        before.len()
    );
    for &i in order.iter().take(limit) {
        let change = after[i] - before[i];
        let _ = writeln!(
            page,
            "<table><tr><th colspan=\"3\">{} ({change:+.1})</th></tr>",
            i + 1
        );
        references(page, task, i);
        hypothesis(page, task, base, i, before[i]);
        hypothesis(page, task, system, i, after[i]);
        page.push_str("</table>\n");
    }
}

fn worst(page: &mut String, task: &Task, limit: usize) {
    let scores = sentence_bleu(task, 0);
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]).then(a.cmp(&b)));
    page.push_str("<h2>The sentences with the lowest BLEU</h2>\n");
    for &i in order.iter().take(limit) {
        let _ = writeln!(page, "<table><tr><th colspan=\"3\">{}</th></tr>", i + 1);
        references(page, task, i);
        hypothesis(page, task, 0, i, scores[i]);
        page.push_str("</table>\n");
    }
}

fn references(page: &mut String, task: &Task, i: usize) {
    for reference in task.references.of(i) {
        let reference = escape(reference);
        let _ = writeln!(
            page,
            "<tr><td>reference</td><td></td><td dir=\"auto\">{reference}</td></tr>"
        );
    }
}

fn hypothesis(page: &mut String, task: &Task, system: usize, i: usize, score: f64) {
    let name = escape(&task.systems[system].name);
    let text = marked(&task.systems[system].lines[i], task.references.of(i)[0]);
    let _ = writeln!(
        page,
        "<tr><td>{name}</td><td class=\"number\">{score:.1}</td><td dir=\"auto\">{text}</td></tr>"
    );
}

/// The hypothesis with the words marked that are not in its longest common subsequence with the
/// reference.
fn marked(hypothesis: &str, reference: &str) -> String {
    let words: Vec<&str> = hypothesis.split_whitespace().collect();
    let reference: Vec<&str> = reference.split_whitespace().collect();
    let width = reference.len() + 1;
    let mut common = vec![0u32; (words.len() + 1) * width];
    for i in (0..words.len()).rev() {
        for j in (0..reference.len()).rev() {
            common[i * width + j] = if words[i] == reference[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let mut text = Vec::with_capacity(words.len());
    let mut j = 0;
    for (i, word) in words.iter().enumerate() {
        // Reference words that a longest subsequence can do without are passed over.
        while j < reference.len()
            && *word != reference[j]
            && common[i * width + j] == common[i * width + j + 1]
        {
            j += 1;
        }
        if j < reference.len() && *word == reference[j] {
            text.push(escape(word));
            j += 1;
        } else {
            text.push(format!("<mark>{}</mark>", escape(word)));
        }
    }
    text.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_without_counterpart_are_marked() {
        assert_eq!(marked("a x b c", "a b c"), "a <mark>x</mark> b c");
        // Of two longest common subsequences, the one that begins first in the hypothesis.
        assert_eq!(marked("b a", "a b"), "b <mark>a</mark>");
        assert_eq!(marked("", "a"), "");
        assert_eq!(marked("<b>", ""), "<mark>&lt;b&gt;</mark>");
    }

    #[test]
    fn markup_is_escaped() {
        assert_eq!(
            escape("<a href=\"x\">&'"),
            "&lt;a href=&quot;x&quot;&gt;&amp;&#39;"
        );
    }
}
