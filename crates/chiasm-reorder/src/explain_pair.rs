//! The phrase pairs of a sentence pair, and why each goes where it goes.

use crate::explain::Explanation;
use crate::model::OrientationModel;
use crate::settings::Task;
use crate::stored::StoredModel;
use crate::{Error, LearnedModel, Result};
use chiasm_phrases::{Alignment, Direction, Instance, Jump, PhraseLink, Span, Spans, split_tag};
use chiasm_text::{Link, links, tokens};
use serde_json::{Value, json};
use std::path::Path;

/// What is explained; all words are tokens between spaces.
#[derive(Clone, Debug)]
pub struct PairRequest<'a> {
    /// The source sentence.
    pub sentence: &'a str,
    /// Its translation, or only the target phrase of `span`.
    pub target: Target<'a>,
    /// The links between source and target: `0-0 1-2`.
    pub links: &'a str,
    /// Only phrase pairs with this source span; needed with [`Target::Phrase`].
    pub span: Option<Span>,
    /// How many features are shown.
    pub top: usize,
}

/// What stands on the target side.
#[derive(Clone, Copy, Debug)]
pub enum Target<'a> {
    /// A whole translation: every phrase pair of it is explained.
    Translation(&'a str),
    /// The translation of one source span; links are counted within the phrase pair.
    Phrase(&'a str),
}

/// One phrase pair to explain.
struct Phrase {
    spans: Spans,
    links: Vec<PhraseLink>,
    instance: Option<Instance>,
}

impl Phrase {
    /// How the links say that it moves.
    fn truth(&self, direction: Direction) -> Option<Jump> {
        self.instance.map(|instance| instance.jump(direction))
    }
}

/// Opens a model that was learned; `otherwise` is what is said of another.
pub fn open_learned(path: impl AsRef<Path>, otherwise: &str) -> Result<LearnedModel> {
    match StoredModel::open(&path)? {
        StoredModel::Learned(model) => Ok(*model),
        StoredModel::Lexicalised(_) => Err(Error::Request(format!(
            "{}: a lexicalised model; {otherwise}",
            path.as_ref().display()
        ))),
    }
}

/// Explains every phrase pair that was asked for.
pub fn explain_pair<'a>(
    model: &'a LearnedModel,
    request: &PairRequest<'_>,
) -> Result<Vec<ExplainedPhrase<'a>>> {
    let source: Vec<&str> = tokens(request.sentence).collect();
    require(!source.is_empty(), || "--sentence: no words".into())?;
    if model.needs_tags() {
        let untagged = source.iter().find(|token| split_tag(token).is_none());
        require(untagged.is_none(), || {
            format!("--sentence: word|tag expected, {untagged:?} found")
        })?;
    }
    if let Some(span) = request.span {
        require(span.end as usize <= source.len(), || {
            let position = span.end - 1;
            format!(
                "--span: position {position} in a sentence of {} words",
                source.len()
            )
        })?;
    }
    let (Target::Translation(text) | Target::Phrase(text)) = request.target;
    let target: Vec<&str> = tokens(text).collect();
    require(!target.is_empty(), || "no target words".into())?;
    let phrases = match (request.target, request.span) {
        (Target::Phrase(_), Some(span)) => vec![one_phrase(request.links, span, target.len())?],
        _ => all_phrases(request, &model.settings().task, source.len(), target.len())?,
    };
    let explained = phrases.into_iter().map(|phrase| {
        let words = &target[phrase.spans.target.range()];
        ExplainedPhrase {
            model,
            source: source[phrase.spans.source.range()].join(" "),
            target: words.join(" "),
            found: model.explain(&source, phrase.spans.source, words, &phrase.links),
            phrase,
            top: request.top,
        }
    });
    Ok(explained.collect())
}

fn require(holds: bool, complaint: impl FnOnce() -> String) -> Result<()> {
    if holds {
        Ok(())
    } else {
        Err(Error::Request(complaint()))
    }
}

