//! The scores of phrase pairs, each column with its own codebook.
//!
//! A column with few enough different values loses nothing; else its sorted values are cut into
//! bins of equal population and each bin is stored as its mean.

use chiasm_store::{Array, Result, Sections, Writer};
use serde::{Deserialize, Serialize};

/// How scores are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// As 32-bit floating point numbers.
    Exact,
    /// As numbers of 65,536 values a column.
    Sixteen,
    /// As numbers of 256 values a column.
    Eight,
}

#[derive(Clone)]
enum Codes {
    Exact(Array<f32>),
    Sixteen(Array<u16>),
    Eight(Array<u8>),
}

/// A row of scores an option, column by column behind a codebook.
#[derive(Clone)]
pub(super) struct ScoreMatrix {
    columns: usize,
    codes: Codes,
    codebook: Array<f32>,
    codebook_ends: Array<u32>,
}

impl ScoreMatrix {
    pub fn columns(&self) -> usize {
        self.columns
    }

    pub fn precision(&self) -> Precision {
        match self.codes {
            Codes::Exact(_) => Precision::Exact,
            Codes::Sixteen(_) => Precision::Sixteen,
            Codes::Eight(_) => Precision::Eight,
        }
    }

    /// Encodes `values`, a row of `columns` values an option.
    pub fn new(values: Vec<f32>, columns: usize, precision: Precision) -> Self {
        let bins = match precision {
            Precision::Exact => {
                return ScoreMatrix {
                    columns,
                    codes: Codes::Exact(values.into()),
                    codebook: Vec::new().into(),
                    codebook_ends: Vec::new().into(),
                };
            }
            Precision::Sixteen => 1 << 16,
            Precision::Eight => 1 << 8,
        };
        let (mut codebook, mut ends) = (Vec::new(), Vec::new());
        let mut codes = vec![0u16; values.len()];
        for column in 0..columns {
            let book = column_codebook(values.iter().skip(column).step_by(columns), bins);
            for (value, code) in values
                .iter()
                .zip(&mut codes)
                .skip(column)
                .step_by(columns.max(1))
            {
                *code = nearest(&book, *value) as u16;
            }
            codebook.extend_from_slice(&book);
            ends.push(codebook.len() as u32);
        }
        let codes = if precision == Precision::Eight {
            Codes::Eight(
                codes
                    .iter()
                    .map(|&code| code as u8)
                    .collect::<Vec<_>>()
                    .into(),
            )
        } else {
            Codes::Sixteen(codes.into())
        };
        ScoreMatrix {
            columns,
            codes,
            codebook: codebook.into(),
            codebook_ends: ends.into(),
        }
    }

    pub fn from_sections(sections: &Sections) -> Result<Self> {
        let shape = sections.array::<u32>("score-shape")?;
        let &[columns, bits] = &shape[..] else {
            return Err(sections.corrupt("score-shape", "is not two numbers"));
        };
        let codes = match bits {
            32 => Codes::Exact(sections.array("codes")?),
            16 => Codes::Sixteen(sections.array("codes")?),
            8 => Codes::Eight(sections.array("codes")?),
            _ => return Err(sections.corrupt("score-shape", "names an unknown width")),
        };
        Ok(ScoreMatrix {
            columns: columns as usize,
            codes,
            codebook: sections.array("codebook")?,
            codebook_ends: sections.array("codebook-ends")?,
        })
    }

    pub fn write_sections(&self, writer: &mut Writer) -> Result<()> {
        let bits = match self.codes {
            Codes::Exact(_) => 32,
            Codes::Sixteen(_) => 16,
            Codes::Eight(_) => 8,
        };
        writer.array("score-shape", &[self.columns as u32, bits])?;
        match &self.codes {
            Codes::Exact(codes) => writer.array("codes", codes)?,
            Codes::Sixteen(codes) => writer.array("codes", codes)?,
            Codes::Eight(codes) => writer.array("codes", codes)?,
        }
        writer.array("codebook", &self.codebook)?;
        writer.array("codebook-ends", &self.codebook_ends)
    }

    /// The first scores of a row; `None` if the file is damaged.
    pub fn read(&self, row: usize, into: &mut [f32]) -> Option<()> {
        let start = row.checked_mul(self.columns)?;
        let range = start..start.checked_add(into.len().min(self.columns))?;
        match &self.codes {
            Codes::Exact(values) => {
                let values = values.get(range)?;
                into[..values.len()].copy_from_slice(values);
            }
            Codes::Sixteen(codes) => {
                for (column, (&code, value)) in codes.get(range)?.iter().zip(into).enumerate() {
                    *value = self.decode(column, usize::from(code))?;
                }
            }
            Codes::Eight(codes) => {
                for (column, (&code, value)) in codes.get(range)?.iter().zip(into).enumerate() {
                    *value = self.decode(column, usize::from(code))?;
                }
            }
        }
        Some(())
    }

    fn decode(&self, column: usize, code: usize) -> Option<f32> {
        let end = *self.codebook_ends.get(column)? as usize;
        let start = match column {
            0 => 0,
            _ => self.codebook_ends[column - 1] as usize,
        };
        self.codebook.get(start..end)?.get(code).copied()
    }
}

/// At most `bins` values that stand for all of a column's.
fn column_codebook<'a>(values: impl Iterator<Item = &'a f32>, bins: usize) -> Vec<f32> {
    let mut sorted: Vec<f32> = values.copied().collect();
    sorted.sort_unstable_by(f32::total_cmp);
    let mut distinct = sorted.clone();
    distinct.dedup();
    if distinct.len() <= bins {
        return distinct;
    }
    let mut book: Vec<f32> = (0..bins)
        .map(|bin| {
            let range = bin * sorted.len() / bins..(bin + 1) * sorted.len() / bins;
            let count = range.len() as f64;
            let sum: f64 = sorted[range].iter().map(|&value| f64::from(value)).sum();
            (sum / count) as f32
        })
        .collect();
    book.dedup();
    book
}

/// The index of the value in a sorted codebook that is nearest to `value`.
fn nearest(book: &[f32], value: f32) -> usize {
    let above = book.partition_point(|entry| entry.total_cmp(&value).is_lt());
    match above {
        0 => 0,
        _ if above == book.len() => above - 1,
        _ if value - book[above - 1] < book[above] - value => above - 1,
        _ => above,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn round_trip(values: &[f32], columns: usize, precision: Precision) -> Vec<f32> {
        let matrix = ScoreMatrix::new(values.to_vec(), columns, precision);
        let mut read = vec![0.0; values.len()];
        for (row, into) in read.chunks_mut(columns).enumerate() {
            matrix.read(row, into).unwrap();
        }
        assert!(matrix.read(values.len() / columns, &mut [0.0]).is_none());
        read
    }

    proptest! {
        #[test]
        fn few_values_lose_nothing(rows in prop::collection::vec([-9f32..0.0, -9f32..0.0], 1..200)) {
            let values = rows.concat();
            for precision in [Precision::Exact, Precision::Sixteen, Precision::Eight] {
                prop_assert_eq!(&round_trip(&values, 2, precision), &values);
            }
        }
    }

    #[test]
    fn many_values_come_near() {
        let values: Vec<f32> = (0..40_000).map(|i| -(i as f32) / 1000.0).collect();
        for (read, value) in round_trip(&values, 1, Precision::Eight).iter().zip(&values) {
            assert!((read - value).abs() <= 0.08, "{read} for {value}");
        }
    }
}
