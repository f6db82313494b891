//! ARPA out.

use crate::Result;
use chiasm_text::TextOutput;
use std::path::Path;

/// Writes an ARPA file, order by order; it appears when [`Writer::finish`] returns.
///
/// Numbers are written with the fewest digits that read back as the same number.
pub struct Writer {
    output: TextOutput,
    line: Vec<u8>,
    number: ryu::Buffer,
    orders: usize,
    order: usize,
}

impl Writer {
    /// Begins a file with so many n-grams of each order, compressed as its ending says.
    pub fn create(path: impl AsRef<Path>, counts: &[u64]) -> Result<Self> {
        let mut output = TextOutput::create(path)?;
        let mut header = String::from("\\data\\\n");
        for (index, count) in counts.iter().enumerate() {
            header.push_str(&format!("ngram {}={count}\n", index + 1));
        }
        output.write_text(header.as_bytes())?;
        Ok(Writer {
            output,
            line: Vec::new(),
            number: ryu::Buffer::new(),
            orders: counts.len(),
            order: 0,
        })
    }

    /// Begins the next order.
    pub fn begin_order(&mut self) -> Result<()> {
        self.order += 1;
        self.line
            .extend_from_slice(format!("\n\\{}-grams:\n", self.order).as_bytes());
        Ok(())
    }

    /// Writes one n-gram of the current order; the highest has no back-offs.
    pub fn ngram<'a>(
        &mut self,
        words: impl Iterator<Item = &'a str>,
        probability: f32,
        backoff: f32,
    ) -> Result<()> {
        push_number(&mut self.line, &mut self.number, probability);
        let mut separator = b'\t';
        for word in words {
            self.line.push(separator);
            self.line.extend_from_slice(word.as_bytes());
            separator = b' ';
        }
        if self.order < self.orders {
            self.line.push(b'\t');
            push_number(&mut self.line, &mut self.number, backoff);
        }
        self.line.push(b'\n');
        if self.line.len() > 1 << 16 {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.output.write_text(&self.line)?;
        self.line.clear();
        Ok(())
    }

    /// Ends the file.
    pub fn finish(mut self) -> Result<()> {
        self.line.extend_from_slice(b"\n\\end\\\n");
        self.flush()?;
        Ok(self.output.finish()?)
    }
}

/// The shortest form that reads back the same, without `.0` and with zero as `0`.
fn push_number(line: &mut Vec<u8>, buffer: &mut ryu::Buffer, number: f32) {
    if number == 0.0 {
        line.push(b'0');
        return;
    }
    let text = buffer.format_finite(number);
    line.extend_from_slice(text.strip_suffix(".0").unwrap_or(text).as_bytes());
}
