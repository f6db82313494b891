//! Models of orientation from a corpus that lies in several places.
//!
//! Every place reads its rows into a [`chiasm_phrases::shards::Shard`], whose words have the numbers of the whole, and tells what it
//! has [seen](Plan::seen) of each feature. The sums of all places make the [features](Features) of the whole, and the model of
//! naive Bayes, exactly as on one machine; with the features every place gathers its examples, for
//! [`chiasm_learn::shards`] to learn from, and [`Features::model`] makes a model of what was learned.

pub use crate::class_counts::Seen;

use crate::class_counts::{ClassCounts, Tallies};
use crate::class_table::ClassTable;
use crate::classes::read_classes;
use crate::corpus_view::{CorpusWords, HeldOut};
use crate::counting::{Counting, KeyCount};
use crate::examples::{ExampleOptions, check, gather};
use crate::index::FeatureIndex;
use crate::naive_bayes;
use crate::recipe::{Method, Recipe};
use crate::trainer::{Workplace, options};
use crate::training::{Assembly, assemble};
use crate::{Error, Result, StoredModel};
use chiasm_learn::{Examples, Model};
use chiasm_phrases::IndexedCorpus;

/// What is done in every place.
pub struct Plan {
    recipe: Recipe,
    options: ExampleOptions,
    classes: [ClassTable; 2],
    keep_counts: bool,
}

impl Plan {
    /// For a recipe. What needs the whole corpus at once is refused: products of features, filters and samples, pairs kept aside,
    /// word classes that nobody gives.
    pub fn new(recipe: &Recipe, workplace: &Workplace) -> Result<Self> {
        recipe.check()?;
        let refuse = |reason: &str| Err(Error::Request(format!("{reason} in shards")));
        let Method::Learned(learner) = &recipe.method else {
            return refuse("the lexicalised model is counted as a table, not learned");
        };
        if recipe.features.anova.degree() > 1 {
            return refuse("features are not multiplied");
        }
        if !recipe.takes_all() || recipe.held_out.is_some() {
            return refuse("neither --filter nor --sample nor --held-out");
        }
        if recipe.features.needs_tags() {
            return refuse("no tags of words");
        }
        if recipe.features.needs_classes() && recipe.class_files.iter().any(Option::is_none) {
            return refuse(
                "--source-classes and --target-classes expected, words are not clustered",
            );
        }
        let keep_counts = recipe.keeps_counts() && learner.learner.is_naive_bayes();
        let table = |file: &Option<std::path::PathBuf>| match file {
            Some(file) if recipe.features.needs_classes() => {
                let classes = read_classes(file)?;
                ClassTable::new(classes.iter().map(|(word, class)| (word.as_str(), *class)))
            }
            _ => Ok(ClassTable::default()),
        };
        Ok(Plan {
            classes: [
                table(&recipe.class_files[0])?,
                table(&recipe.class_files[1])?,
            ],
            options: options(recipe, keep_counts, workplace),
            recipe: recipe.clone(),
            keep_counts,
        })
    }

    /// Does the model need nothing but what was seen?
    pub fn counts_suffice(&self) -> bool {
        naive_bayes::suffices(&self.recipe)
    }

    /// Features seen less often, and in fewer sentence pairs, are of no use.
    pub fn least(&self) -> (u64, u64) {
        (self.options.min_count, self.options.min_sentences)
    }

    fn words(&self, corpus: &IndexedCorpus) -> CorpusWords {
        let [source, target] = &self.classes;
        CorpusWords::new(corpus, |word| source.word(word), |word| target.word(word))
    }

    fn counting<'a>(&'a self, words: &'a CorpusWords) -> Counting<'a> {
        Counting {
            task: &self.options.task,
            set: &self.options.features,
            words,
            held_out: HeldOut::default(),
            kept: None,
            min_count: self.options.min_count,
            min_sentences: self.options.min_sentences,
            budget: self.options.budget,
            folder: &self.options.folder,
        }
    }

    /// Calls `each` with what a place has seen.
    pub fn seen(&self, corpus: &mut IndexedCorpus, each: impl FnMut(Seen)) -> Result<()> {
        check(corpus, &self.options.features)?;
        let words = self.words(corpus);
        let counting = self.counting(&words);
        Tallies::of_corpus(corpus, &counting, &())?.give(each)
    }
}

/// The features of the whole corpus.
pub struct Features {
    plan: Plan,
    index: FeatureIndex,
    counts: ClassCounts,
    words: CorpusWords,
}

