//! The built-in language pairs, whose links are known: they come back, also from a saved model.

use chiasm_align::aer::{Agreement, GoldLinks};
use chiasm_align::{
    Bitext, Decoder, LinkMaker, LinkSettings, Method, PairAlignment, Posteriors, Preset, Settings,
    align_corpus, train,
};
use chiasm_synthesis::Language;
use chiasm_text::Link;

const LINKS: LinkSettings = LinkSettings {
    method: Method::GrowDiagFinalAnd,
    null_bias: 1.0,
};
const PAIRS: usize = 20_000;

/// Sentence pairs as text, as a corpus, and their gold links.
fn synthesise(language: Language) -> (Vec<(String, String)>, Bitext, Vec<GoldLinks>) {
    let generator = language.generator(1, 0);
    let (mut lines, mut bitext, mut gold) = (Vec::new(), Bitext::new(), Vec::new());
    for pair in generator.pairs().take(PAIRS) {
        gold.push(GoldLinks::parse(&pair.gold_text()).unwrap());
        lines.push((pair.source_text(), pair.target_text()));
    }
    for (source, target) in &lines {
        bitext.push(source, target);
    }
    (lines, bitext, gold)
}

fn check(language: Language) {
    let (lines, bitext, gold) = synthesise(language);
    let trained = train(&bitext, &Settings::preset(Preset::Standard, PAIRS), &()).unwrap();
    let mut found: Vec<Vec<Link>> = Vec::new();
    let sink = |pair: &PairAlignment| {
        found.push(pair.links.clone());
        Ok(())
    };
    align_corpus(&trained, &bitext, LINKS, &(), sink).unwrap();
    let mut total = Agreement::default();
    for (gold, links) in gold.iter().zip(&found) {
        total.add(&Agreement::of(gold, links));
    }
    let rate = total.error_rate();
    assert!(rate < 0.05, "{language:?}: {rate:.4}");

    let mut again = Agreement::default();
    let model = trained.model(&bitext).unwrap();
    let mut decoder = Decoder::new(&model);
    let (mut maker, mut posteriors) = (LinkMaker::default(), Posteriors::default());
    for ((source, target), links) in lines.iter().zip(found).step_by(10) {
        decoder.align(source, target, &mut posteriors);
        let known = GoldLinks {
            sure: links.clone(),
            possible: links,
        };
        let pair = maker.links(&posteriors, LINKS);
        again.add(&Agreement::of(&known, &pair.links));
    }
    let agreement = 1.0 - again.error_rate();
    println!("{language:?}: error rate {rate:.4}, from the model {agreement:.4} the same");
    assert!(agreement > 0.95, "{language:?}: {agreement:.4}");
}

#[test]
fn gold_links_of_the_arabic_like_pair_come_back() {
    check(Language::ArabicLike);
}

#[test]
fn gold_links_of_the_japanese_like_pair_come_back() {
    check(Language::JapaneseLike);
}
