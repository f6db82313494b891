//! Products of matrices: a checked door to the crate `gemm`, whose own door takes raw pointers.
//!
//! Each element of a product is summed along the inner dimension in an order that depends on the shapes alone, so
//! the result has the same bits on any number of threads. A processor without AVX2 and FMA gives other last bits.
#![allow(unsafe_code)]

/// A matrix of numbers that lie in a slice.
#[derive(Clone, Copy)]
pub(crate) struct Matrix<'a> {
    values: &'a [f32],
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl<'a> Matrix<'a> {
    /// Rows one after another.
    pub fn new(values: &'a [f32], rows: usize, columns: usize) -> Self {
        Matrix::part(values, rows, columns, columns)
    }

    /// Rows that begin `row_stride` apart: some columns of a wider matrix.
    pub fn part(values: &'a [f32], rows: usize, columns: usize, row_stride: usize) -> Self {
        Matrix {
            values,
            rows,
            columns,
            row_stride,
            column_stride: 1,
        }
    }

    /// Columns as rows.
    pub fn transposed(self) -> Self {
        Matrix {
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
            ..self
        }
    }
}

/// What becomes of the numbers that stand where the product goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// The product takes their place.
    Replace,
    /// The product is added to them.
    Add,
}

/// One past the last element that a matrix of these strides reaches.
fn reach(rows: usize, columns: usize, row_stride: usize, column_stride: usize) -> usize {
    if rows == 0 || columns == 0 {
        return 0;
    }
    (rows - 1) * row_stride + (columns - 1) * column_stride + 1
}

/// `left` times `right` into a matrix whose rows begin `row_stride` apart, on so many threads.
pub(crate) fn multiply(
    left: Matrix<'_>,
    right: Matrix<'_>,
    into: &mut [f32],
    row_stride: usize,
    target: Target,
    threads: usize,
) {
    let (rows, columns, inner) = (left.rows, right.columns, left.columns);
    assert_eq!(inner, right.rows, "inner dimensions differ");
    for side in [&left, &right] {
        let needed = reach(side.rows, side.columns, side.row_stride, side.column_stride);
        assert!(needed <= side.values.len(), "a factor is too short");
    }
    assert!(reach(rows, columns, row_stride, 1) <= into.len());
    assert!(rows <= 1 || row_stride >= columns, "rows would overlap");
    if rows == 0 || columns == 0 {
        return;
    }
    let parallelism = match threads {
        0 | 1 => gemm::Parallelism::None,
        threads => gemm::Parallelism::Rayon(threads),
    };
    // SAFETY: the three assertions above say that every element at row * row_stride + column * column_stride lies
    // inside its slice; `into` is borrowed mutably, so it overlaps with neither factor, and its rows do not overlap.
    unsafe {
        gemm::gemm(
            rows,
            columns,
            inner,
            into.as_mut_ptr(),
            1,
            row_stride as isize,
            target == Target::Add,
            left.values.as_ptr(),
            left.column_stride as isize,
            left.row_stride as isize,
            right.values.as_ptr(),
            right.column_stride as isize,
            right.row_stride as isize,
            1.0,
            1.0,
            false,
            false,
            false,
            parallelism,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn numbers(count: usize, seed: u32) -> Vec<f32> {
        let mix = |i: usize| (i as u32).wrapping_mul(2_654_435_761).wrapping_add(seed) >> 8;
        (0..count)
            .map(|i| (mix(i) % 2001) as f32 / 1000.0 - 1.0)
            .collect()
    }

    fn element(matrix: &Matrix<'_>, row: usize, column: usize) -> f64 {
        f64::from(matrix.values[row * matrix.row_stride + column * matrix.column_stride])
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(
            rows in 0usize..20, columns in 0usize..20, inner in 0usize..20,
            turned in any::<[bool; 2]>(), add in any::<bool>(), wider in 0usize..3,
        ) {
            let (a, b) = (numbers(rows * inner + 64, 1), numbers(inner * columns + 64, 2));
            let left = match turned[0] {
                false => Matrix::new(&a, rows, inner),
                true => Matrix::new(&a, inner, rows).transposed(),
            };
            let right = match turned[1] {
                false => Matrix::new(&b, inner, columns),
                true => Matrix::new(&b, columns, inner).transposed(),
            };
            let stride = columns + wider;
            let before = numbers(rows * stride, 3);
            let mut into = before.clone();
            let target = if add { Target::Add } else { Target::Replace };
            multiply(left, right, &mut into, stride, target, 1);
            for row in 0..rows {
                for column in 0..stride {
                    let place = row * stride + column;
                    let mut expected = f64::from(before[place]);
                    if column < columns {
                        let sum: f64 = (0..inner)
                            .map(|k| element(&left, row, k) * element(&right, k, column))
                            .sum();
                        expected = if add { expected + sum } else { sum };
                    }
                    prop_assert!((f64::from(into[place]) - expected).abs() < 1e-4);
                }
            }
        }
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        for (rows, columns, inner) in [(301, 128, 512), (550, 3000, 128), (128, 512, 777)] {
            let (a, b) = (numbers(rows * inner, 4), numbers(inner * columns, 5));
            let product = |threads| {
                let mut into = vec![0.0; rows * columns];
                let (a, b) = (
                    Matrix::new(&a, rows, inner),
                    Matrix::new(&b, inner, columns),
                );
                multiply(a, b, &mut into, columns, Target::Replace, threads);
                into
            };
            let alone = product(1);
            for threads in [2, 3, 8] {
                assert!(alone == product(threads), "{threads} threads");
            }
        }
    }
}
