//! Settings as a file that people write: read over a preset, with the line of what is wrong, and the template.

use crate::settings::{Preset, Settings};

impl Settings {
    /// Reads a configuration file over a preset: what the file does not say stays.
    pub fn read_over(preset: Preset, text: &str) -> std::result::Result<Self, String> {
        let mut base =
            toml::Table::try_from(Settings::preset(preset)).map_err(|e| e.to_string())?;
        let complaint = |error| complaint(&error, text);
        let file: toml::Table = toml::from_str(text).map_err(complaint)?;
        // Alone first: what is laid over a preset no longer knows its line.
        toml::from_str::<Settings>(text).map_err(complaint)?;
        overlay(&mut base, file);
        base.try_into()
            .map_err(|error: toml::de::Error| error.message().to_string())
    }
}

fn complaint(error: &toml::de::Error, text: &str) -> String {
    let line = error
        .span()
        .map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
    // A key that is not known is named by the message itself.
    let named = error.message().starts_with("unknown field");
    let key = line
        .filter(|_| !named)
        .map_or(String::new(), |line| key_of(text, line));
    match line {
        Some(line) => format!("line {line}: {key}{}", error.message()),
        None => error.message().to_string(),
    }
}

/// `section.key: ` of a line, counted from 1.
fn key_of(text: &str, line: usize) -> String {
    let mut section = String::new();
    for (number, line_text) in text.lines().enumerate() {
        let trimmed = line_text.trim();
        if let Some(name) = trimmed.strip_prefix('[') {
            section = format!("{}.", name.trim_end_matches(']'));
        }
        if number + 1 == line {
            let key = trimmed.split_once('=').map(|(key, _)| key.trim());
            return key.map_or(String::new(), |key| format!("{section}{key}: "));
        }
    }
    String::new()
}

fn overlay(base: &mut toml::Table, over: toml::Table) {
    for (key, value) in over {
        match (base.get_mut(&key), value) {
            (Some(toml::Value::Table(inner)), toml::Value::Table(value)) => overlay(inner, value),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

/// What `chiasm init` writes.
pub const TEMPLATE: &str = "\
# How `chiasm train --config THIS_FILE` builds a system. Everything here is the default of the
# standard preset; delete what you do not change. The command line has the last word.

memory = \"4G\"       # for counting and sorting; what does not fit goes to disk
seed = 1            # the same seed gives the same bytes

[text]
case = \"truecase\"   # words as inside sentences; or lower, keep (not for tokenised text)
max_length = 80     # pairs with a longer side are left out of training
max_ratio = 9.0     # so are pairs whose sides differ more in length
drop_duplicates = false
dev_pairs = 1000    # cut from the training text when no development set is given

[align]
preset = \"standard\" # fast, standard, best
symmetrise = \"grow-diag-final-and\"
null_probability = 0.03 # a priori share of words without a counterpart; more leaves more unaligned
alignments = 4      # from different seeds; phrase pairs are counted in all of them

[lm]
order = 5
prune = []          # e.g. [0, 0, 1]: n-grams of order 3 and more seen once are left out
classes = 200       # a second model of this many word classes; 0 is none
class_order = 6

[phrases]
max_length = 7
smoothing = \"none\" # relative frequencies, or \"kneser-ney\"

[reordering]
table = \"hier-msd-bidirectional-fe\" # or \"none\"
# Learned models beside it, each as the options of `chiasm reorder train`; [] is none.
models = [\"--learner svm --features S15+unaligned --c 0.01 --direction both --gap 0.02\"]
sparse = false      # a weight for each frequent word or class that moves; needs mira or pro
sparse_parts = \"all\" # or \"phrase\": not the phrase before nor the words between
sparse_classes = 50 # 0 is none
sparse_words = 80
operations = 0      # longest n-grams of a model of operation sequences, at most 6; 0 is none
operation_classes = 0 # a second such model, on this many word classes; 0 is none

[search]
distortion_limits = [6, 12, 0] # candidates; the best on the development set is taken; 0 is no limit
pop_limit = 600     # hypotheses that are scored for each number of translated words
unknown = \"nearest\" # words that the phrase table does not know: read as the nearest known form; or copy

[tune]
method = \"mira\"     # mira, mert, pro, pro-classic (as published), none
iterations = 10
patience = 4        # rounds without a better score after which tuning ends
nbest = 100
pop_limit = 1000
sentences = 1000    # of the development set
seed = 0            # 0: the seed above

[joint]
train = true        # a small neural model of target words, inside the search, that looks at both languages
words = 16000       # of each language that are told apart, at most
embedding = 96      # numbers that stand for a word
hidden = 256        # numbers of the hidden layer
examples = 0        # words learned from in all passes together; 0: by the amount of text
dropout = 0.2
learning_rate = 0.002 # after the warm-up; from there it falls

[ranker]
train = true        # a small neural model that chooses among the translations that the search finds
size = \"auto\"       # by the number of sentence pairs; or tiny, small, base
steps = 0           # of training at most; 0: by the amount of text
batch = 600         # target subwords of a step
dropout = 0         # share of numbers; 0: by the amount of text
label_smoothing = 0.1
learning_rate = 0.002 # after the warm-up; from there it falls
warm_up = 1000
patience = 5        # looks at the development set without a better likelihood after which training ends
nbest = 50          # translations that it chooses among
";
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_says_the_defaults() {
        let read = Settings::read_over(Preset::Quick, TEMPLATE).unwrap();
        assert_eq!(read, Settings::default());
    }

    #[test]
    fn a_file_changes_what_it_says_and_nothing_else() {
        let read = Settings::read_over(Preset::Best, "[lm]\norder = 3\n").unwrap();
        let mut expected = Settings::preset(Preset::Best);
        expected.lm.order = 3;
        assert_eq!(read, expected);
        let unknown = Settings::read_over(Preset::Best, "[lm]\nordre = 3\n").unwrap_err();
        assert!(unknown.contains("ordre"), "{unknown}");
        assert!(unknown.starts_with("line 2"), "{unknown}");
        let negative = Settings::read_over(Preset::Best, "\n[lm]\nclasses = -3\n").unwrap_err();
        assert!(negative.starts_with("line 3"), "{negative}");
        let broken = Settings::read_over(Preset::Best, "[lm]\norder = \n").unwrap_err();
        assert!(broken.starts_with("line 2"), "{broken}");
    }
}