impl Features {
    /// Of the sums of what all places have seen. `corpus` has the words of the whole, and no rows.
    pub fn new(
        plan: Plan,
        mut corpus: IndexedCorpus,
        seen: impl Iterator<Item = Seen>,
    ) -> Result<Self> {
        let words = plan.words(&corpus);
        let counting = plan.counting(&words);
        let mut tallies = Tallies::new(&counting);
        for seen in seen {
            tallies.add(seen)?;
        }
        let (index, counts) = ClassCounts::of_tallies(tallies, &mut corpus, &counting, &())?;
        if index.is_empty() {
            return Err(plan.options.no_features(plan.options.min_count));
        }
        Ok(Features {
            plan,
            index,
            counts,
            words,
        })
    }

    /// How many features.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Never: without features there is nothing to learn.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Keys and counts of the features in their order, for places to gather examples with: see [`Gatherer`].
    pub fn keys(&self) -> Vec<u64> {
        let features = 0..self.index.len() as u32;
        features
            .flat_map(|feature| self.index.keys(feature))
            .collect()
    }

    /// The model of naive Bayes.
    pub fn naive_bayes(self) -> Result<StoredModel> {
        let Features {
            plan,
            index,
            counts,
            words,
        } = self;
        let (model, _, _) = naive_bayes::train_of_tallies(
            &plan.recipe,
            &plan.options,
            plan.keep_counts,
            (index, counts),
            &words,
            &plan.classes,
        )?;
        Ok(StoredModel::Learned(Box::new(model)))
    }

    /// The model of classifiers, one for each direction.
    pub fn model(&self, classifiers: &[Model]) -> Result<StoredModel> {
        let made_of = Assembly {
            options: &self.plan.options,
            index: &self.index,
            words: &self.words,
            classes: &self.plan.classes,
        };
        let model = assemble(&made_of, classifiers, self.plan.recipe.min_count, None)?;
        Ok(StoredModel::Learned(Box::new(model)))
    }
}

/// Gathers the examples of one place.
pub struct Gatherer {
    plan: Plan,
    index: FeatureIndex,
    words: CorpusWords,
}

impl Gatherer {
    /// With the [keys](Features::keys) of the features of the whole; `corpus` has its words.
    pub fn new(plan: Plan, corpus: &mut IndexedCorpus, keys: &[u64]) -> Result<Self> {
        let words = plan.words(corpus);
        let counting = plan.counting(&words);
        // Any falling counts that are large enough keep the order.
        let most = u64::MAX / 2;
        let counted = keys.iter().enumerate().map(|(number, &key)| KeyCount {
            key,
            count: most - number as u64,
            bound: 0,
            sentences: most,
        });
        let index = FeatureIndex::of_base(corpus, &counting, counted.collect(), 0, &())?;
        Ok(Gatherer { plan, index, words })
    }

