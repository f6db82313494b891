//! Sizes of memory as people write them, and how much was used.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// A number of bytes, written `512M`, `4G`, `1.5T`, `4096B`. A bare number counts bytes, too, if it is a million or more:
/// whoever writes `10` hardly means ten bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemorySize(pub u64);

/// Fewer bytes need their unit.
const LEAST_BARE: f64 = 1e6;

impl MemorySize {
    /// As `usize`, saturating.
    pub fn bytes(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl FromStr for MemorySize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let complaint = || format!("'{text}' is not a size of memory such as 512M or 4G");
        let trimmed = text
            .trim()
            .trim_end_matches(['b', 'B'])
            .trim_end_matches('i');
        let bytes = text.trim().ends_with(['b', 'B']);
        let (number, unit) = match trimmed.char_indices().last() {
            Some((at, 'k' | 'K')) => (&trimmed[..at], 1u64 << 10),
            Some((at, 'm' | 'M')) => (&trimmed[..at], 1 << 20),
            Some((at, 'g' | 'G')) => (&trimmed[..at], 1 << 30),
            Some((at, 't' | 'T')) => (&trimmed[..at], 1 << 40),
            _ => (trimmed, 1),
        };
        let number: f64 = number.trim().parse().map_err(|_| complaint())?;
        if !number.is_finite() || number <= 0.0 {
            return Err(complaint());
        }
        if unit == 1 && !bytes && number < LEAST_BARE {
            return Err(format!(
                "'{text}' would be {text} bytes: is {text}G or {text}M meant? ({text}B for bytes)"
            ));
        }
        Ok(MemorySize((number * unit as f64) as u64))
    }
}

impl Serialize for MemorySize {
    /// In the largest unit that it is a whole number of.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        for (unit, shift) in [("T", 40), ("G", 30), ("M", 20), ("K", 10)] {
            if self.0 > 0 && self.0.is_multiple_of(1 << shift) {
                return serializer.collect_str(&format_args!("{}{unit}", self.0 >> shift));
            }
        }
        serializer.collect_str(&format_args!("{}B", self.0))
    }
}

impl<'de> Deserialize<'de> for MemorySize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::as_text::deserialize(deserializer)
    }
}

impl fmt::Display for MemorySize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
        for (name, shift) in units {
            if self.0 >= 1 << shift {
                return write!(f, "{:.1} {name}", self.0 as f64 / (1u64 << shift) as f64);
            }
        }
        write!(f, "{} bytes", self.0)
    }
}

/// The most memory this process has held so far, as the system counts it; 0 where it does not say.
pub fn peak_memory_bytes() -> u64 {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else {
        return 0;
    };
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| {
            rest.trim()
                .trim_end_matches("kB")
                .trim()
                .parse::<u64>()
                .ok()
        })
        .map_or(0, |kilobytes| kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        assert_eq!("4G".parse(), Ok(MemorySize(4 << 30)));
        assert_eq!("1.5m".parse(), Ok(MemorySize(3 << 19)));
        assert_eq!("100MiB".parse(), Ok(MemorySize(100 << 20)));
        assert_eq!("4096B".parse(), Ok(MemorySize(4096)));
        assert_eq!("64000000".parse(), Ok(MemorySize(64_000_000)));
        let bare = "10".parse::<MemorySize>().unwrap_err();
        let expected = "'10' would be 10 bytes: is 10G or 10M meant? (10B for bytes)";
        assert_eq!(bare, expected);
        assert_eq!(
            serde_json::to_string(&MemorySize(4 << 30)).unwrap(),
            "\"4G\""
        );
        let odd: MemorySize = serde_json::from_str("\"1023B\"").unwrap();
        assert_eq!(serde_json::to_string(&odd).unwrap(), "\"1023B\"");
        for bad in ["", "G", "-1G", "nan", "four", "0", "inf"] {
            assert!(bad.parse::<MemorySize>().is_err(), "{bad}");
        }
    }
}
