//! Translating with the model alone, by beam search: not a way to translate, but to see what the model knows by itself.

use crate::loss::all_log_probabilities;
use crate::model::Model;
use crate::scoring::Prefixes;
use crate::sublayers::Pass;
use crate::subwords::{BOUNDARY, UNKNOWN};

/// A translation that is being written.
#[derive(Clone)]
struct Writing {
    pieces: Vec<u16>,
    /// The natural logarithm of its probability.
    score: f32,
}

impl Writing {
    /// The score by which translations of different lengths are compared: that of a subword, the end counted.
    fn value(&self) -> f32 {
        self.score / (self.pieces.len() + 1) as f32
    }
}

impl Model {
    /// The words of the best translation that a beam of `width` finds; none if the source is empty or too long.
    pub fn translate<T: AsRef<str>>(&self, source: &[T], width: usize) -> Vec<String> {
        let Some(memory) = self.read(source).filter(|_| !source.is_empty()) else {
            return Vec::new();
        };
        let ready = self.ready();
        let pass = ready.pass();
        let longest = 2 * memory.len() / ready.network.layout.shape.width + 8;
        let mut beam = vec![Writing {
            pieces: Vec::new(),
            score: 0.0,
        }];
        let mut finished: Option<Writing> = None;
        for _ in 0..longest {
            beam = self.longer(pass, &memory, &beam, width.max(1), &mut finished);
            // Probabilities only fall: what has ended is best if nothing that goes on is worth more now.
            let best = finished.as_ref().map(Writing::value);
            if beam.is_empty() || best.is_some_and(|best| beam.iter().all(|w| w.value() < best)) {
                break;
            }
        }
        let best = finished.or_else(|| beam.into_iter().next());
        best.map_or_else(Vec::new, |best| self.target.decode(&best.pieces))
    }

    /// The best continuations by one subword; those that end compete for `finished`.
    fn longer(
        &self,
        pass: Pass<'_>,
        memory: &[f32],
        beam: &[Writing],
        width: usize,
        finished: &mut Option<Writing>,
    ) -> Vec<Writing> {
        let mut prefixes = Prefixes::new();
        let ends: Vec<u32> = beam
            .iter()
            .map(|writing| prefixes.walk(&writing.pieces))
            .collect();
        let out = self.decode(pass, memory, &prefixes);
        let layout = &self.ready().network.layout;
        let columns = layout.shape.width;
        let rows: Vec<f32> = ends
            .iter()
            .flat_map(|&end| &out[end as usize * columns..][..columns])
            .copied()
            .collect();
        let probabilities = all_log_probabilities(layout, pass, &rows);
        let mut found: Vec<(f32, usize, u16)> = Vec::new();
        let rows = probabilities.chunks_exact(layout.shape.target_pieces);
        for (number, row) in rows.enumerate() {
            let all = (0u16..).zip(row).filter(|&(piece, _)| piece != UNKNOWN);
            found.extend(all.map(|(piece, value)| (beam[number].score + value, number, piece)));
        }
        let best_first = |a: &(f32, usize, u16), b: &(f32, usize, u16)| {
            b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2)))
        };
        if found.len() > width {
            found.select_nth_unstable_by(width, best_first);
            found.truncate(width);
        }
        found.sort_unstable_by(best_first);
        let mut longer = Vec::with_capacity(width);
        for (score, number, piece) in found {
            let mut writing = Writing {
                pieces: beam[number].pieces.clone(),
                score,
            };
            if piece != BOUNDARY {
                writing.pieces.push(piece);
                longer.push(writing);
            } else if finished
                .as_ref()
                .is_none_or(|other| writing.value() > other.value())
            {
                *finished = Some(writing);
            }
        }
        longer
    }
}
