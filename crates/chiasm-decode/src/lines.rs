//! A line of input to the lines of output that were asked for.

use crate::decoder::{Decoder, Wanted};
use crate::formats::{self, Form};
use crate::input::{Glossary, Input, Markup};
use crate::word_graph::{GraphLimits, WordGraph};
use crate::{Error, Learned, Preparation, Result, Translation};
use std::sync::Arc;

/// How lines are translated and printed.
pub struct LineTranslator {
    /// The system, its weights and settings.
    pub decoder: Decoder,
    /// From lines to tokens and back.
    pub preparation: Preparation,
    /// What to do with markup.
    pub markup: Markup,
    /// Words that must be translated so.
    pub glossary: Option<Glossary>,
    /// What the user has taught.
    pub learned: Option<Arc<Learned>>,
    /// How many translations.
    pub wanted: Wanted,
    /// How they are printed.
    pub form: Form,
    /// The beginning of all translations.
    pub prefix: Option<String>,
    /// Are confidences and graphs wanted, too?
    pub graphs: bool,
}

/// What is printed for a line; all of it ends with its line.
#[derive(Default)]
pub struct PrintedLine {
    /// The translations.
    pub text: String,
    /// Their word alignment.
    pub alignment: String,
    /// How probable each word is.
    pub confidences: String,
    /// What the search looked at.
    pub graph: String,
}

impl LineTranslator {
    /// What stands in place of a line that cannot be read.
    pub fn nothing(&self) -> PrintedLine {
        PrintedLine {
            text: self.form.nothing().into(),
            alignment: "\n".into(),
            confidences: "\n".into(),
            graph: "\n".into(),
        }
    }

    /// Translates the line with this number, counted from 0.
    pub fn translate(&self, number: usize, line: &str) -> Result<PrintedLine> {
        if self.markup != Markup::PassThrough
            && let Some(tag) = Input::unclosed_element(line)
        {
            let reason = format!("<{tag}> is opened and not closed");
            return Err(Error::Input(reason));
        }
        let tokens = self.preparation.source_tokens(line);
        let mut input = Input::from_marked_line(&tokens, self.markup);
        if let Some(glossary) = &self.glossary {
            glossary.apply(&mut input);
        }
        input.learned.clone_from(&self.learned);
        let found = self.decoder.nbest(&input, self.wanted)?;
        let (system, place) = (self.decoder.system(), (number, input.tokens.as_slice()));
        let mut printed = PrintedLine {
            text: self.form.print(system, &self.preparation, place, &found),
            alignment: found.first().map(formats::pharaoh).unwrap_or_default() + "\n",
            ..PrintedLine::default()
        };
        if self.graphs || self.prefix.is_some() {
            let limits = GraphLimits::default();
            let graph = self.decoder.word_graph(&input, limits, 1.0)?;
            self.print_graph(&graph, found.first(), &mut printed);
        }
        Ok(printed)
    }

    fn print_graph(
        &self,
        graph: &WordGraph,
        best: Option<&Translation>,
        printed: &mut PrintedLine,
    ) {
        let system = self.decoder.system();
        let confidences = best
            .map(|best| system.confidences(graph, best))
            .unwrap_or_default();
        let confidences = confidences.iter().map(|value| format!("{value:.3}"));
        printed.confidences = confidences.collect::<Vec<_>>().join(" ") + "\n";
        printed.graph = serde_json::to_string(graph).unwrap_or_default() + "\n";
        if let Some(prefix) = &self.prefix {
            printed.text = prefix.clone() + &self.preparation.complete(graph, prefix) + "\n";
        }
    }
}
