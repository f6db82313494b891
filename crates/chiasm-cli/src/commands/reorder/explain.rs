//! `chiasm reorder explain`: class probabilities of phrases and the features that decide.

use crate::context::{Context, print_out};
use chiasm_phrases::{Alignment, Instance, PhraseLink, Span, Spans};
use chiasm_reorder::{Explanation, LearnedModel, OrientationModel, StoredModel, Task};
use chiasm_text::{Link, links, tokens};
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// A learned model.
    #[arg(long, value_name = "MODEL")]
    model: PathBuf,
    /// The source sentence, tokens between spaces.
    #[arg(long, value_name = "TEXT")]
    sentence: String,
    /// Its translation: every phrase pair is explained.
    #[arg(
        long,
        value_name = "TEXT",
        requires = "links",
        required_unless_present = "phrase"
    )]
    translation: Option<String>,
    /// The links between sentence and translation (or, with --phrase, within the phrase pair): 0-0 1-2.
    #[arg(long, value_name = "LINKS", default_value = "")]
    links: String,
    /// Explain only phrase pairs with this source span, first and last position counted from 0: 2-4.
    #[arg(long, value_name = "FROM-TO", value_parser = span)]
    span: Option<Span>,
    /// The target phrase of one source span, instead of a whole translation.
    #[arg(
        long,
        value_name = "TEXT",
        requires = "span",
        conflicts_with = "translation"
    )]
    phrase: Option<String>,
    /// How many features to show.
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

fn span(text: &str) -> Result<Span, String> {
    let complaint = || format!("'{text}' is not a span such as 2-4");
    let (from, to) = text.split_once('-').ok_or_else(complaint)?;
    let from: u32 = from.parse().map_err(|_| complaint())?;
    let to: u32 = to.parse().map_err(|_| complaint())?;
    if from > to {
        return Err(format!("'{text}': the span ends before it begins"));
    }
    Ok(Span::new(from, to.saturating_add(1)))
}

/// One phrase pair to explain.
struct Phrase {
    spans: Spans,
    links: Vec<PhraseLink>,
    truth: Option<Instance>,
}

/// Explains and prints.
pub fn run(arguments: Arguments, _context: &Context) -> anyhow::Result<()> {
    let model = match StoredModel::open(&arguments.model)? {
        StoredModel::Learned(model) => *model,
        StoredModel::Lexicalised(_) => anyhow::bail!(
            "{}: a lexicalised model has no features to explain; its table says all",
            arguments.model.display()
        ),
    };
    let source: Vec<&str> = tokens(&arguments.sentence).collect();
    anyhow::ensure!(!source.is_empty(), "--sentence: no words");
    if let Some(span) = arguments.span {
        anyhow::ensure!(
            span.end as usize <= source.len(),
            "--span: position {} in a sentence of {} words",
            span.end - 1,
            source.len()
        );
    }
    let text = arguments
        .phrase
        .as_ref()
        .or(arguments.translation.as_ref())
        .map_or("", String::as_str);
    let target: Vec<&str> = tokens(text).collect();
    anyhow::ensure!(!target.is_empty(), "no target words");
    let task = model.settings().task;
    let phrases = match (&arguments.phrase, arguments.span) {
        (Some(_), Some(span)) => vec![one_phrase(&arguments, span, target.len())?],
        _ => all_phrases(&arguments, &task, source.len(), target.len())?,
    };
    let mut all = Vec::new();
    for phrase in &phrases {
        let words = &target[phrase.spans.target.range()];
        let found = model.explain(&source, phrase.spans.source, words, &phrase.links);
        let explained = Explained {
            model: &model,
            source: &source,
            words,
            phrase,
            found: &found,
            top: arguments.top,
        };
        if arguments.json {
            all.push(explained.as_json());
        } else {
            print_out(explained.as_text())?;
        }
    }
    if arguments.json {
        print_out(serde_json::to_string_pretty(&all)?)?;
    } else if phrases.is_empty() {
        print_out("no phrase pair is consistent with the links")?;
    }
    Ok(())
}

fn parse_links(text: &str, source: usize, target: usize) -> anyhow::Result<Vec<Link>> {
    let mut parsed = Vec::new();
    links::parse(text, source, target, &mut parsed).map_err(|m| anyhow::anyhow!("--links: {m}"))?;
    Ok(parsed)
}

