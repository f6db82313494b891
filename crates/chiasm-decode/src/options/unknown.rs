//! What the search may use for words that the phrase table cannot translate.

use super::{Origin, PhraseCache, Request, SentenceOptions, prepare};
use crate::Result;
use crate::learned::Learned;
use crate::model::LogLinear;
use crate::system::System;
use crate::table::ROOT;
use chiasm_phrases::Span;

/// A known form that is read in place of a word.
pub(crate) struct StandIn {
    pub position: usize,
    pub form: String,
    /// Only where the word stands alone: longer phrases know it.
    pub alone: bool,
}

impl SentenceOptions {
    /// Puts known forms in the place of words that are not known.
    pub(super) fn replace_unknown(&mut self, system: &System, request: &Request<'_>) {
        for (position, token) in self.tokens.iter_mut().enumerate() {
            if !request.wants_copy(token)
                && let Some(form) = stand_in(system, request.learned, token)
            {
                token.clone_from(&form);
                self.stand_ins.push(StandIn {
                    position,
                    form,
                    alone: false,
                });
            }
        }
    }

    /// The words that have no translation of their own, and may have one.
    fn without_translation(&self, request: &Request<'_>) -> Vec<(Span, String)> {
        let mut has_word = vec![false; request.tokens.len()];
        for span in &self.spans {
            if span.span.len() == 1 {
                has_word[span.span.start as usize] = true;
            }
        }
        let words = self.tokens.iter().enumerate().map(|(position, token)| {
            let span = Span::new(position as u32, position as u32 + 1);
            (span, token.clone())
        });
        words
            .filter(|(span, _)| !has_word[span.start as usize] && !Self::is_blocked(request, *span))
            .collect()
    }

    /// A word that the table knows inside longer phrases only has, where it stands alone, the translations of the nearest
    /// form that has some.
    pub(super) fn add_borrowed(
        &mut self,
        model: &LogLinear,
        cache: &PhraseCache,
        request: &Request<'_>,
    ) -> Result<()> {
        let system = model.system();
        for (span, token) in self.without_translation(request) {
            if request.wants_copy(&token) {
                continue;
            }
            let Some(form) = system.nearest(&token) else {
                continue;
            };
            let Some(number) = system.source_words().get(&form) else {
                continue;
            };
            if let Some(node) = system.phrase_table().child(ROOT, number)? {
                let spelled = || vec![(number, form.as_str())];
                let prepared = prepare(model, cache, request, node, spelled)?;
                self.add_known(model, span, &prepared, None);
                self.stand_ins.push(StandIn {
                    position: span.start as usize,
                    form,
                    alone: true,
                });
            }
        }
        Ok(())
    }

    pub(super) fn add_unknown(&mut self, model: &LogLinear, request: &Request<'_>) {
        for (span, token) in self.without_translation(request) {
            if request.target.is_some() && !request.wants_copy(&token) {
                continue;
            }
            let first = self.options.len();
            self.add_option(model, span, Origin::Unknown, &[token.as_str()]);
            self.close_span(span, first);
        }
    }
}

/// The known form that is read in place of a word that neither the system nor its user knows.
pub(crate) fn stand_in(
    system: &System,
    learned: Option<&Learned>,
    token: &String,
) -> Option<String> {
    let token = std::slice::from_ref(token);
    let taught = |learned: &Learned| learned.source_numbers(system, token)[0].is_some();
    if system.source_words().get(&token[0]).is_some() || learned.is_some_and(taught) {
        return None;
    }
    system.nearest(&token[0])
}
