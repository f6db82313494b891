//! What estimation found out about its corpus, sentence pair by sentence pair.

use crate::Result;
use crate::bitext::Bitext;
use crate::cells::Cells;
use crate::links::Posteriors;
use crate::loglinear::{LogLinear, diagonal};
use crate::settings::COUPLING;
use crate::sums::{Reader, Sums};
use std::ops::Range;

/// The posteriors of a corpus, or what they are made of.
pub(crate) enum Found {
    /// Of the log-linear model.
    Exact {
        cells: Box<Cells>,
        models: Box<[LogLinear; 2]>,
    },
    /// Of all samplers together, or of each; with the number of sentence pairs in a piece.
    Sampled { sets: Vec<[Sums; 2]>, piece: usize },
}

impl Found {
    /// How many alignments of the corpus there are.
    pub fn alignments(&self) -> usize {
        match self {
            Found::Exact { .. } => 1,
            Found::Sampled { sets, .. } => sets.len(),
        }
    }
}

/// Goes through the posteriors of a corpus, quickly if in order.
pub(crate) struct Cursor<'a> {
    found: &'a Found,
    bitext: &'a Bitext,
    alignments: Range<usize>,
    /// The piece that is open, and the sentence pair that comes next in it.
    open: Option<(usize, usize)>,
    /// Of each alignment and side.
    pieces: Vec<[(Vec<u16>, Reader); 2]>,
}

impl<'a> Cursor<'a> {
    /// The mean of some alignments.
    pub fn new(found: &'a Found, bitext: &'a Bitext, alignments: Range<usize>) -> Self {
        Cursor {
            found,
            bitext,
            alignments,
            open: None,
            pieces: Vec::new(),
        }
    }

    /// Posteriors of pair `at`.
    pub fn posteriors(&mut self, at: usize, posteriors: &mut Posteriors) -> Result<()> {
        let source = self.bitext.source.text.sentence(at);
        let target = self.bitext.target.text.sentence(at);
        posteriors.reset(source.len(), target.len());
        match self.found {
            Found::Exact { cells, models } => {
                let cells = cells.sentence(at);
                if !cells.is_empty() {
                    let [forward, reverse] =
                        &mut [&mut posteriors.forward, &mut posteriors.reverse];
                    exact(&models[0], cells, true, source.len(), target, forward);
                    exact(&models[1], cells, false, target.len(), source, reverse);
                    posteriors.couple(COUPLING);
                }
            }
            Found::Sampled { sets, piece } => {
                let sets = &sets[self.alignments.clone()];
                self.seek(sets, *piece, at)?;
                self.read(sets, at, Some(posteriors));
            }
        }
        Ok(())
    }

    fn seek(&mut self, sets: &[[Sums; 2]], length: usize, at: usize) -> Result<()> {
        let piece = at / length;
        let here = self
            .open
            .is_some_and(|(open, next)| open == piece && next <= at);
        if !here {
            let open = |sums: &Sums| sums.piece(piece).map(|piece| (piece, Reader::default()));
            let set = |[forward, reverse]: &[Sums; 2]| Ok([open(forward)?, open(reverse)?]);
            self.pieces = sets.iter().map(set).collect::<Result<_>>()?;
            self.open = Some((piece, piece * length));
        }
        while let Some((_, next)) = self.open.filter(|(_, next)| *next < at) {
            self.read(sets, next, None);
        }
        Ok(())
    }

    /// Reads the pair that comes next, into `posteriors` or past it.
    fn read(&mut self, sets: &[[Sums; 2]], at: usize, mut posteriors: Option<&mut Posteriors>) {
        let (source, target) = (&self.bitext.source.text, &self.bitext.target.text);
        let (sources, targets) = (source.sentence(at).len(), target.sentence(at).len());
        let takes_part = crate::cells::pair_cells(source, target, at) > 0;
        let sides = [(true, targets), (false, sources)];
        for (set, pieces) in sets.iter().zip(&mut self.pieces) {
            for (side, (forward, children)) in sides.into_iter().enumerate().filter(|_| takes_part)
            {
                let (piece, reader) = &mut pieces[side];
                for child in 0..children {
                    let words = reader.next_word(piece);
                    let Some(posteriors) = &mut posteriors else {
                        continue;
                    };
                    for (parent, sum) in words {
                        let (matrix, cell) = match forward {
                            true => (&mut posteriors.forward, parent * targets + child),
                            false => (&mut posteriors.reverse, child * targets + parent),
                        };
                        if let Some(slot) = matrix.get_mut(cell) {
                            *slot += set[side].scale.probability(sum) / sets.len() as f32;
                        }
                    }
                }
            }
        }
        self.open = self.open.map(|(piece, _)| (piece, at + 1));
    }
}

/// The posteriors of one direction of a sentence pair.
pub(crate) fn exact(
    model: &LogLinear,
    cells: &[u32],
    forward: bool,
    parents: usize,
    children: &[u32],
    matrix: &mut [f32],
) {
    let (parent_step, child_step) = crate::direction::strides(forward, parents, children.len());
    let mut weights = vec![0.0; parents];
    for (child, &word) in children.iter().enumerate() {
        diagonal(model.tension, child, children.len(), &mut weights);
        let place = child * child_step;
        let mut total = 0.0;
        for (parent, weight) in weights.iter_mut().enumerate() {
            let translation = model.translation[cells[place + parent * parent_step] as usize];
            *weight *= translation * (1.0 - model.null_probability);
            total += *weight;
        }
        total += model.null_probability * model.null[word as usize];
        for (parent, weight) in weights.iter().enumerate() {
            matrix[place + parent * parent_step] = weight / total;
        }
    }
}
