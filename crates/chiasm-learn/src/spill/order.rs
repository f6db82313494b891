//! Which rows came first, and where they go.

/// Marks among the numbers below some limit, and how many marks stand before each.
pub(crate) struct Marks {
    words: Vec<u64>,
    /// Marks before each word; known once all are set.
    before: Vec<u32>,
}

impl Marks {
    pub fn new(limit: u64) -> Self {
        Marks {
            words: vec![0; limit.div_ceil(64) as usize],
            before: Vec::new(),
        }
    }

    pub fn set(&mut self, number: u64) {
        self.words[(number / 64) as usize] |= 1 << (number % 64);
    }

    /// Counts; returns how many marks there are.
    pub fn count(&mut self) -> u64 {
        let mut sum = 0u64;
        self.before = Vec::with_capacity(self.words.len());
        for word in &self.words {
            self.before.push(sum as u32);
            sum += u64::from(word.count_ones());
        }
        sum
    }

    /// The marks before `number`.
    pub fn rank(&self, number: u64) -> u32 {
        let word = (number / 64) as usize;
        let below = self.words[word] & ((1 << (number % 64)) - 1);
        self.before[word] + below.count_ones()
    }
}

/// From "the i-th is to be row o" to "row o is to be the i-th".
pub(crate) fn inverse(order: &[u32]) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    for (place, &row) in order.iter().enumerate() {
        places[row as usize] = place as u32;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_count_the_marks_before() {
        let marked = [0, 1, 5, 63, 64, 127, 128, 200];
        let mut marks = Marks::new(201);
        marked.iter().for_each(|&number| marks.set(number));
        assert_eq!(marks.count(), 8);
        for (rank, &number) in marked.iter().enumerate() {
            assert_eq!(marks.rank(number), rank as u32);
        }
        assert_eq!(marks.rank(199), 7);
    }

    #[test]
    fn an_inverse_undoes() {
        let order = [2, 0, 3, 1];
        let places = inverse(&order);
        assert!((0..4).all(|at| places[order[at] as usize] == at as u32));
    }
}
