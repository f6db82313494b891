//! Examples from a matrix in compressed sparse rows, as numerical libraries have them.

use crate::{Builder, Error, Examples, Result};

impl Examples {
    /// Row `i` has the features `indices[offsets[i]..offsets[i + 1]]` with the values at the same places, and the
    /// class `labels[i]`, a number below that of the names. Equal rows are merged.
    pub fn from_csr(
        offsets: &[usize],
        indices: &[u32],
        values: &[f64],
        labels: &[usize],
        class_names: Vec<String>,
    ) -> Result<Self> {
        let complain = |reason: String| Err(Error::Mismatch(reason));
        if offsets.len() != labels.len() + 1 {
            let (offsets, labels) = (offsets.len(), labels.len());
            return complain(format!(
                "{labels} labels need {} offsets, {offsets} found",
                labels + 1
            ));
        }
        if indices.len() != values.len() {
            let (indices, values) = (indices.len(), values.len());
            return complain(format!("{indices} indices but {values} values"));
        }
        let mut builder = Builder::new(class_names)?;
        let mut entries = Vec::new();
        for (row, &label) in labels.iter().enumerate() {
            let range = offsets[row]..offsets[row + 1];
            let (Some(indices), Some(values)) = (indices.get(range.clone()), values.get(range))
            else {
                return complain(format!(
                    "row {row}: its offsets do not lie within the entries"
                ));
            };
            entries.clear();
            entries.extend(indices.iter().copied().zip(values.iter().copied()));
            builder.push(&mut entries, label, 1.0)?;
        }
        builder.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Offsets, indices, values and labels.
    type Matrix<'a> = (&'a [usize], &'a [u32], &'a [f64], &'a [usize]);

    fn names() -> Vec<String> {
        vec!["a".into(), "b".into()]
    }

    #[test]
    fn rows_become_examples_and_nonsense_is_refused() {
        let examples =
            Examples::from_csr(&[0, 2, 3], &[0, 2, 1], &[1.0, 2.0, 1.0], &[0, 1], names()).unwrap();
        assert_eq!((examples.rows(), examples.weight()), (2, 2.0));
        let bad: [Matrix; 4] = [
            (&[0, 2], &[0, 2], &[1.0, 2.0], &[0, 1]),
            (&[0, 2, 1], &[0, 2], &[1.0, 2.0], &[0, 1]),
            (&[0, 1, 9], &[0, 2], &[1.0, 2.0], &[0, 1]),
            (&[0, 1, 2], &[0, 2], &[1.0, 2.0], &[0, 2]),
        ];
        for (offsets, indices, values, labels) in bad {
            assert!(Examples::from_csr(offsets, indices, values, labels, names()).is_err());
        }
    }
}
