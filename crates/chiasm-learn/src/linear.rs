//! A linear model: a weight a feature and class, in 64, 32, 16 or 8 bits.
//!
//! 16 bits are whole multiples of one scale; 8 bits are numbers of a code book of 256 weights,
//! fitted to the weights by Lloyd's method. Features without any weight are not stored.

use crate::{Error, Examples, Result, Row};
use chiasm_store::{Array, Sections, Writer};

/// How many bits a stored weight takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bits {
    /// As trained.
    SixtyFour,
    /// Single precision.
    ThirtyTwo,
    /// Multiples of one scale.
    Sixteen,
    /// Numbers of a code book.
    Eight,
}

impl Bits {
    /// From the number on the command line.
    pub fn from_number(bits: u32) -> Result<Self> {
        match bits {
            64 => Ok(Bits::SixtyFour),
            32 => Ok(Bits::ThirtyTwo),
            16 => Ok(Bits::Sixteen),
            8 => Ok(Bits::Eight),
            other => {
                let reason = format!("64, 32, 16 or 8 expected, {other} found");
                Err(Error::parameter("bits", reason))
            }
        }
    }

    /// The number on the command line.
    pub fn number(self) -> u32 {
        match self {
            Bits::SixtyFour => 64,
            Bits::ThirtyTwo => 32,
            Bits::Sixteen => 16,
            Bits::Eight => 8,
        }
    }
}

#[derive(Clone, Debug)]
enum Weights {
    SixtyFour(Array<f64>),
    ThirtyTwo(Array<f32>),
    Sixteen(Array<i16>, f64),
    Eight(Array<u8>, Array<f32>),
}

impl Weights {
    /// The weights of these features, in this order.
    fn rows(&self, rows: &[usize], classes: usize) -> Self {
        fn gathered<T: Copy>(weights: &[T], rows: &[usize], classes: usize) -> Array<T> {
            let row = |&row: &usize| &weights[row * classes..(row + 1) * classes];
            let gathered: Vec<T> = rows.iter().flat_map(row).copied().collect();
            gathered.into()
        }
        match self {
            Weights::SixtyFour(all) => Weights::SixtyFour(gathered(all, rows, classes)),
            Weights::ThirtyTwo(all) => Weights::ThirtyTwo(gathered(all, rows, classes)),
            Weights::Sixteen(all, scale) => Weights::Sixteen(gathered(all, rows, classes), *scale),
            Weights::Eight(all, book) => Weights::Eight(gathered(all, rows, classes), book.clone()),
        }
    }
}

/// A linear classifier: scores are bias + Σ value · weight, probabilities their softmax.
#[derive(Clone, Debug)]
pub struct LinearModel {
    classes: usize,
    feature_ids: Array<u32>,
    weights: Weights,
    bias: Vec<f64>,
}

impl LinearModel {
    /// From trained weights, `weights[feature * stride + class]`, features as in `examples`.
    pub fn new(examples: &Examples, weights: &[f64], stride: usize) -> Self {
        let classes = examples.classes();
        let ids = examples.feature_ids();
        let row = |feature: usize| &weights[feature * stride..feature * stride + classes];
        let mut kept: Vec<usize> = (0..ids.len())
            .filter(|&feature| row(feature).iter().any(|&weight| weight != 0.0))
            .collect();
        kept.sort_unstable_by_key(|&feature| ids[feature]);
        let values = kept
            .iter()
            .flat_map(|&feature| row(feature).iter().copied());
        LinearModel {
            classes,
            feature_ids: kept.iter().map(|&f| ids[f]).collect::<Vec<_>>().into(),
            weights: Weights::SixtyFour(values.collect::<Vec<_>>().into()),
            bias: vec![0.0; classes],
        }
    }

    /// The same with a score for each class that does not depend on the features.
    pub fn with_bias(mut self, bias: Vec<f64>) -> Self {
        debug_assert_eq!(bias.len(), self.classes);
        self.bias = bias;
        self
    }

    /// Identities of the features, in increasing order; a feature's number is its place here.
    pub fn feature_ids(&self) -> &[u32] {
        &self.feature_ids
    }

    /// How many weights are not zero.
    pub fn parameters(&self) -> u64 {
        let all = 0..self.feature_ids.len() * self.classes;
        all.filter(|&at| self.weight_at(at) != 0.0).count() as u64
    }

