//! Blocks of raw lines to tokens and back, with everything that may happen on the way.

use crate::{
    Detokenizer, LineBlock, PunctuationNormalizer, Tokenizer, Truecaser, capitalize_sentences,
    cleaning,
};

/// From text to tokens.
pub struct ToTokens {
    /// ISO 639 code.
    pub language: String,
    /// Quotation marks, dashes and spaces are first written in one way.
    pub normalize: bool,
    /// Words in small letters.
    pub lowercase: bool,
    /// `& | < > ' " [ ]` as entities, as Moses does.
    pub escape: bool,
    /// Words in their most frequent case.
    pub truecaser: Option<Truecaser>,
}

impl ToTokens {
    /// Appends the tokens of each line.
    pub fn convert(&self, block: &LineBlock, output: &mut String) {
        let mut tokenizer = Tokenizer::new(&self.language).escaping(self.escape);
        let normalizer = self
            .normalize
            .then(|| PunctuationNormalizer::new(&self.language));
        for line in block.lines() {
            let start = output.len();
            match &normalizer {
                Some(normalizer) => tokenizer.append(&normalizer.normalize(line), output),
                None => tokenizer.append(line, output),
            }
            let tokens = &output[start..];
            let cased = match &self.truecaser {
                Some(truecaser) => Some(truecaser.truecase(tokens)),
                None => self.lowercase.then(|| tokens.to_lowercase()),
            };
            if let Some(cased) = cased {
                output.truncate(start);
                output.push_str(&cased);
            }
            output.push('\n');
        }
    }
}

/// From tokens to text.
pub struct ToText {
    /// Joins.
    pub detokenizer: Detokenizer,
    /// Words are first written in their most frequent case.
    pub truecaser: Option<Truecaser>,
    /// Every sentence begins with a capital.
    pub capitalize: bool,
}

impl ToText {
    /// Appends the text of each line.
    pub fn convert(&self, block: &LineBlock, output: &mut String) {
        for line in block.lines() {
            let mut line = cleaning::clean_line(line);
            if let Some(truecaser) = &self.truecaser {
                line = truecaser.truecase(&line);
            }
            if self.capitalize {
                line = capitalize_sentences(&line);
            }
            output.push_str(&self.detokenizer.detokenize(&line));
            output.push('\n');
        }
    }
}
