//! The demo's results as a page: the table, and sentences whose phrases cross.

use chiasm_decode::{PhraseUse, Translation};
use chiasm_page::{Item, Table};
use chiasm_text::escape;
use chiasm_train::experiment::{COLUMNS, Contender, TestSet, cells};
use std::fmt::Write;

/// The page.
pub fn html(contenders: &[Contender], test: &TestSet, drawn: &[usize], command: &str) -> String {
    let sentences = test.source.len();
    let mut items = vec![Item::Table(Table {
        title: "Five systems that differ in how they know that phrases move".into(),
        note: format!(
            "{sentences} held-out sentences. p is the significance of the difference to the lexicalised table (paired bootstrap, \
             1,000 samples); ms is CPU time of decoding a sentence; MB is the whole system."
        ),
        columns: COLUMNS.map(String::from).to_vec(),
        rows: contenders
            .iter()
            .map(|contender| cells(contender, sentences).to_vec())
            .collect(),
        commands: vec![command.to_string()],
    })];
    if let Some(best) = contenders.last().and_then(|best| best.runs.first()) {
        items.push(Item::Heading("Phrases that moved".into()));
        for &index in drawn {
            items.push(Item::Drawing {
                svg: draw(&test.source[index], &best.translations[index]),
                note: format!("Reference: {}", test.references[0][index]),
            });
        }
    }
    let introduction = "Source phrases above, their translations below. Orange phrases swapped with the one before, purple \
                        ones jumped, blue ones stayed in order; the percentage is what the learned model gave to it.";
    chiasm_page::html("Chiasm demo", introduction, &items)
}

const GAP: f64 = 12.0;
const BLOCK: f64 = 30.0;
const LOWER: f64 = 130.0;
const HEIGHT: f64 = 196.0;

/// A block of the picture: where it stands and what it says.
struct Block {
    left: f64,
    width: f64,
    text: String,
}

impl Block {
    fn middle(&self) -> f64 {
        self.left + self.width / 2.0
    }
}

/// One sentence: blocks joined by curves, as SVG that wants [`chiasm_page::PLOT_STYLE`].
pub fn draw(source: &str, translation: &Translation) -> String {
    let words: Vec<&str> = chiasm_text::tokens(source).collect();
    let phrases = &translation.phrases;
    let mut in_source_order: Vec<usize> = (0..phrases.len()).collect();
    in_source_order.sort_by_key(|&number| phrases[number].source);
    let upper = row(in_source_order.iter().map(|&number| {
        let span = phrases[number].source;
        words.get(span.range()).unwrap_or(&[]).join(" ")
    }));
    let lower = row(phrases
        .iter()
        .map(|phrase| translation.words[phrase.target.range()].join(" ")));
    let width = [&upper, &lower]
        .iter()
        .filter_map(|row| row.last())
        .fold(0.0f64, |most, block| most.max(block.left + block.width));
    let mut svg = format!(
        "<svg class=\"plot moved\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {:.0} {HEIGHT}\" style=\"max-width:{:.0}px\">",
        escape(&format!("{source}: {}", translation.text())),
        width + GAP,
        width + GAP
    );
    for (place, &number) in in_source_order.iter().enumerate() {
        let (from, to) = (upper[place].middle(), lower[number].middle());
        let (class, said) = orientation(&phrases[number]);
        let _ = write!(
            svg,
            "<path class=\"line {class}\" style=\"fill:none\" d=\"M{from:.1} {BLOCK} C{from:.1} 80 {to:.1} 80 {to:.1} {LOWER}\"/>"
        );
        block(&mut svg, &upper[place], 0.0, class);
        block(&mut svg, &lower[number], LOWER, class);
        let _ = write!(
            svg,
            "<text x=\"{to:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"11\">{}</text>",
            LOWER + BLOCK + 18.0,
            escape(&said)
        );
    }
    svg + "</svg>"
}

fn row(texts: impl Iterator<Item = String>) -> Vec<Block> {
    let mut left = GAP;
    texts
        .map(|text| {
            // Wide letters are twice as wide; a block has room for what is said below it.
            let letters: usize = text
                .chars()
                .map(|c| if c as u32 > 0x2e80 { 2 } else { 1 })
                .sum();
            let width = (letters as f64 * 8.0 + 16.0).max(66.0);
            let block = Block { left, width, text };
            left += width + GAP;
            block
        })
        .collect()
}

fn block(svg: &mut String, block: &Block, top: f64, class: &str) {
    let _ = write!(
        svg,
        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"6\" class=\"{class}\" fill-opacity=\".15\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
        block.left,
        top + 1.0,
        block.width,
        BLOCK - 2.0,
        block.middle(),
        top + 20.0,
        escape(&block.text)
    );
}

/// The colour of what came about, and the model's probability of it.
fn orientation(phrase: &PhraseUse) -> (&'static str, String) {
    let used = phrase.orientations.first();
    let Some((used, name)) = used.and_then(|used| Some((used, used.orientation?))) else {
        return ("s0", String::new());
    };
    let (class, short) = match name {
        "monotone" => ("s0", "order"),
        "swap" => ("s1", "swap"),
        _ => ("s3", "jump"),
    };
    let probability = used.probabilities.iter().find(|entry| entry.0 == name);
    match probability {
        Some((_, p)) => (class, format!("{short} {:.0} %", 100.0 * p)),
        None => (class, short.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phrase_has_a_block_on_both_sides_and_a_curve() {
        let phrase = |source: (u32, u32), target: (u32, u32)| PhraseUse {
            source: source.into(),
            target: target.into(),
            links: Vec::new(),
            unknown: false,
            orientations: Vec::new(),
            operations: Vec::new(),
        };
        let translation = Translation {
            words: ["he", "reads", "<b>"].map(String::from).to_vec(),
            phrases: vec![
                phrase((0, 2), (0, 1)),
                phrase((4, 5), (1, 2)),
                phrase((2, 4), (2, 3)),
            ],
            ..Default::default()
        };
        let svg = draw("kare wa hon o yomu", &translation);
        assert_eq!(svg.matches("<rect").count(), 6);
        assert_eq!(svg.matches("<path").count(), 3);
        assert!(svg.contains("kare wa") && svg.contains("hon o"));
        assert!(svg.contains("&lt;b&gt;") && !svg.contains("<b>"));
    }
}