fn one_phrase(arguments: &Arguments, source: Span, target: usize) -> anyhow::Result<Phrase> {
    anyhow::ensure!(
        source.len() <= 255 && target <= 255,
        "a phrase of more than 255 words"
    );
    let parsed = parse_links(&arguments.links, source.len(), target)?;
    let links = parsed
        .iter()
        .map(|link| PhraseLink::new(link.source as u8, link.target as u8));
    Ok(Phrase {
        spans: Spans {
            source,
            target: Span::new(0, target as u32),
        },
        links: links.collect(),
        truth: None,
    })
}

fn all_phrases(
    arguments: &Arguments,
    task: &Task,
    source: usize,
    target: usize,
) -> anyhow::Result<Vec<Phrase>> {
    let parsed = parse_links(&arguments.links, source, target)?;
    let mut alignment = Alignment::default();
    alignment.load(&parsed, source, target);
    let mut phrases = Vec::new();
    task.extraction
        .extractor()
        .instances(&alignment, |instance| {
            let spans = instance.spans;
            if arguments.span.is_none_or(|span| span == spans.source) {
                phrases.push(Phrase {
                    spans,
                    links: alignment.links_inside(spans).collect(),
                    truth: Some(instance),
                });
            }
        });
    Ok(phrases)
}

fn truth(model: &LearnedModel, phrase: &Phrase, found: &Explanation) -> Option<&'static str> {
    let instance = phrase.truth?;
    let orientation = instance.orientation(found.direction);
    let classes = model.settings().task.classes;
    classes.names().get(classes.class(orientation)).copied()
}

/// A phrase pair and why it goes where it goes.
struct Explained<'a> {
    model: &'a LearnedModel,
    source: &'a [&'a str],
    words: &'a [&'a str],
    phrase: &'a Phrase,
    found: &'a [Explanation],
    /// How many features are shown.
    top: usize,
}

impl Explained<'_> {
    fn as_json(&self) -> Value {
        let Explained {
            model,
            source,
            words,
            phrase,
            found,
            top,
        } = *self;
        let names = model.settings().task.classes.names();
        let by_class = |values: &[f64]| -> Value {
            let pairs = names.iter().zip(values);
            pairs
                .map(|(name, &value)| (name.to_string(), json!(value)))
                .collect::<serde_json::Map<_, _>>()
                .into()
        };
        let directions: Vec<Value> = found
            .iter()
            .map(|explanation| {
                let features: Vec<Value> = explanation
                    .reasons
                    .iter()
                    .take(top)
                    .map(|reason| {
                        json!({
                            "feature": reason.feature,
                            "count": reason.count,
                            "known": reason.contributions.is_some(),
                            "contributions": reason.contributions.as_ref().map(|c| by_class(c)),
                        })
                    })
                    .collect();
                json!({
                    "direction": explanation.direction.to_string(),
                    "truth": truth(model, phrase, explanation),
                    "probabilities": by_class(&explanation.probabilities),
                    "without_features": by_class(&explanation.without_features),
                    "features": features,
                })
            })
            .collect();
        json!({
            "source": source[phrase.spans.source.range()].join(" "),
            "target": words.join(" "),
            "source_span": phrase.spans.source,
            "target_span": phrase.spans.target,
            "directions": directions,
        })
    }

    fn as_text(&self) -> String {
        let Explained {
            model,
            source,
            words,
            phrase,
            found,
            top,
        } = *self;
        let names = model.settings().task.classes.names();
        let mut text = format!(
            "{} ||| {}  (source {}-{})\n",
            source[phrase.spans.source.range()].join(" "),
            words.join(" "),
            phrase.spans.source.start,
            phrase.spans.source.end - 1
        );
        for explanation in found {
            let truth = match truth(model, phrase, explanation) {
                Some(name) => format!("   (by the links: {name})"),
                None => String::new(),
            };
            let columns: String = names.iter().map(|name| format!("{name:>21}")).collect();
            text += &format!(
                "  {}{truth}\n    {:<32}{columns}\n",
                explanation.direction, ""
            );
            let row = |label: &str, values: &[f64]| {
                let values: String = values
                    .iter()
                    .map(|value| format!("{value:>21.4}"))
                    .collect();
                format!("    {label:<32}{values}\n")
            };
            text += &row("probability", &explanation.probabilities);
            if explanation
                .without_features
                .iter()
                .any(|&score| score != 0.0)
            {
                text += &row("prior", &explanation.without_features);
            }
            for reason in explanation.reasons.iter().take(top) {
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
}
