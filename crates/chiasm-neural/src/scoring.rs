//! What a model thinks of translations: the source is read once, and what several translations begin with is, too.

use crate::attention::Block;
use crate::dropout::Dropout;
use crate::kernels::{add, dot, linear, normalise, shares, widest};
use crate::loss::log_probabilities;
use crate::model::Model;
use crate::shape::Attention;
use crate::sublayers::{Pass, Seen, attention, inner};
use crate::subwords::BOUNDARY;
use rustc_hash::FxHashMap;

/// Longer sources are not judged: attention takes time in proportion to the square.
const LONGEST_SOURCE: usize = 500;
/// Translations are judged until they have so many distinct prefixes.
const MOST_PREFIXES: usize = 6_000;

/// The distinct beginnings of several translations. Each but the empty one is another one and one more subword;
/// shorter ones come first.
pub(crate) struct Prefixes {
    pieces: Vec<u16>,
    parents: Vec<u32>,
    depths: Vec<u32>,
    /// In which order prefixes follow prefixes.
    next: FxHashMap<(u32, u16), u32>,
    /// What stands behind a prefix somewhere, as numbers of `wanted`.
    wanted: Vec<(u32, u16)>,
    /// The continuations that each translation consists of.
    paths: Vec<Vec<u32>>,
}

impl Prefixes {
    pub fn new() -> Self {
        Prefixes {
            pieces: vec![BOUNDARY],
            parents: vec![0],
            depths: vec![0],
            next: FxHashMap::default(),
            wanted: Vec::new(),
            paths: Vec::new(),
        }
    }

    /// Adds a translation.
    fn push(&mut self, pieces: &[u16], known: &mut FxHashMap<(u32, u16), u32>) {
        let mut node = 0u32;
        let mut path = Vec::with_capacity(pieces.len() + 1);
        for &piece in pieces.iter().chain(&[BOUNDARY]) {
            let number = *known.entry((node, piece)).or_insert_with(|| {
                self.wanted.push((node, piece));
                self.wanted.len() as u32 - 1
            });
            path.push(number);
            if path.len() > pieces.len() {
                break;
            }
            node = self.child(node, piece);
        }
        self.paths.push(path);
    }

    /// The prefix that is one subword longer.
    fn child(&mut self, node: u32, piece: u16) -> u32 {
        let next = self.pieces.len() as u32;
        let depth = self.depths[node as usize] + 1;
        let child = *self.next.entry((node, piece)).or_insert(next);
        if child == next {
            self.pieces.push(piece);
            self.parents.push(node);
            self.depths.push(depth);
        }
        child
    }

    /// The prefix of these subwords.
    pub fn walk(&mut self, pieces: &[u16]) -> u32 {
        let mut node = 0;
        for &piece in pieces {
            node = self.child(node, piece);
        }
        node
    }

    fn len(&self) -> usize {
        self.pieces.len()
    }
}

impl Model {
    /// The natural logarithm of each translation's probability, in the order of the translations. Fewer come back
    /// than went in if source or translations are so long that it would take too much time: the first are judged.
    pub fn score<T: AsRef<str>>(&self, source: &[T], translations: &[&[T]]) -> Vec<f32> {
        let prefixes = self.prefixes(translations);
        if prefixes.paths.is_empty() {
            return Vec::new();
        }
        let Some(memory) = self.read(source) else {
            return Vec::new();
        };
        let ready = self.ready();
        let (network, pass) = (&ready.network, ready.pass());
        let out = self.decode(pass, &memory, &prefixes);
        let mut order: Vec<u32> = (0..prefixes.wanted.len() as u32).collect();
        order.sort_unstable_by_key(|&number| prefixes.wanted[number as usize]);
        let wanted = order.iter().map(|&number| {
            let (node, piece) = prefixes.wanted[number as usize];
            (node as usize, piece)
        });
        let found = log_probabilities(&network.layout, pass, &out, wanted);
        let mut values = vec![0.0; order.len()];
        for (&number, &value) in order.iter().zip(&found) {
            values[number as usize] = value;
        }
        let total = |path: &Vec<u32>| -> f32 {
            let steps = path
                .iter()
                .map(|&number| f64::from(values[number as usize]));
            steps.sum::<f64>() as f32
        };
        prefixes.paths.iter().map(total).collect()
    }

