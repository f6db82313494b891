//! Posterior probabilities of links, summed over samples and samplers.
//!
//! Most parents of a word are out of the question, so a word keeps the few that are not: their number, then parent and sum of
//! each, 16 bits all of them. The sums of some sentences lie together, as a sampler goes through them in order; where all of them
//! would take too much memory they lie in a temporary file, are read before a pass and written behind it.

use crate::{Error, Result};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Smaller probabilities are not summed.
const LEAST: f32 = 0.001;

/// How probabilities become sums and sums probabilities.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// One sample's certainty.
    one: f32,
    samples: u32,
}

impl Scale {
    /// For so many samples in all.
    pub fn new(samples: u32) -> Self {
        let samples = samples.max(1);
        // Rounding must not carry a sum past 16 bits.
        let one = (60_000 / samples) as f32;
        Scale { one, samples }
    }

    /// The mean probability of a sum.
    #[inline]
    pub fn probability(&self, sum: u16) -> f32 {
        f32::from(sum) / (self.one * self.samples as f32)
    }

    /// Adds a sample's weights, which a factor makes probabilities, to dense sums.
    #[inline]
    pub fn add(&self, weights: &[f32], factor: f32, sums: &mut [u16]) {
        for (sum, weight) in sums.iter_mut().zip(weights) {
            let probability = weight * factor;
            if probability >= LEAST {
                *sum += (probability * self.one + 0.5) as u16;
            }
        }
    }
}

/// Reads the sums of one word after another: where it is in a piece.
#[derive(Clone, Copy, Default)]
pub struct Reader(usize);

impl Reader {
    /// The next word's parents and sums; of an empty piece there are none.
    pub fn next_word<'p>(
        &mut self,
        piece: &'p [u16],
    ) -> impl Iterator<Item = (usize, u16)> + use<'p> {
        let rest = piece.get(self.0..).unwrap_or(&[]);
        let (mine, length) = match rest.split_first() {
            Some((&count, rest)) => {
                let length = (2 * usize::from(count)).min(rest.len());
                (&rest[..length], length + 1)
            }
            None => (&[][..], 0),
        };
        self.0 += length;
        let pairs = mine.chunks_exact(2);
        pairs.map(|pair| (usize::from(pair[0]), pair[1]))
    }
}

/// Appends a word's sums to a piece, and makes them zero.
pub fn write_word(sums: &mut [u16], piece: &mut Vec<u16>) {
    let count = piece.len();
    piece.push(0);
    for (parent, sum) in sums.iter_mut().enumerate() {
        if *sum > 0 {
            piece.extend([parent as u16, *sum]);
            *sum = 0;
        }
    }
    piece[count] = ((piece.len() - count) / 2) as u16;
}

/// The sums of one direction, piece by piece.
pub struct Sums {
    place: Place,
    /// Where each piece begins and how long it is.
    pieces: Vec<(u64, u32)>,
    /// How all of them are read.
    pub scale: Scale,
}

enum Place {
    Memory(Vec<Vec<u16>>),
    /// Two files: pieces are read of one and written to the other, which then change places.
    Files(Mutex<[File; 2]>, u64),
}

impl Sums {
    /// Nothing summed: so many pieces, in memory or, if a folder is given, in unnamed files there.
    pub fn new(pieces: usize, scale: Scale, folder: Option<&Path>) -> Result<Self> {
        let place = match folder {
            None => Place::Memory(vec![Vec::new(); pieces]),
            Some(folder) => {
                let file = || {
                    let file = tempfile::tempfile_in(folder);
                    file.map_err(|error| chiasm_store::Error::io(folder, error))
                };
                Place::Files(Mutex::new([file()?, file()?]), 0)
            }
        };
        Ok(Sums {
            place,
            pieces: vec![(0, 0); pieces],
            scale,
        })
    }

