//! What is in a file that the project wrote: any container, and of a system what it knows.

use crate::{Error, KIND, Result, System};
use chiasm_store::Container;
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::Path;

/// A file with sections, opened to be looked at.
pub struct Inspection {
    container: Container,
    system: Option<System>,
    verified: bool,
}

impl Inspection {
    /// Opens a file; `verify` checks the contents of every section against its checksum.
    pub fn open(path: &Path, verify: bool) -> Result<Self> {
        let container = Container::open(path)?;
        if verify {
            container.sections().verify()?;
        }
        let system = match container.kind() {
            KIND => Some(System::open(path)?),
            _ => None,
        };
        Ok(Inspection {
            container,
            system,
            verified: verify,
        })
    }

    /// Looks up a source phrase; `path` is the file's name, for the error if it has no phrase table.
    pub fn phrase(&self, path: &Path, phrase: &str) -> Result<PhraseEntries> {
        match &self.system {
            Some(system) => PhraseEntries::find(system, phrase),
            None => Err(Error::Input(format!(
                "{}: a {}, which has no phrase table",
                path.display(),
                self.container.kind()
            ))),
        }
    }

    /// For machines.
    pub fn json(&self) -> Value {
        let sections = self.container.sections();
        let sections = sections
            .list()
            .map(|(name, length)| (name.to_string(), json!(length)));
        let mut object = json!({
            "kind": self.container.kind(),
            "version": self.container.version(),
            "verified": self.verified,
            "sections": sections.collect::<Map<String, Value>>(),
        });
        if let Some(system) = &self.system {
            object["configuration"] = json!(system.configuration());
            object["phrase_pairs"] = json!(system.phrase_table().len());
        }
        object
    }

    /// For people.
    pub fn text(&self) -> String {
        let container = &self.container;
        let mut text = format!("{} of version {}", container.kind(), container.version());
        text += if self.verified {
            ", contents verified\n"
        } else {
            "\n"
        };
        if let Some(system) = &self.system {
            text += &describe(system);
        }
        text.push('\n');
        for (name, length) in container.sections().list() {
            let _ = writeln!(text, "{length:>14}  {name}");
        }
        text
    }
}

fn describe(system: &System) -> String {
    let table = system.phrase_table();
    let mut text = format!(
        "{} phrase pairs, {} target phrases, {} source words, {} target words\n",
        table.len(),
        table.target_phrases(),
        system.source_words().len(),
        system.target_words().len()
    );
    for model in system.language_models() {
        let counts: Vec<String> = model.model().counts().iter().map(u64::to_string).collect();
        let _ = writeln!(text, "language model with {} n-grams", counts.join(" + "));
    }
    for model in system.operation_models() {
        let counts = model.model().counts().iter();
        let counts: Vec<String> = counts.map(u64::to_string).collect();
        let what = if model.is_of_classes() {
            "classes of words"
        } else {
            "words"
        };
        let counts = counts.join(" + ");
        let _ = writeln!(text, "operations on {what}: {counts} n-grams");
    }
    if let Some(model) = system.joint_model() {
        let ([source, target], embedding, hidden) = model.sizes();
        let _ = writeln!(
            text,
            "joint model of {source} source and {target} target words, {embedding} numbers a word, {hidden} in its hidden layer"
        );
    }
    let sparse = system.weights().sparse.len();
    if sparse > 0 {
        let _ = writeln!(text, "{sparse} sparse weights");
    }
    let _ = writeln!(text, "\n{}", system.configuration().to_text().trim_end());
    text
}

/// What the phrase table says of a source phrase.
pub struct PhraseEntries {
    phrase: String,
    entries: Vec<Entry>,
}

struct Entry {
    target: String,
    probabilities: Vec<f32>,
    links: String,
}

impl PhraseEntries {
    fn find(system: &System, phrase: &str) -> Result<Self> {
        let words: Option<Vec<u32>> = chiasm_text::tokens(phrase)
            .map(|word| system.source_words().get(word))
            .collect();
        let table = system.phrase_table();
        let options = match &words {
            Some(words) => table.find(words)?,
            None => 0..0,
        };
        system.confirm()?;
        let mut scores = vec![0.0; table.columns()];
        let mut entries = Vec::new();
        for number in options {
            let option = table.option(number)?;
            table.scores(number, &mut scores)?;
            let target = option
                .target
                .iter()
                .map(|&word| system.target_words().word(word));
            let links = option
                .links
                .iter()
                .map(|link| format!("{}-{}", link.source, link.target));
            entries.push(Entry {
                target: target.collect::<Vec<_>>().join(" "),
                probabilities: scores.iter().map(|score| score.exp()).collect(),
                links: links.collect::<Vec<_>>().join(" "),
            });
        }
        Ok(PhraseEntries {
            phrase: phrase.to_string(),
            entries,
        })
    }

    /// For machines: a list, empty if the phrase is not known.
    pub fn json(&self) -> Value {
        let one = |entry: &Entry| {
            let Entry {
                target,
                probabilities,
                links,
            } = entry;
            json!({ "target": target, "probabilities": probabilities, "links": links })
        };
        self.entries.iter().map(one).collect()
    }

    /// For people: lines as in a phrase table; an error if there are none.
    pub fn text(&self) -> Result<String> {
        let phrase = &self.phrase;
        if self.entries.is_empty() {
            return Err(Error::Input(format!(
                "{phrase:?} is not in the phrase table"
            )));
        }
        let mut text = String::new();
        for Entry {
            target,
            probabilities,
            links,
        } in &self.entries
        {
            let numbers: Vec<String> = probabilities.iter().map(|p| format!("{p:.6}")).collect();
            let numbers = numbers.join(" ");
            let _ = writeln!(text, "{phrase} ||| {target} ||| {numbers} ||| {links}");
        }
        Ok(text)
    }
}
