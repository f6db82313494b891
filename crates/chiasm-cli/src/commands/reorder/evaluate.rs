//! `chiasm reorder evaluate`: how well a model tells orientations apart on other sentences.

use super::options::read_corpus;
use crate::commands::corpus_options::CorpusOptions;
use crate::commands::destination;
use crate::context::{Context, print_out};
use chiasm_reorder::export::export_test;
use chiasm_reorder::{Outcome, StoredModel};
use clap::Args;
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// The model.
    #[arg(long, value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    corpus: CorpusOptions,
    /// Tags of source words, if the model looks at them [default: word|tag in the source text].
    #[arg(long, value_name = "FILE")]
    source_tags: Option<PathBuf>,
    /// Also write the examples as a LIBSVM file with the numbers of reorder train --export-libsvm.
    #[arg(long, value_name = "FILE")]
    export_libsvm: Option<PathBuf>,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
    /// With --json: also the examples and right answers of each sentence pair.
    #[arg(long, requires = "json")]
    sentences: bool,
}

/// Evaluates and prints.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    destination::check(
        &[&arguments.export_libsvm],
        &[&arguments.model, &arguments.corpus, &arguments.source_tags],
    )?;
    let model = StoredModel::open(&arguments.model)?;
    let tags = model.settings().source_tags(&arguments.source_tags);
    let mut corpus = read_corpus(&arguments.corpus, &tags, &std::env::temp_dir(), context)?;
    let progress = context.progress("evaluate", "pairs", Some(corpus.passed.sentence_pairs));
    let outcomes = chiasm_reorder::evaluate(&*model, model.settings(), &mut corpus, &progress)?;
    drop(progress);
    anyhow::ensure!(
        outcomes
            .iter()
            .all(|outcome| outcome.evaluation.examples() > 0.0),
        "{}: no phrase pair is consistent with the links, so there is nothing to score",
        arguments.corpus.links.display()
    );
    if let Some(path) = &arguments.export_libsvm {
        export_test(&model, &mut corpus, path)?;
    }
    if arguments.json {
        let mut all = Outcome::json_of_all(&outcomes);
        if arguments.sentences {
            all["sentences"] = outcomes[0].sentences_json();
        }
        print_out(serde_json::to_string_pretty(&all)?)
    } else {
        let text: String = outcomes.iter().map(Outcome::text).collect();
        print_out(text.trim_end())
    }
}