    /// How long each piece is.
    pub fn lengths(&self) -> Vec<u32> {
        match &self.place {
            Place::Memory(pieces) => pieces.iter().map(|piece| piece.len() as u32).collect(),
            Place::Files(..) => self.pieces.iter().map(|piece| piece.1).collect(),
        }
    }

    /// One piece.
    pub fn piece(&self, number: usize) -> Result<Vec<u16>> {
        match &self.place {
            Place::Memory(pieces) => Ok(pieces[number].clone()),
            Place::Files(files, _) => {
                let (start, length) = self.pieces[number];
                let mut bytes = vec![0; 2 * length as usize];
                let mut files = files.lock().unwrap_or_else(PoisonError::into_inner);
                let file = &mut files[0];
                file.seek(SeekFrom::Start(start))
                    .and_then(|_| file.read_exact(&mut bytes))
                    .map_err(failed)?;
                let pairs = bytes.chunks_exact(2);
                Ok(pairs
                    .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
                    .collect())
            }
        }
    }

    /// Puts pieces in the place of those before; they come in order. What was not put is gone when the pass ends.
    pub fn put(&mut self, number: usize, piece: Vec<u16>) -> Result<()> {
        match &mut self.place {
            Place::Memory(pieces) => {
                let mut piece = piece;
                piece.shrink_to_fit();
                pieces[number] = piece;
            }
            Place::Files(files, end) => {
                let mut bytes = Vec::with_capacity(2 * piece.len());
                bytes.extend(piece.iter().flat_map(|number| number.to_le_bytes()));
                let files = files.get_mut().unwrap_or_else(PoisonError::into_inner);
                let file = &mut files[1];
                file.seek(SeekFrom::Start(*end))
                    .and_then(|_| file.write_all(&bytes))
                    .map_err(failed)?;
                self.pieces[number] = (*end, piece.len() as u32);
                *end += bytes.len() as u64;
            }
        }
        Ok(())
    }

    /// All pieces were put: from here on they are read.
    pub fn end_of_pass(&mut self) {
        if let Place::Files(files, end) = &mut self.place {
            let files = files.get_mut().unwrap_or_else(PoisonError::into_inner);
            files.swap(0, 1);
            *end = 0;
        }
    }
}

fn failed(error: std::io::Error) -> Error {
    chiasm_store::Error::io(Path::new("temporary file"), error).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_come_back_from_memory_and_from_files() {
        let folder = tempfile::tempdir().unwrap();
        for place in [None, Some(folder.path())] {
            for samples in [1, 7, 400] {
                let scale = Scale::new(samples);
                let mut sums = Sums::new(2, scale, place).unwrap();
                for _ in 0..samples {
                    for number in 0..2 {
                        let old = sums.piece(number).unwrap();
                        let (mut reader, mut piece) = (Reader::default(), Vec::new());
                        for word in 0..3 {
                            let mut dense = vec![0; 4];
                            reader
                                .next_word(&old)
                                .for_each(|(parent, sum)| dense[parent] = sum);
                            let weights = [word as f32, 0.0, 0.9, 0.0005];
                            scale.add(&weights, 1.0 / 3.0, &mut dense);
                            write_word(&mut dense, &mut piece);
                            assert_eq!(dense, [0; 4]);
                        }
                        sums.put(number, piece).unwrap();
                    }
                    sums.end_of_pass();
                }
                for number in 0..2 {
                    let piece = sums.piece(number).unwrap();
                    let mut reader = Reader::default();
                    for word in 0..3 {
                        let found: Vec<(usize, f32)> = reader
                            .next_word(&piece)
                            .map(|(parent, sum)| (parent, scale.probability(sum)))
                            .collect();
                        let expected = [(0, word as f32 / 3.0), (2, 0.3)];
                        let expected = &expected[usize::from(word == 0)..];
                        assert_eq!(found.len(), expected.len());
                        for (one, other) in found.iter().zip(expected) {
                            assert_eq!(one.0, other.0);
                            assert!((one.1 - other.1).abs() < 4e-3, "{one:?} {other:?}");
                        }
                    }
                }
            }
        }
    }
}