fn parse_links(text: &str, source: usize, target: usize) -> Result<Vec<Link>> {
    let mut parsed = Vec::new();
    let outcome = links::parse(text, source, target, &mut parsed);
    outcome.map_err(|message| Error::Request(format!("--links: {message}")))?;
    Ok(parsed)
}

fn one_phrase(links: &str, source: Span, target: usize) -> Result<Phrase> {
    require(source.len() <= 255 && target <= 255, || {
        "a phrase of more than 255 words".into()
    })?;
    let parsed = parse_links(links, source.len(), target)?;
    let links = parsed
        .iter()
        .map(|link| PhraseLink::new(link.source as u8, link.target as u8));
    Ok(Phrase {
        spans: Spans {
            source,
            target: Span::new(0, target as u32),
        },
        links: links.collect(),
        instance: None,
    })
}

fn all_phrases(
    request: &PairRequest<'_>,
    task: &Task,
    source: usize,
    target: usize,
) -> Result<Vec<Phrase>> {
    let parsed = parse_links(request.links, source, target)?;
    let mut alignment = Alignment::default();
    alignment.load(&parsed, source, target);
    let mut phrases = Vec::new();
    task.extractor().instances(&alignment, |instance| {
        let spans = instance.spans;
        if request.span.is_none_or(|span| span == spans.source) {
            phrases.push(Phrase {
                spans,
                links: alignment.links_inside(spans).collect(),
                instance: Some(instance),
            });
        }
    });
    Ok(phrases)
}

/// A phrase pair and why it goes where it goes.
pub struct ExplainedPhrase<'a> {
    model: &'a LearnedModel,
    source: String,
    target: String,
    phrase: Phrase,
    found: Vec<Explanation>,
    top: usize,
}

impl ExplainedPhrase<'_> {
    /// For machines.
    pub fn json(&self) -> Value {
        let classes = self.model.classes();
        let directions = self.found.iter().map(|found| {
            let described = found.described(classes, self.top);
            json!(described.with_truth(self.phrase.truth(found.direction)))
        });
        json!({
            "source": self.source,
            "target": self.target,
            "source_span": self.phrase.spans.source,
            "target_span": self.phrase.spans.target,
            "directions": directions.collect::<Vec<_>>(),
        })
    }

    /// For people: a table a direction, a column a class.
    pub fn text(&self) -> String {
        let span = self.phrase.spans.source;
        let mut text = format!(
            "{} ||| {}  (source {}-{})\n",
            self.source,
            self.target,
            span.start,
            span.end - 1
        );
        for explanation in &self.found {
            text += &self.heading(explanation.direction);
            text += &row("probability", &explanation.probabilities);
            let prior = &explanation.without_features;
            if prior.iter().any(|&score| score != 0.0) {
                text += &row("prior", prior);
            }
            for reason in explanation.reasons.iter().take(self.top) {
                let label = match reason.count {
                    1 => reason.feature.clone(),
                    count => format!("{} × {count}", reason.feature),
                };
                text += &match &reason.contributions {
                    Some(contributions) => row(&label, contributions),
                    None => format!("    {label:<32}{:>21}\n", "unknown"),
                };
            }
        }
        text
    }

    fn heading(&self, direction: Direction) -> String {
        let classes = self.model.classes();
        let truth = self
            .phrase
            .truth(direction)
            .map_or_else(String::new, |truth| {
                let name = classes.name_of(truth).unwrap_or("none");
                format!("   (by the links: {name})")
            });
        let names = classes.names();
        let columns: String = names.iter().map(|name| format!("{name:>21}")).collect();
        format!("  {direction}{truth}\n    {:<32}{columns}\n", "")
    }
}

fn row(label: &str, values: &[f64]) -> String {
    let values: String = values
        .iter()
        .map(|value| format!("{value:>21.4}"))
        .collect();
    format!("    {label:<32}{values}\n")
}