    /// What the encoder says of a source sentence; `None` if that is too long.
    pub(crate) fn read<T: AsRef<str>>(&self, source: &[T]) -> Option<Vec<f32>> {
        let mut pieces = Vec::new();
        for word in source {
            self.source.encode(word.as_ref(), &mut pieces);
        }
        pieces.push(BOUNDARY);
        let ready = self.ready();
        let fits = pieces.len() <= LONGEST_SOURCE;
        fits.then(|| ready.network.memory(ready.pass(), &pieces))
    }

    fn prefixes<T: AsRef<str>>(&self, translations: &[&[T]]) -> Prefixes {
        let mut prefixes = Prefixes::new();
        let (mut pieces, mut known) = (Vec::new(), FxHashMap::default());
        // The words of a list are few, and each stands in many of its translations.
        let mut spelled: FxHashMap<&str, Vec<u16>> = FxHashMap::default();
        for translation in translations {
            pieces.clear();
            for word in *translation {
                let spelling = spelled.entry(word.as_ref()).or_insert_with(|| {
                    let mut spelling = Vec::new();
                    self.target.encode(word.as_ref(), &mut spelling);
                    spelling
                });
                pieces.extend_from_slice(spelling);
            }
            if prefixes.len() + pieces.len() > MOST_PREFIXES {
                break;
            }
            prefixes.push(&pieces, &mut known);
        }
        prefixes
    }

    /// What the decoder says after each prefix.
    pub(crate) fn decode(&self, pass: Pass<'_>, memory: &[f32], prefixes: &Prefixes) -> Vec<f32> {
        let network = &self.ready().network;
        let layout = &network.layout;
        let width = layout.shape.width;
        let embedding = &pass.parameters[layout.target_embedding..];
        let mut x = vec![0.0; prefixes.len() * width];
        for (node, row) in x.chunks_exact_mut(width).enumerate() {
            network.embed(
                embedding,
                prefixes.pieces[node],
                prefixes.depths[node] as usize,
                row,
            );
        }
        let blocks = [Block {
            queries: 0..prefixes.len(),
            keys: 0..memory.len() / width,
        }];
        let mut none = Dropout::none();
        for layer in &layout.decoder {
            prefix_attention(pass, &layer.attention, &mut x, prefixes);
            attention(
                pass,
                &layer.cross,
                &mut x,
                Seen::Other(memory),
                &blocks,
                &mut none,
            );
            inner(pass, &layer.inner, &mut x, &mut none);
        }
        normalise(pass.parameters, &layout.decoder_norm, &x).0
    }
}

/// Each prefix looks at the prefixes that it begins with.
fn prefix_attention(pass: Pass<'_>, layer: &Attention, x: &mut [f32], prefixes: &Prefixes) {
    let Pass {
        parameters,
        threads,
    } = pass;
    let (normed, _) = normalise(parameters, &layer.norm, x);
    let queries = linear(parameters, &layer.query, &normed, threads);
    let keys = linear(parameters, &layer.keys, &normed, threads);
    let mut gathered = vec![0.0; x.len()];
    widest(
        #[inline(always)]
        || gather(layer.heads, prefixes, &queries, &keys, &mut gathered),
    );
    add(x, &linear(parameters, &layer.out, &gathered, threads));
}

/// What each prefix sees: the values of the prefixes that it begins with, by the shares that its query gives them.
#[inline(always)]
fn gather(heads: usize, prefixes: &Prefixes, queries: &[f32], keys: &[f32], gathered: &mut [f32]) {
    let width = queries.len() / prefixes.len();
    let head = width / heads;
    let scale = 1.0 / (head as f32).sqrt();
    let (mut seen, mut scores) = (Vec::new(), Vec::new());
    for (node, gathered) in gathered.chunks_exact_mut(width).enumerate() {
        seen.clear();
        seen.push(node);
        let mut at = node;
        while at != 0 {
            at = prefixes.parents[at] as usize;
            seen.push(at);
        }
        for number in 0..heads {
            let first = number * head;
            let query = &queries[node * width + first..][..head];
            scores.clear();
            scores.extend(seen.iter().map(|&other| {
                let key = &keys[other * 2 * width + first..][..head];
                dot(query, key) * scale
            }));
            shares(&mut scores);
            for (&other, &share) in seen.iter().zip(&scores) {
                let value = &keys[other * 2 * width + width + first..][..head];
                for (sum, value) in gathered[first..first + head].iter_mut().zip(value) {
                    *sum += share * value;
                }
            }
        }
    }
}
