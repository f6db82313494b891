//! The n-grams of a compiled model, found again. Its tables know n-grams by their hashes alone, so they cannot be listed; but whoever
//! has the text that it was estimated on, or more than that, can ask for each n-gram there.

use super::{NgramList, OrderList};
use crate::model::Model;
use crate::{Error, Result, UNKNOWN};
use chiasm_text::Vocabulary;
use std::collections::HashSet;

impl NgramList {
    /// All n-grams of a model, from the sentences it was estimated on; an error if the sentences lack some.
    pub fn recover<'a, S>(model: &Model, sentences: impl Iterator<Item = S>) -> Result<Self>
    where
        S: Iterator<Item = &'a str>,
    {
        let mut vocabulary = Vocabulary::new();
        let mut orders = vec![OrderList::default(); model.order()];
        for id in 0..model.vocabulary_size() as u32 {
            if vocabulary.intern(model.word(id)) != id {
                return Err(Error::Impossible(format!(
                    "word {id} is in the model twice"
                )));
            }
            if let Some((probability, backoff)) = model.ngram(&[id]) {
                orders[0].push(&[id], probability, backoff);
            }
        }
        let mut seen: HashSet<Vec<u32>> = HashSet::new();
        let mut line = Vec::new();
        for sentence in sentences {
            line.clear();
            line.push(model.begin_of_sentence());
            line.extend(sentence.map(|word| model.vocabulary_id(word)));
            line.push(model.end_of_sentence());
            for order in 2..=model.order() {
                for words in line.windows(order) {
                    // `<unk>` is a word like any other where the model has n-grams with it.
                    let Some((probability, backoff)) = model.ngram(words) else {
                        continue;
                    };
                    if seen.insert(words.to_vec()) {
                        orders[order - 1].push(words, probability, backoff);
                    }
                }
            }
        }
        for (index, (list, &count)) in orders.iter().zip(model.counts()).enumerate() {
            let (found, order) = (list.len() as u64, index + 1);
            if found != count {
                return Err(Error::Impossible(format!(
                    "{found} of the {count} {order}-grams of the model are in this text: it is not what the model was made of"
                )));
            }
        }
        debug_assert_eq!(vocabulary.word(UNKNOWN), model.word(UNKNOWN));
        Ok(NgramList { vocabulary, orders })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::{Discounts, Options, SpecialWords, estimate};

    #[test]
    fn a_compiled_model_gives_its_ngrams_back_for_its_text() {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("text");
        let lines = [
            "the cat sees the dog",
            "a dog sees",
            "the dog sees the cat",
            "cat",
        ];
        std::fs::write(&text, lines.join("\n")).unwrap();
        let mut options = Options::new(3);
        options.special = SpecialWords::Skip;
        options.fallback = Some(Discounts([0.5, 1.0, 1.5]));
        let model = estimate(&[text], &options, &())
            .unwrap()
            .into_model(&())
            .unwrap();
        let split = |lines: &'static [&'static str]| lines.iter().map(|line| line.split(' '));
        const LINES: &[&str] = &[
            "the cat sees the dog",
            "a dog sees",
            "the dog sees the cat",
            "cat",
        ];
        let list = NgramList::recover(&model, split(LINES)).unwrap();
        let path = folder.path().join("lm.arpa");
        list.write(&path).unwrap();
        let again = Model::open(&path).unwrap();
        assert_eq!(again.counts(), model.counts());
        for line in ["the cat sees a dog", "dog dog unheard", ""] {
            assert_eq!(again.score_line(line), model.score_line(line), "{line}");
        }
        let less = NgramList::recover(&model, split(&LINES[..2])).unwrap_err();
        assert!(less.to_string().contains("2-grams of the model"), "{less}");
    }
}
