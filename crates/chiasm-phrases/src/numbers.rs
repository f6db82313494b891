//! Numbers as C's `%g` prints them: six significant digits, no trailing zeros.

/// Appends `number`.
pub fn write_number(number: f64, into: &mut Vec<u8>) {
    if !(1e-250..1e6).contains(&number) {
        into.extend_from_slice(general(number).as_bytes());
        return;
    }
    let mut exponent = number.log10().floor() as i32;
    let mut digits = scaled(number, exponent);
    // The logarithm may be off by one at powers of ten, and rounding may carry.
    if digits < 100_000 {
        exponent -= 1;
        digits = scaled(number, exponent);
    }
    if digits >= 1_000_000 {
        exponent += 1;
        digits = scaled(number, exponent).clamp(100_000, 999_999);
    }
    let mut text = [0u8; 6];
    for place in (0..6).rev() {
        text[place] = b'0' + (digits % 10) as u8;
        digits /= 10;
    }
    let significant = 6 - text
        .iter()
        .rev()
        .take_while(|&&digit| digit == b'0')
        .count();
    layout(&text[..significant], exponent, into);
}

/// The six leading digits as an integer.
fn scaled(number: f64, exponent: i32) -> u32 {
    (number * 10f64.powi(5 - exponent)).round() as u32
}

/// Digits `d1 d2 ...` with value `d1.d2... * 10^exponent`, as `%g` lays them out.
fn layout(digits: &[u8], exponent: i32, into: &mut Vec<u8>) {
    if exponent < -4 {
        into.push(digits[0]);
        if digits.len() > 1 {
            into.push(b'.');
            into.extend_from_slice(&digits[1..]);
        }
        into.extend_from_slice(b"e-");
        if exponent > -10 {
            into.push(b'0');
        }
        into.extend_from_slice(itoa::Buffer::new().format(-exponent).as_bytes());
    } else if exponent < 0 {
        into.extend_from_slice(&b"0.000"[..1 + exponent.unsigned_abs() as usize]);
        into.extend_from_slice(digits);
    } else {
        let whole = exponent as usize + 1;
        for place in 0..whole {
            into.push(digits.get(place).copied().unwrap_or(b'0'));
        }
        if digits.len() > whole {
            into.push(b'.');
            into.extend_from_slice(&digits[whole..]);
        }
    }
}

/// `%g` of any number, slowly.
fn general(number: f64) -> String {
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
    use proptest::prelude::*;

    fn written(number: f64) -> String {
        let mut text = Vec::new();
        write_number(number, &mut text);
        String::from_utf8(text).unwrap()
    }

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
            (0.0123, "0.0123"),
            (99999.96, "100000"),
            (40.0, "40"),
        ];
        for (number, text) in expected {
            assert_eq!(general(number), text);
            assert_eq!(written(number), text);
        }
    }

    proptest! {
        #[test]
        fn fast_equals_slow(mantissa in 1.0f64..10.0, exponent in -260i32..8) {
            let number = mantissa * 10f64.powi(exponent);
            let (fast, slow) = (written(number), general(number));
            // A tie may round the other way: one unit of the last digit.
            let difference = (fast.parse::<f64>().unwrap() - slow.parse::<f64>().unwrap()).abs();
            prop_assert!(fast == slow || difference <= 1.01e-5 * number, "{} {}", fast, slow);
        }

        #[test]
        fn ratios_of_counts_are_equal(a in 1u32..5000, b in 1u32..5000) {
            let ratio = f64::from(a.min(b)) / f64::from(a.max(b));
            prop_assert_eq!(written(ratio), general(ratio));
        }
    }
}
