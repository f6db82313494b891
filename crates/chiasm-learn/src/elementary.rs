//! Exponential and logarithm without branches or calls, so that the compiler computes the lanes of a
//! row's classes together.
//!
//! Both reduce by powers of two and sum a series, in halves that do not wait for each other; the
//! error is a few units in the last place. Unlike those of the system's library the results are the
//! same on every machine.

/// ln 2 in two parts, the first of them with so few digits that its multiples are exact.
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Added to a number of moderate size this leaves its nearest integer in the lowest bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// The smallest and largest arguments whose exponentials are ordinary numbers.
const LEAST: f64 = -708.0;
const MOST: f64 = 709.0;
/// √½.
const HALF_ROOT: u64 = 0x3fe6_a09e_667f_3bcd;
const MANTISSA: u64 = (1 << 52) - 1;

/// exp of every lane; beyond the range of ordinary numbers the smallest or largest of them.
#[inline(always)]
pub(crate) fn exp<const S: usize>(values: &[f64; S]) -> [f64; S] {
    let mut results = [0.0; S];
    for k in 0..S {
        let value = if values[k] > LEAST { values[k] } else { LEAST };
        let value = if value < MOST { value } else { MOST };
        let rounded = value * std::f64::consts::LOG2_E + ROUNDER;
        let power = rounded - ROUNDER;
        let x = value - power * LN_2_HIGH - power * LN_2_LOW;
        let scale = f64::from_bits(rounded.to_bits().wrapping_add(1023) << 52);
        // Σ xⁿ / n! up to n = 12.
        let (x2, x4) = (x * x, (x * x) * (x * x));
        let low = (1.0 + x) + x2 * (1.0 / 2.0 + x * (1.0 / 6.0));
        let middle = (1.0 / 24.0 + x * (1.0 / 120.0)) + x2 * (1.0 / 720.0 + x * (1.0 / 5_040.0));
        let high = (1.0 / 40_320.0 + x * (1.0 / 362_880.0))
            + x2 * (1.0 / 3_628_800.0 + x * (1.0 / 39_916_800.0));
        let sum = low + x4 * (middle + x4 * (high + x4 * (1.0 / 479_001_600.0)));
        results[k] = sum * scale;
    }
    results
}

/// ln of every lane, positive ordinary numbers all.
#[inline(always)]
pub(crate) fn ln<const S: usize>(values: &[f64; S]) -> [f64; S] {
    let mut results = [0.0; S];
    for k in 0..S {
        // A mantissa between √½ and √2, and the power of two; the sum of two integers in the lowest
        // bits of a number of moderate size is converted without a conversion.
        let shifted = values[k].to_bits().wrapping_sub(HALF_ROOT);
        let biased = shifted.wrapping_add(2048 << 52) >> 52;
        let power = f64::from_bits(biased + ROUNDER.to_bits()) - (ROUNDER + 2048.0);
        let mantissa = f64::from_bits((shifted & MANTISSA).wrapping_add(HALF_ROOT));
        // ln m = 2 artanh((m - 1) / (m + 1)) = Σ 2 r²ⁿ⁺¹ / (2n + 1) up to n = 10.
        let r = (mantissa - 1.0) / (mantissa + 1.0);
        let (r2, r4) = (r * r, (r * r) * (r * r));
        let r8 = r4 * r4;
        let low = (2.0 / 3.0 + r2 * (2.0 / 5.0)) + r4 * (2.0 / 7.0 + r2 * (2.0 / 9.0));
        let high = (2.0 / 11.0 + r2 * (2.0 / 13.0)) + r4 * (2.0 / 15.0 + r2 * (2.0 / 17.0));
        let sum = low + r8 * (high + r8 * (2.0 / 19.0 + r2 * (2.0 / 21.0)));
        let rest = 2.0 * r + r * r2 * sum;
        results[k] = power * LN_2_HIGH + (power * LN_2_LOW + rest);
    }
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_those_of_the_library() {
        for step in -7_000..7_000 {
            let value = f64::from(step) * 0.101;
            let [found] = exp(&[value]);
            assert!((found / value.exp() - 1.0).abs() < 2e-15, "exp {value}");
        }
        assert!(exp(&[-1e300])[0] < 1e-300);
        assert!(exp(&[1e300])[0].is_finite());
    }

    #[test]
    fn logarithms_are_those_of_the_library() {
        for step in -7_000..7_000 {
            let value = (f64::from(step) * 0.1).exp() * 1.234;
            let [found] = ln(&[value]);
            assert!(
                (found - value.ln()).abs() <= 4e-16 * value.ln().abs().max(0.5),
                "ln {value}"
            );
        }
        assert_eq!(ln(&[1.0]), [0.0]);
    }
}