    /// The weight of a feature, by its number, for a class.
    #[inline]
    pub fn weight(&self, feature: u32, class: usize) -> f64 {
        self.weight_at(feature as usize * self.classes + class)
    }

    #[inline(always)]
    fn weight_at(&self, at: usize) -> f64 {
        match &self.weights {
            Weights::SixtyFour(weights) => weights[at],
            Weights::ThirtyTwo(weights) => f64::from(weights[at]),
            Weights::Sixteen(weights, scale) => f64::from(weights[at]) * scale,
            Weights::Eight(weights, book) => f64::from(book[weights[at] as usize]),
        }
    }

    /// The scores that hold without any feature.
    pub fn bias(&self) -> &[f64] {
        &self.bias
    }

    /// Scores of a row whose features are numbers of this model.
    pub fn scores(&self, row: Row, scores: &mut [f64]) {
        scores.copy_from_slice(&self.bias);
        // One look at the form for the whole row, so that the loops inside are plain.
        match &self.weights {
            Weights::SixtyFour(weights) => add_rows(row, weights, scores, |w| w),
            Weights::ThirtyTwo(weights) => add_rows(row, weights, scores, f64::from),
            Weights::Sixteen(weights, scale) => {
                add_rows(row, weights, scores, |w| f64::from(w) * scale)
            }
            Weights::Eight(weights, book) => {
                let book = &book[..];
                add_rows(row, weights, scores, |w| f64::from(book[usize::from(w)]))
            }
        }
    }

    /// How the weights are stored.
    pub fn bits(&self) -> Bits {
        match self.weights {
            Weights::SixtyFour(_) => Bits::SixtyFour,
            Weights::ThirtyTwo(_) => Bits::ThirtyTwo,
            Weights::Sixteen(..) => Bits::Sixteen,
            Weights::Eight(..) => Bits::Eight,
        }
    }

    /// The same model with its weights in `bits`. A feature whose weights all become zero says no
    /// more than one that is absent, and is left out.
    pub fn with_bits(&self, bits: Bits) -> Self {
        let all = 0..self.feature_ids.len() * self.classes;
        let wide: Vec<f64> = all.map(|at| self.weight_at(at)).collect();
        let weights = match bits {
            Bits::SixtyFour => Weights::SixtyFour(wide.into()),
            Bits::ThirtyTwo => {
                Weights::ThirtyTwo(wide.iter().map(|&w| w as f32).collect::<Vec<_>>().into())
            }
            Bits::Sixteen => {
                let largest = wide.iter().fold(0.0f64, |a, w| a.max(w.abs()));
                let scale = if largest > 0.0 {
                    largest / f64::from(i16::MAX)
                } else {
                    1.0
                };
                let whole = wide.iter().map(|w| (w / scale).round() as i16);
                Weights::Sixteen(whole.collect::<Vec<_>>().into(), scale)
            }
            Bits::Eight => {
                let book = crate::codebook::fit(&wide);
                let codes = wide.iter().map(|&w| crate::codebook::nearest(&book, w));
                Weights::Eight(codes.collect::<Vec<_>>().into(), book.clone().into())
            }
        };
        let rounded = LinearModel {
            weights,
            ..self.clone()
        };
        rounded.without_zeros()
    }

    /// Without the features that have no weight for any class.
    fn without_zeros(self) -> Self {
        let classes = self.classes;
        let kept: Vec<usize> = (0..self.feature_ids.len())
            .filter(|&row| (0..classes).any(|class| self.weight_at(row * classes + class) != 0.0))
            .collect();
        if kept.len() == self.feature_ids.len() {
            return self;
        }
        LinearModel {
            feature_ids: kept
                .iter()
                .map(|&row| self.feature_ids[row])
                .collect::<Vec<_>>()
                .into(),
            weights: self.weights.rows(&kept, classes),
            ..self
        }
    }

    /// The same weights under other identities: `rename` gives each old one its new one, all
    /// different. For programs that number features anew when they write their dictionary.
    pub fn renamed(&self, rename: impl Fn(u32) -> u32) -> Self {
        let mut order: Vec<(u32, usize)> = self
            .feature_ids
            .iter()
            .enumerate()
            .map(|(number, &id)| (rename(id), number))
            .collect();
        order.sort_unstable();
        let rows: Vec<usize> = order.iter().map(|&(_, number)| number).collect();
        LinearModel {
            classes: self.classes,
            feature_ids: order.iter().map(|&(id, _)| id).collect::<Vec<_>>().into(),
            weights: self.weights.rows(&rows, self.classes),
            bias: self.bias.clone(),
        }
    }

