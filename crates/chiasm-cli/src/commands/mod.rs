//! One module a verb: its arguments, and `run`, which checks them and calls the libraries.

use crate::context::Context;
use clap::{CommandFactory, Subcommand};

mod adapt;
mod aer;
mod align;
mod classes;
mod completions;
mod corpus_options;
mod demo;
mod destination;
mod export;
mod extract;
mod import;
mod init;
mod inspect;
mod learn;
mod learner_options;
mod lm;
mod phrases;
mod predict;
pub mod reorder;
mod report;
mod score;
mod serve;
mod symmetrise;
mod synthesise;
mod tokenize;
mod train;
mod translate;
mod tune;

/// The verbs.
#[derive(Subcommand)]
pub enum Command {
    /// Train, translate and compare on the built-in language pair.
    Demo(demo::Arguments),
    /// Build a translation system from two text files.
    Train(Box<train::Arguments>),
    /// Write a commented configuration for train.
    Init(init::Arguments),
    /// Compare word alignments with hand-made ones: alignment error rate, worst sentences.
    Aer(aer::Arguments),
    /// Align the words of a parallel corpus, or of new text with a saved model.
    Align(align::Arguments),
    /// Translate sentences.
    Translate(translate::Arguments),
    /// Teach a system corrected sentences, list them, forget them.
    Adapt(adapt::Arguments),
    /// Serve systems over HTTP, with a page that shows how phrases move.
    Serve(serve::Arguments),
    /// Make a system of another tool's models.
    Import(import::Arguments),
    /// Write a system as another tool's models.
    Export(export::Arguments),
    /// See what is in a system or a model; look up a phrase.
    Inspect(inspect::Arguments),
    /// Extract phrase pairs with their orientations, in Moses' text formats.
    Extract(extract::Arguments),
    /// Build the phrase table with its four scores.
    Phrases(phrases::Arguments),
    /// Cluster words into classes by the exchange algorithm.
    Classes(classes::Arguments),
    /// Models of how phrases move.
    Reorder(reorder::Arguments),
    /// N-gram language models: estimate, query, build the binary.
    Lm(lm::Arguments),
    /// Pages of tables and plots that say how good models are.
    Report(report::Arguments),
    /// Make one word alignment of two one-sided ones.
    Symmetrise(symmetrise::Arguments),
    /// Score translations: BLEU, NIST, chrF, TER, with significance against a baseline.
    Score(score::Arguments),
    /// Write a corpus of a built-in language pair, with gold links and gold orientations.
    Synthesise(synthesise::Arguments),
    /// Train a classifier on a LIBSVM file.
    Learn(learn::Arguments),
    /// Let a classifier answer for the examples of a LIBSVM file.
    Predict(predict::Arguments),
    /// Split raw text into tokens, standard input to standard output.
    Tokenize(tokenize::TokenizeArguments),
    /// Join tokens to text, standard input to standard output.
    Detokenize(tokenize::DetokenizeArguments),
    /// Learn from tokenised text in which case each word is written.
    Truecase(tokenize::TruecaseArguments),
    /// Tune the weights of a system on a development set.
    Tune(tune::Arguments),
    /// Print shell completions or the manual page.
    Completions(completions::Arguments),
}

/// Does what was asked.
pub fn run(command: Command, context: &Context) -> anyhow::Result<()> {
    match command {
        Command::Demo(arguments) => demo::run(arguments, context),
        Command::Train(arguments) => train::run(*arguments, context),
        Command::Init(arguments) => init::run(arguments, context),
        Command::Aer(arguments) => aer::run(arguments, context),
        Command::Align(arguments) => align::run(arguments, context),
        Command::Translate(arguments) => translate::run(arguments, context),
        Command::Adapt(arguments) => adapt::run(arguments, context),
        Command::Serve(arguments) => serve::run(arguments, context),
        Command::Import(arguments) => import::run(arguments, context),
        Command::Export(arguments) => export::run(arguments, context),
        Command::Inspect(arguments) => inspect::run(arguments, context),
        Command::Extract(arguments) => extract::run(arguments, context),
        Command::Phrases(arguments) => phrases::run(arguments, context),
        Command::Classes(arguments) => classes::run(arguments, context),
        Command::Reorder(arguments) => reorder::run(arguments, context),
        Command::Lm(arguments) => lm::run(arguments, context),
        Command::Report(arguments) => report::run(arguments, context),
        Command::Symmetrise(arguments) => symmetrise::run(arguments, context),
        Command::Score(arguments) => score::run(arguments, context),
        Command::Synthesise(arguments) => synthesise::run(arguments, context),
        Command::Learn(arguments) => learn::run(arguments, context),
        Command::Predict(arguments) => predict::run(arguments, context),
        Command::Tokenize(arguments) => tokenize::tokenize(arguments, context),
        Command::Detokenize(arguments) => tokenize::detokenize(arguments, context),
        Command::Truecase(arguments) => tokenize::truecase(arguments, context),
        Command::Tune(arguments) => tune::run(arguments, context),
        Command::Completions(arguments) => {
            completions::run(arguments, crate::Chiasm::command(), context)
        }
    }
}
