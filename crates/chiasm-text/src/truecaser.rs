//! Words in the case they have inside sentences, so that `The` at the beginning and `the` are one word.
//!
//! As Moses does it: of each word the casings are counted outside sentence beginnings, and the most frequent one
//! replaces all others. The model is Moses' text format, a line a word: `best (count/total) other (count) ...`.

use crate::{Error, Lines, Result, TextOutput};
use hashbrown::HashMap;
use std::io::Write;
use std::path::Path;

/// Counts casings.
#[derive(Default, Debug)]
pub struct TruecaserTrainer {
    /// By lower-cased word.
    casings: HashMap<String, HashMap<String, u64>>,
}

/// Knows the best casing of each word.
#[derive(Default, Debug, PartialEq, Eq)]
pub struct Truecaser {
    best: HashMap<String, String>,
}

/// After these a sentence begins.
fn ends_sentence(token: &str) -> bool {
    matches!(token, "." | ":" | "?" | "!")
}

/// These may stand before the first word.
fn delays_start(token: &str) -> bool {
    matches!(
        token,
        "(" | "[" | "\"" | "'" | "&apos;" | "&quot;" | "&#91;" | "&#93;"
    )
}

fn has_case(token: &str) -> bool {
    token.chars().any(|c| c.is_lowercase() || c.is_uppercase())
}

impl TruecaserTrainer {
    /// Nothing counted yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts a tokenised line.
    pub fn add_line(&mut self, line: &str) {
        let mut first = true;
        for token in crate::tokens(line) {
            if delays_start(token) {
                continue;
            }
            if !first && ends_sentence(token) {
                first = true;
                continue;
            }
            if !first && has_case(token) {
                let forms = self.casings.entry(token.to_lowercase()).or_default();
                *forms.entry_ref(token).or_default() += 1;
            }
            first = false;
        }
    }

    /// Every word's casings, the most frequent first, equal ones in the order of their letters.
    fn sorted(&self) -> Vec<Vec<(&str, u64)>> {
        let mut words: Vec<Vec<(&str, u64)>> = Vec::with_capacity(self.casings.len());
        for forms in self.casings.values() {
            let mut forms: Vec<(&str, u64)> = forms
                .iter()
                .map(|(form, &count)| (form.as_str(), count))
                .collect();
            forms.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
            words.push(forms);
        }
        words.sort_unstable();
        words
    }

    /// The model.
    pub fn finish(&self) -> Truecaser {
        let entry = |forms: Vec<(&str, u64)>| (forms[0].0.to_lowercase(), forms[0].0.to_string());
        Truecaser {
            best: self.sorted().into_iter().map(entry).collect(),
        }
    }

    /// Writes the model as text; the same counts give the same bytes.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let mut output = TextOutput::create(path)?;
        for forms in self.sorted() {
            let total: u64 = forms.iter().map(|(_, count)| count).sum();
            let mut line = format!("{} ({}/{total})", forms[0].0, forms[0].1);
            for (form, count) in &forms[1..] {
                line.push_str(&format!(" {form} ({count})"));
            }
            line.push('\n');
            output
                .write_all(line.as_bytes())
                .map_err(|e| Error::io(path, e))?;
        }
        output.finish()
    }
}

impl Truecaser {
    /// Reads a model.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let mut lines = Lines::open(path)?;
        let mut best = HashMap::new();
        while let Some(line) = lines.next_line()? {
            let Some(form) = best_form(line).map(str::to_string) else {
                return Err(
                    lines.error("`word (count/total)` expected, as a truecasing model has it")
                );
            };
            best.insert(form.to_lowercase(), form);
        }
        Ok(Truecaser { best })
    }

    /// The known words in their best casing, a line each, in the order of their letters.
    pub fn to_text(&self) -> String {
        let mut forms: Vec<&str> = self.best.values().map(String::as_str).collect();
        forms.sort_unstable();
        forms.iter().map(|form| format!("{form}\n")).collect()
    }

    /// From what [`Truecaser::to_text`] gave.
    pub fn from_text(text: &str) -> Self {
        let entry = |form: &str| (form.to_lowercase(), form.to_string());
        Truecaser {
            best: text.lines().map(entry).collect(),
        }
    }

    /// Appends the truecased tokens of `line` to `output`.
    pub fn append(&self, line: &str, output: &mut String) {
        let start = output.len();
        for token in crate::tokens(line) {
            if output.len() > start {
                output.push(' ');
            }
            let lower = token.to_lowercase();
            output.push_str(self.best.get(&lower).map_or(token, String::as_str));
        }
    }

    /// The truecased line.
    pub fn truecase(&self, line: &str) -> String {
        let mut output = String::with_capacity(line.len());
        self.append(line, &mut output);
        output
    }

    /// How many words it knows.
    pub fn len(&self) -> usize {
        self.best.len()
    }

    /// True if it knows none.
    pub fn is_empty(&self) -> bool {
        self.best.is_empty()
    }
}

/// The first word of a line of the model, if the line has its form.
fn best_form(line: &str) -> Option<&str> {
    let (form, rest) = line.split_once(' ')?;
    let counts = rest.strip_prefix('(')?;
    let (count, _) = counts.split_once(['/', ')'])?;
    let numeric = !count.is_empty() && count.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    (!form.is_empty() && numeric).then_some(form)
}

/// Undoes truecasing for readers: the first letter of every sentence of a tokenised line becomes a capital.
pub fn capitalize_sentences(line: &str) -> String {
    let mut output = String::with_capacity(line.len());
    let mut first = true;
    for token in crate::tokens(line) {
        if !output.is_empty() {
            output.push(' ');
        }
        if first && has_case(token) {
            let mut characters = token.chars();
            output.extend(characters.next().into_iter().flat_map(char::to_uppercase));
            output.push_str(characters.as_str());
        } else {
            output.push_str(token);
        }
        if matches!(token, "." | "?" | "!") {
            first = true;
        } else if !delays_start(token) {
            first = false;
        }
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trained() -> TruecaserTrainer {
        let mut trainer = TruecaserTrainer::new();
        for line in [
            "The cat saw the dog of Mary .",
            "Mary saw the Cat . The dog saw a cat",
            "\" The end \" , said mary and Mary",
        ] {
            trainer.add_line(line);
        }
        trainer
    }

    #[test]
    fn the_most_frequent_casing_wins() {
        let truecaser = trained().finish();
        assert_eq!(
            truecaser.truecase("The Dog saw MARY and Zoe ."),
            "the dog saw Mary and Zoe ."
        );
        assert_eq!(
            capitalize_sentences("the dog . \" it barks"),
            "The dog . \" It barks"
        );
    }

    #[test]
    fn models_come_back_and_damage_is_told_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        let trainer = trained();
        trainer.save(&path).unwrap();
        assert_eq!(Truecaser::open(&path).unwrap(), trainer.finish());
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("Mary (2/3) mary (1)\n"), "{text}");
        std::fs::write(&path, format!("{text}broken\n")).unwrap();
        let line = text.lines().count() + 1;
        let message = Truecaser::open(&path).unwrap_err().to_string();
        assert!(message.contains(&format!("line {line}: ")), "{message}");
    }
}
