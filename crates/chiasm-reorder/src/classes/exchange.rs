//! The exchange itself: neighbours counted, words moved from class to class.

use chiasm_text::Text;
use chiasm_work::cancel;

/// Which words follow which, how often; the last word number is the sentence boundary.
pub(super) struct Bigrams {
    words: usize,
    successors: Neighbours,
    predecessors: Neighbours,
    /// How often each word was seen before and after another.
    counts: Vec<u64>,
    /// Words by falling frequency.
    order: Vec<u32>,
}

/// For each word, others with counts; and how often it stands beside itself.
struct Neighbours {
    offsets: Vec<usize>,
    pairs: Vec<(u32, u32)>,
}

impl Neighbours {
    /// `bigrams` sorted by first word.
    fn new(words: usize, bigrams: &[(u32, u32, u32)]) -> Self {
        let mut offsets = vec![0; words + 1];
        for bigram in bigrams {
            offsets[bigram.0 as usize + 1] += 1;
        }
        for word in 0..words {
            offsets[word + 1] += offsets[word];
        }
        Neighbours {
            offsets,
            pairs: bigrams.iter().map(|b| (b.1, b.2)).collect(),
        }
    }

    fn of(&self, word: u32) -> &[(u32, u32)] {
        &self.pairs[self.offsets[word as usize]..self.offsets[word as usize + 1]]
    }
}

impl Bigrams {
    pub fn count(text: &Text, words: usize) -> Self {
        let boundary = words as u32;
        let mut all: Vec<u64> = Vec::with_capacity(text.tokens.len() + text.len());
        let mut counts = vec![0u64; words + 1];
        for sentence in text.sentences().filter(|sentence| !sentence.is_empty()) {
            let mut previous = boundary;
            for &word in sentence.iter().chain(std::iter::once(&boundary)) {
                all.push(u64::from(previous) << 32 | u64::from(word));
                counts[word as usize] += 1;
                previous = word;
            }
        }
        all.sort_unstable();
        let mut bigrams: Vec<(u32, u32, u32)> = Vec::new();
        for bigram in all {
            let (first, second) = ((bigram >> 32) as u32, bigram as u32);
            match bigrams.last_mut() {
                Some(last) if (last.0, last.1) == (first, second) => last.2 += 1,
                _ => bigrams.push((first, second, 1)),
            }
        }
        let successors = Neighbours::new(words + 1, &bigrams);
        for bigram in &mut bigrams {
            (bigram.0, bigram.1) = (bigram.1, bigram.0);
        }
        bigrams.sort_unstable();
        let mut order: Vec<u32> = (0..boundary).collect();
        order.sort_by_key(|&word| (std::cmp::Reverse(counts[word as usize]), word));
        Bigrams {
            words,
            successors,
            predecessors: Neighbours::new(words + 1, &bigrams),
            counts,
            order,
        }
    }
}

/// x log x, from a table where x is small.
struct Entropy(Vec<f64>);

impl Entropy {
    fn new() -> Self {
        let value = |x: u32| {
            if x == 0 {
                0.0
            } else {
                f64::from(x) * f64::from(x).ln()
            }
        };
        Entropy((0..1 << 16).map(value).collect())
    }

    #[inline(always)]
    fn of(&self, x: u64) -> f64 {
        match self.0.get(x as usize) {
            Some(&value) => value,
            None => x as f64 * (x as f64).ln(),
        }
    }
}

pub(super) struct Exchange<'a> {
    bigrams: &'a Bigrams,
    count: usize,
    /// Classes and the boundary's own, which takes no word.
    stride: usize,
    pub class_of: Vec<u16>,
    /// N(g,h) at `g * stride + h`.
    pairs: Vec<u64>,
    /// N(g,·) = N(·,g): every word has as many predecessors as successors.
    totals: Vec<u64>,
    entropy: Entropy,
    /// Of the word being moved: counts with each class after and before it, and those not zero.
    after: Vec<u64>,
    before: Vec<u64>,
    touched_after: Vec<u16>,
    touched_before: Vec<u16>,
}

