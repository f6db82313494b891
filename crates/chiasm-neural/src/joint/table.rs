//! Rows of parameters of which a step changes some.

use rand::RngExt;

/// The mean of gradients forgets this fast.
const FIRST: f32 = 0.9;
/// The mean of their squares this fast.
const SECOND: f32 = 0.99;
const SMALLEST: f32 = 1e-8;

/// Rows of parameters with their gradients, and what Adam (Kingma & Ba 2015) remembers of these. Rows without a
/// gradient stay as they are.
#[derive(Clone)]
pub(crate) struct Table {
    width: usize,
    pub values: Vec<f32>,
    gradient: Vec<f32>,
    first: Vec<f32>,
    second: Vec<f32>,
    touched: Vec<u32>,
    is_touched: Vec<bool>,
}

impl Table {
    /// Rows of numbers between `-size` and `size`.
    pub fn new(rows: usize, width: usize, size: f32, random: &mut impl rand::Rng) -> Self {
        let count = rows * width;
        let values = (0..count).map(|_| size * (2.0 * random.random::<f32>() - 1.0));
        Table {
            width,
            values: values.collect(),
            gradient: vec![0.0; count],
            first: vec![0.0; count],
            second: vec![0.0; count],
            touched: Vec::new(),
            is_touched: vec![false; rows],
        }
    }

    pub fn row(&self, row: u32) -> &[f32] {
        let start = row as usize * self.width;
        &self.values[start..start + self.width]
    }

    /// The gradient of a row, to be added to.
    pub fn gradient(&mut self, row: u32) -> &mut [f32] {
        if !self.is_touched[row as usize] {
            self.is_touched[row as usize] = true;
            self.touched.push(row);
        }
        let start = row as usize * self.width;
        &mut self.gradient[start..start + self.width]
    }

    /// The gradient of all rows, to be added to, beside the values.
    pub fn whole(&mut self) -> (&mut [f32], &[f32]) {
        self.touched.clear();
        self.touched.extend(0..self.is_touched.len() as u32);
        self.is_touched.fill(true);
        (&mut self.gradient, &self.values)
    }

    /// A step against the gradients, which become 0.
    pub fn step(&mut self, step: usize, rate: f32) {
        let first_scale = rate / (1.0 - FIRST.powi(step as i32));
        let second_scale = 1.0 / (1.0 - SECOND.powi(step as i32));
        for &row in &self.touched {
            self.is_touched[row as usize] = false;
            let range = row as usize * self.width..(row as usize + 1) * self.width;
            let values = self.values[range.clone()].iter_mut();
            let gradients = self.gradient[range.clone()].iter_mut();
            let firsts = self.first[range.clone()].iter_mut();
            let seconds = self.second[range].iter_mut();
            for (((value, gradient), first), second) in
                values.zip(gradients).zip(firsts).zip(seconds)
            {
                *first = FIRST * *first + (1.0 - FIRST) * *gradient;
                *second = SECOND * *second + (1.0 - SECOND) * *gradient * *gradient;
                *value -= first_scale * *first / ((*second * second_scale).sqrt() + SMALLEST);
                *gradient = 0.0;
            }
        }
        self.touched.clear();
    }

    #[cfg(test)]
    pub fn gradients(&self) -> &[f32] {
        &self.gradient
    }
}