    /// The examples of each direction, backward first.
    pub fn examples(&self, corpus: &mut IndexedCorpus) -> Result<Vec<Examples>> {
        let all = (HeldOut::default(), false);
        let found = gather(
            corpus,
            &self.plan.options,
            &self.index,
            &self.words,
            all,
            &(),
        )?;
        Ok(found.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trainer;
    use chiasm_phrases::AlignedFiles;
    use chiasm_phrases::shards::Shard;
    use std::collections::BTreeMap;
    use std::path::Path;

    fn rows() -> Vec<[String; 3]> {
        let pairs = chiasm_synthesis::Language::JapaneseLike.generator(3, 0);
        let row = |number| {
            let pair = pairs.pair(number);
            [pair.source_text(), pair.target_text(), pair.links_text()]
        };
        (0..120).map(row).collect()
    }

    fn corpus(rows: &[[String; 3]], folder: &Path) -> IndexedCorpus {
        let write = |column: usize| {
            let path = folder.join(column.to_string());
            let lines: String = rows.iter().map(|row| row[column].clone() + "\n").collect();
            std::fs::write(&path, lines).unwrap();
            path
        };
        let files = AlignedFiles {
            source: write(0),
            target: write(1),
            links: write(2),
        };
        IndexedCorpus::read(&files, folder, &()).unwrap()
    }

    fn shard(
        rows: &[[String; 3]],
        whole: &IndexedCorpus,
        part: usize,
        parts: usize,
    ) -> IndexedCorpus {
        let words =
            |side: &chiasm_phrases::Side| chiasm_phrases::Side::of_words(side.vocabulary.words());
        let sides = [words(&whole.source), words(&whole.target)];
        let mut shard = Shard::new(sides, &std::env::temp_dir()).unwrap();
        for row in rows.iter().skip(part).step_by(parts) {
            shard.push([&row[0], &row[1], &row[2]]).unwrap();
        }
        shard.finish().unwrap()
    }

    fn features(
        recipe: &Recipe,
        rows: &[[String; 3]],
        whole: &IndexedCorpus,
        parts: usize,
    ) -> Features {
        let workplace = Workplace {
            memory: 1 << 20,
            folder: std::env::temp_dir(),
        };
        let plan = || Plan::new(recipe, &workplace).unwrap();
        let mut sums: BTreeMap<(u64, i32), [u64; 3]> = BTreeMap::new();
        for part in 0..parts {
            let mut shard = shard(rows, whole, part, parts);
            plan()
                .seen(&mut shard, |seen| {
                    let sums = sums.entry((seen.key, seen.column)).or_default();
                    sums.iter_mut()
                        .zip(seen.sums)
                        .for_each(|(sum, one)| *sum += one);
                })
                .unwrap();
        }
        let seen = sums
            .iter()
            .map(|(&(key, column), &sums)| Seen { key, column, sums });
        Features::new(plan(), shard(&[], whole, 0, 1), seen).unwrap()
    }

    #[test]
    fn naive_bayes_of_parts_is_that_of_the_whole() {
        let folder = tempfile::tempdir().unwrap();
        let rows = rows();
        for text in [
            "--learner nb-map --features S7",
            "--learner nb-bayes --features S2 --min-count 2 --direction bidirectional",
        ] {
            let recipe: Recipe = text.parse().unwrap();
            let mut whole = corpus(&rows, folder.path());
            let workplace = Workplace {
                memory: 1 << 20,
                folder: folder.path().into(),
            };
            let expected = trainer::train(
                &recipe,
                &mut whole,
                Default::default(),
                &workplace,
                &chiasm_work::Silent,
            );
            let bytes = |model: StoredModel| {
                let path = folder.path().join("model");
                model.save(&path).unwrap();
                std::fs::read(path).unwrap()
            };
            let expected = bytes(expected.unwrap());
            for parts in [1, 3, 200] {
                let found = features(&recipe, &rows, &whole, parts);
                assert!(
                    bytes(found.naive_bayes().unwrap()) == expected,
                    "{text}: {parts}"
                );
            }
        }
    }

    #[test]
    fn examples_of_parts_are_those_of_the_whole() {
        let folder = tempfile::tempdir().unwrap();
        let rows = rows();
        let recipe: Recipe = "--learner svm --features S7 --min-count 3 --c 0.1"
            .parse()
            .unwrap();
        let whole = corpus(&rows, folder.path());
        let described = |examples: &Examples, into: &mut BTreeMap<(Vec<u32>, usize), f64>| {
            for row in examples.scan() {
                for pair in examples.pairs_of(row) {
                    let key = (
                        examples.row(row).features.to_vec(),
                        examples.pair_class(pair),
                    );
                    *into.entry(key).or_default() += examples.pair_weight(pair);
                }
            }
        };
        let found = features(&recipe, &rows, &whole, 2);
        let mut all = Vec::new();
        for parts in [1, 4] {
            let mut sums = BTreeMap::new();
            for part in 0..parts {
                let workplace = Workplace {
                    memory: 1 << 20,
                    folder: std::env::temp_dir(),
                };
                let plan = Plan::new(&recipe, &workplace).unwrap();
                let mut shard = shard(&rows, &whole, part, parts);
                let gatherer = Gatherer::new(plan, &mut shard, &found.keys()).unwrap();
                let examples = gatherer.examples(&mut shard).unwrap();
                assert_eq!(examples[0].features(), found.len());
                described(&examples[0], &mut sums);
            }
            all.push(sums);
        }
        assert!(all[0].len() > 300 && all[0] == all[1]);
        let mut whole = whole;
        let set = trainer::Preparation::new(
            &recipe,
            &mut whole,
            Default::default(),
            &Workplace {
                memory: 1 << 20,
                folder: folder.path().into(),
            },
            &chiasm_work::Silent,
        )
        .unwrap()
        .set;
        let mut expected = BTreeMap::new();
        described(&set.examples[0], &mut expected);
        assert!(expected == all[0]);
    }
}