impl<'a> Exchange<'a> {
    /// Words go round the classes by falling frequency: a start in which every class holds frequent
    /// and rare words leaves more ways open than one that gives rare words a class of their own.
    pub fn new(bigrams: &'a Bigrams, count: usize) -> Self {
        let stride = count + 1;
        let mut class_of = vec![count as u16; bigrams.words + 1];
        for (rank, &word) in bigrams.order.iter().enumerate() {
            class_of[word as usize] = (rank % count) as u16;
        }
        let mut pairs = vec![0; stride * stride];
        let mut totals = vec![0; stride];
        for word in 0..=bigrams.words as u32 {
            let class = class_of[word as usize] as usize;
            totals[class] += bigrams.counts[word as usize];
            for &(next, times) in bigrams.successors.of(word) {
                pairs[class * stride + class_of[next as usize] as usize] += u64::from(times);
            }
        }
        Exchange {
            bigrams,
            count,
            stride,
            class_of,
            pairs,
            totals,
            entropy: Entropy::new(),
            after: vec![0; stride],
            before: vec![0; stride],
            touched_after: Vec::new(),
            touched_before: Vec::new(),
        }
    }

    pub fn objective(&self) -> f64 {
        let sum = |counts: &[u64]| {
            counts
                .iter()
                .map(|&count| self.entropy.of(count))
                .sum::<f64>()
        };
        sum(&self.pairs) - 2.0 * sum(&self.totals)
    }

    /// Lets every word choose; returns how many moved.
    pub fn round(&mut self) -> usize {
        let bigrams = self.bigrams;
        let mut moved = 0;
        for &word in &bigrams.order {
            cancel::check();
            let itself = self.look_around(word);
            let old = self.class_of[word as usize] as usize;
            self.take(word, old, itself, false);
            let mut best = old;
            let mut best_gain = self.gain(word, old, itself);
            for class in (0..self.count).filter(|&class| class != old) {
                let gain = self.gain(word, class, itself);
                if gain > best_gain + 1e-9 {
                    (best, best_gain) = (class, gain);
                }
            }
            self.take(word, best, itself, true);
            self.class_of[word as usize] = best as u16;
            moved += usize::from(best != old);
        }
        moved
    }

    /// Counts the word's neighbours by class; returns how often it stands beside itself.
    fn look_around(&mut self, word: u32) -> u64 {
        let mut itself = 0;
        for class in self.touched_after.drain(..) {
            self.after[class as usize] = 0;
        }
        for class in self.touched_before.drain(..) {
            self.before[class as usize] = 0;
        }
        for &(next, times) in self.bigrams.successors.of(word) {
            if next == word {
                itself = u64::from(times);
                continue;
            }
            let class = self.class_of[next as usize];
            if self.after[class as usize] == 0 {
                self.touched_after.push(class);
            }
            self.after[class as usize] += u64::from(times);
        }
        for &(previous, times) in self.bigrams.predecessors.of(word) {
            if previous == word {
                continue;
            }
            let class = self.class_of[previous as usize];
            if self.before[class as usize] == 0 {
                self.touched_before.push(class);
            }
            self.before[class as usize] += u64::from(times);
        }
        itself
    }

    /// Puts the word into a class (or takes it out).
    fn take(&mut self, word: u32, class: usize, itself: u64, put: bool) {
        let stride = self.stride;
        let change = |count: &mut u64, by: u64| {
            if put {
                *count += by;
            } else {
                *count -= by;
            }
        };
        for &other in &self.touched_after {
            let by = self.after[other as usize];
            change(&mut self.pairs[class * stride + other as usize], by);
        }
        for &other in &self.touched_before {
            let by = self.before[other as usize];
            change(&mut self.pairs[other as usize * stride + class], by);
        }
        change(&mut self.pairs[class * stride + class], itself);
        let count = self.bigrams.counts[word as usize];
        change(&mut self.totals[class], count);
    }

    /// How much F gains if the word, now in no class, goes to this one.
    #[inline]
    fn gain(&self, word: u32, class: usize, itself: u64) -> f64 {
        let (stride, entropy) = (self.stride, &self.entropy);
        let step = |count: u64, by: u64| entropy.of(count + by) - entropy.of(count);
        let mut gain = 0.0;
        for &other in &self.touched_after {
            let other = other as usize;
            if other != class {
                gain += step(self.pairs[class * stride + other], self.after[other]);
            }
        }
        for &other in &self.touched_before {
            let other = other as usize;
            if other != class {
                gain += step(self.pairs[other * stride + class], self.before[other]);
            }
        }
        let inside = self.after[class] + self.before[class] + itself;
        gain += step(self.pairs[class * stride + class], inside);
        gain - 2.0 * step(self.totals[class], self.bigrams.counts[word as usize])
    }
}
