//! `chiasm reorder explain`: class probabilities of phrases and the features that decide.

use crate::context::{Context, print_out};
use chiasm_phrases::{Alignment, Instance, Spans};
use chiasm_reorder::{Explanation, LearnedModel, StoredModel, Task};
use chiasm_text::{Link, links, tokens};
use clap::Args;
use serde_json::{Value, json};
use std::ops::Range;
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
    span: Option<(usize, usize)>,
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

fn span(text: &str) -> Result<(usize, usize), String> {
    let complaint = || format!("'{text}' is not a span such as 2-4");
    let (from, to) = text.split_once('-').ok_or_else(complaint)?;
    let from: usize = from.parse().map_err(|_| complaint())?;
    let to: usize = to.parse().map_err(|_| complaint())?;
    if from > to {
        return Err(format!("'{text}': the span ends before it begins"));
    }
    Ok((from, to))
}

/// One phrase pair to explain.
struct Phrase {
    source: Range<usize>,
    target: Range<usize>,
    links: Vec<(u8, u8)>,
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
    if let Some((_, to)) = arguments.span {
        anyhow::ensure!(
            to < source.len(),
            "--span: position {to} in a sentence of {} words",
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
        (Some(_), Some((from, to))) => vec![one_phrase(&arguments, from..to + 1, target.len())?],
        _ => all_phrases(&arguments, &task, source.len(), target.len())?,
    };
    let mut all = Vec::new();
    for phrase in &phrases {
        let words = &target[phrase.target.clone()];
        let found = model.explain(&source, phrase.source.clone(), words, &phrase.links);
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

fn one_phrase(
    arguments: &Arguments,
    source: Range<usize>,
    target: usize,
) -> anyhow::Result<Phrase> {
    anyhow::ensure!(
        source.len() <= 255 && target <= 255,
        "a phrase of more than 255 words"
    );
    let parsed = parse_links(&arguments.links, source.len(), target)?;
    let links = parsed.iter().map(|l| (l.source as u8, l.target as u8));
    Ok(Phrase {
        source,
        target: 0..target,
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
            let wanted = (spans.source_start as usize, spans.source_end as usize);
            if arguments.span.is_none_or(|span| span == wanted) {
                phrases.push(phrase_of(spans, instance, &parsed));
            }
        });
    Ok(phrases)
}

fn phrase_of(spans: Spans, instance: Instance, all: &[Link]) -> Phrase {
    let target = spans.target_start..spans.target_end + 1;
    let mut inside: Vec<(u8, u8)> = all
        .iter()
        .filter(|link| target.contains(&link.target))
        .map(|link| {
            let source = link.source - spans.source_start;
            (source as u8, (link.target - spans.target_start) as u8)
        })
        .collect();
    inside.sort_unstable_by_key(|&(source, target)| (target, source));
    Phrase {
        source: spans.source_start as usize..spans.source_end as usize + 1,
        target: target.start as usize..target.end as usize,
        links: inside,
        truth: Some(instance),
    }
}

fn truth(model: &LearnedModel, phrase: &Phrase, found: &Explanation) -> Option<&'static str> {
    let instance = phrase.truth?;
    let orientation = match found.direction {
        chiasm_reorder::Direction::Forward => instance.forward,
        _ => instance.backward,
    };
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
            "source": source[phrase.source.clone()].join(" "),
            "target": words.join(" "),
            "source_span": [phrase.source.start, phrase.source.end - 1],
            "target_span": [phrase.target.start, phrase.target.end - 1],
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
            source[phrase.source.clone()].join(" "),
            words.join(" "),
            phrase.source.start,
            phrase.source.end - 1
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
