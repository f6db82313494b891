//! The lines of one text in blocks that threads share, the results in order.

use crate::{Lines, Result};
use chiasm_work::InOrder;

/// Some lines in one buffer.
#[derive(Default, Debug)]
pub struct LineBlock {
    text: String,
    ends: Vec<usize>,
}

impl LineBlock {
    /// The lines.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, &end)| &self.text[start..end])
    }

    /// Reads at most so many lines; false if there were none.
    fn read(&mut self, lines: &mut Lines, rows: usize) -> Result<bool> {
        self.text.clear();
        self.ends.clear();
        while self.ends.len() < rows && lines.append_line(&mut self.text)? {
            self.ends.push(self.text.len());
        }
        Ok(!self.ends.is_empty())
    }
}

/// Lets `convert` make something of each block of at most `rows` lines, on so many threads; `sink` gets what it made
/// and the number of lines, in the order of the text. What `convert` writes into is used again and again.
pub fn convert_blocks<T: Default + Send>(
    lines: &mut Lines,
    rows: usize,
    threads: usize,
    convert: impl Fn(&LineBlock, &mut T) + Sync,
    mut sink: impl FnMut(&T, u64) -> Result<()> + Send,
) -> Result<()> {
    InOrder::new(threads).run(
        |block: &mut LineBlock| block.read(lines, rows),
        |block, (made, count): &mut (T, u64)| {
            convert(block, made);
            *count = block.ends.len() as u64;
            Ok(())
        },
        |(made, count)| sink(made, *count),
    )
}
