//! Numbers as C's `%g` prints them: six significant digits, no trailing zeros.

/// Prints probabilities; remembers recent ones, for the same ratios come again and again.
pub struct NumberWriter {
    cache: Vec<(u64, u8, [u8; 15])>,
}

const SLOTS: usize = 1 << 12;

impl Default for NumberWriter {
    fn default() -> Self {
        NumberWriter {
            cache: vec![(f64::NAN.to_bits(), 0, [0; 15]); SLOTS],
        }
    }
}

impl NumberWriter {
    /// Appends `number`.
    pub fn write(&mut self, number: f64, into: &mut Vec<u8>) {
        let bits = number.to_bits();
        let slot = (bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize % SLOTS;
        let (known, length, text) = &mut self.cache[slot];
        if *known != bits {
            let formatted = general(number);
            if formatted.len() > text.len() {
                into.extend_from_slice(formatted.as_bytes());
                return;
            }
            *known = bits;
            *length = formatted.len() as u8;
            text[..formatted.len()].copy_from_slice(formatted.as_bytes());
        }
        into.extend_from_slice(&text[..*length as usize]);
    }
}

/// `%g` of one number.
pub fn general(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return format!("{number}");
    }
    let scientific = format!("{number:.5e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        let decimals = (5 - exponent) as usize;
        return without_trailing_zeros(&format!("{number:.decimals$}")).to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!(
        "{}e{sign}{:02}",
        without_trailing_zeros(mantissa),
        exponent.abs()
    )
}

fn without_trailing_zeros(text: &str) -> &str {
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_c_prints_them() {
        let expected = [
            (1.0, "1"),
            (0.5, "0.5"),
            (1.0 / 3.0, "0.333333"),
            (1.74598e-5, "1.74598e-05"),
            (0.0001, "0.0001"),
            (0.0000999999, "9.99999e-05"),
            (0.000099999999, "0.0001"),
            (2.7282818284, "2.72828"),
            (123456.7, "123457"),
            (1234567.0, "1.23457e+06"),
            (0.0, "0"),
            (1e-123, "1e-123"),
            (0.1000004, "0.1"),
        ];
        let mut writer = NumberWriter::default();
        for (number, text) in expected {
            assert_eq!(general(number), text);
            for _ in 0..2 {
                let mut bytes = Vec::new();
                writer.write(number, &mut bytes);
                assert_eq!(std::str::from_utf8(&bytes).unwrap(), text);
            }
        }
    }
}