    /// Are the identities 0, 1, 2, ...? Then they need not be written.
    fn is_dense(&self) -> bool {
        let mut numbered = self.feature_ids.iter().enumerate();
        numbered.all(|(number, &id)| number == id as usize)
    }

    pub(crate) fn write(&self, writer: &mut Writer) -> Result<()> {
        if self.is_dense() {
            writer.array("features", &[self.feature_ids.len() as u64])?;
        } else {
            writer.array("feature-ids", &self.feature_ids)?;
        }
        writer.array("bias", &self.bias)?;
        match &self.weights {
            Weights::SixtyFour(weights) => writer.array("weights-64", weights)?,
            Weights::ThirtyTwo(weights) => writer.array("weights-32", weights)?,
            Weights::Sixteen(weights, scale) => {
                writer.array("weights-16", weights)?;
                writer.array("scale", &[*scale])?;
            }
            Weights::Eight(weights, book) => {
                writer.array("weights-8", weights)?;
                writer.array("code-book", book)?;
            }
        }
        Ok(())
    }

    pub(crate) fn read(sections: &Sections, classes: usize) -> Result<Self> {
        let (name, weights) = read_weights(sections)?;
        let length = match &weights {
            Weights::SixtyFour(weights) => weights.len(),
            Weights::ThirtyTwo(weights) => weights.len(),
            Weights::Sixteen(weights, _) => weights.len(),
            Weights::Eight(weights, _) => weights.len(),
        };
        let feature_ids = read_ids(sections, length / classes.max(1))?;
        let bias = sections.array::<f64>("bias")?.to_vec();
        if bias.len() != classes {
            return Err(sections
                .corrupt("bias", "is not as long as the classes")
                .into());
        }
        if length != feature_ids.len() * classes {
            let reason = "does not hold a weight for each feature and class";
            return Err(sections.corrupt(name, reason).into());
        }
        Ok(LinearModel {
            classes,
            feature_ids,
            weights,
            bias,
        })
    }
}

#[inline(always)]
fn add_rows<T: Copy>(row: Row, weights: &[T], scores: &mut [f64], wide: impl Fn(T) -> f64) {
    let classes = scores.len();
    for (position, &feature) in row.features.iter().enumerate() {
        let value = row.values.get(position).copied().unwrap_or(1.0);
        let start = feature as usize * classes;
        for (score, &weight) in scores.iter_mut().zip(&weights[start..start + classes]) {
            *score += value * wide(weight);
        }
    }
}

/// The features' numbers; all of them from 0 on if only their count is given, which must be `expected` before memory is
/// taken for it.
fn read_ids(sections: &Sections, expected: usize) -> Result<Array<u32>> {
    if sections.contains("feature-ids") {
        let ids: Array<u32> = sections.array("feature-ids")?;
        return match ids.windows(2).all(|pair| pair[0] < pair[1]) {
            true => Ok(ids),
            false => Err(sections
                .corrupt("feature-ids", "is not in increasing order")
                .into()),
        };
    }
    let count = sections.array::<u64>("features")?;
    match count[..] {
        [count] if count == expected as u64 && count <= u64::from(u32::MAX) => {
            Ok((0..count as u32).collect::<Vec<_>>().into())
        }
        _ => Err(sections
            .corrupt("features", "as many as there are weights expected")
            .into()),
    }
}

fn read_weights(sections: &Sections) -> Result<(&'static str, Weights)> {
    if sections.contains("weights-64") {
        return Ok((
            "weights-64",
            Weights::SixtyFour(sections.array("weights-64")?),
        ));
    }
    if sections.contains("weights-32") {
        return Ok((
            "weights-32",
            Weights::ThirtyTwo(sections.array("weights-32")?),
        ));
    }
    if sections.contains("weights-16") {
        let scale = sections.array::<f64>("scale")?;
        let &[scale] = &scale[..] else {
            return Err(sections.corrupt("scale", "one number expected").into());
        };
        let weights = Weights::Sixteen(sections.array("weights-16")?, scale);
        return Ok(("weights-16", weights));
    }
    let book: Array<f32> = sections.array("code-book")?;
    if book.len() != crate::codebook::SIZE {
        return Err(sections.corrupt("code-book", "256 weights expected").into());
    }
    let weights = Weights::Eight(sections.array("weights-8")?, book);
    Ok(("weights-8", weights))
}
