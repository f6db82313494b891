//! What can happen to a file: rot, cuts, and people.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Random numbers from a name and a number (splitmix64).
pub struct Random(u64);

impl Random {
    pub fn new(name: &str, number: u64) -> Self {
        Random(xxh3_64(name.as_bytes()) ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// Numbers that programs stumble over.
const EXTREME: [u64; 6] = [
    0,
    1,
    0x7fff_ffff,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    u64::MAX,
];

/// Does one thing, or a few, and says what.
pub fn apply(bytes: &mut Vec<u8>, random: &mut Random) -> String {
    let mut done = Vec::new();
    for _ in 0..=random.below(3) {
        let length = bytes.len();
        let at = random.below(length);
        match random.below(8) {
            0 => {
                let bit = random.below(8);
                flip(bytes, at, 1 << bit);
                done.push(format!("bit {bit} of byte {at}"));
            }
            1 => {
                let start = at / 512 * 512;
                let end = (start + 512).min(length);
                bytes[start..end].fill(0);
                done.push(format!("sector at {start} zero"));
            }
            2 => {
                bytes.truncate(at);
                done.push(format!("cut to {at}"));
            }
            3 => {
                let value = EXTREME[random.below(EXTREME.len())].to_le_bytes();
                let width = [4, 8][random.below(2)];
                let start = at / width * width;
                for (place, byte) in (start..length).zip(value.into_iter().take(width)) {
                    bytes[place] = byte;
                }
                done.push(format!("extreme number at {start}"));
            }
            4 => {
                let mask = random.next() as u8 | 1;
                flip(bytes, at, mask);
                done.push(format!("byte {at}"));
            }
            5 => {
                let count = random.below(64);
                let some: Vec<u8> = (0..count).map(|_| random.next() as u8).collect();
                bytes.splice(at..at, some);
                done.push(format!("{count} bytes put in at {at}"));
            }
            6 => {
                let end = (at + random.below(256)).min(length);
                bytes.drain(at..end);
                done.push(format!("{at} to {end} taken out"));
            }
            _ => {
                let end = (at + random.below(256)).min(length);
                let copy = bytes[at..end].to_vec();
                let to = random.below(length);
                bytes.splice(to..to, copy);
                done.push(format!("{at} to {end} again at {to}"));
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    done.join(", ")
}

/// Overwrites contents behind the header with pieces of (place, length, bytes), as fuzzers make them up.
#[allow(dead_code)]
pub fn overwrite(bytes: &mut [u8], mut pieces: &[u8]) {
    while let [low, middle, high, length, more @ ..] = pieces {
        let place = u32::from_le_bytes([*low, *middle, *high, 0]) as usize;
        let at = HEADER + place % bytes.len().saturating_sub(HEADER).max(1);
        let length = usize::from(length % 16)
            .min(more.len())
            .min(bytes.len() - at);
        bytes[at..at + length].copy_from_slice(&more[..length]);
        pieces = &more[length..];
    }
}

fn flip(bytes: &mut [u8], at: usize, mask: u8) {
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= mask;
    }
}

const HEADER: usize = 64;
const NAME: usize = 40;
const ENTRY: usize = NAME + 24;

/// Makes all checksums of a container right; false if too little of it is left.
pub fn forge(bytes: &mut [u8]) -> bool {
    let number = |bytes: &[u8], at: usize| {
        let eight: Option<[u8; 8]> = bytes.get(at..at + 8)?.try_into().ok();
        eight.map(u64::from_le_bytes)
    };
    let length = bytes.len() as u64;
    let Some(table) = number(bytes, 48).map(|start| start as usize) else {
        return false;
    };
    if bytes.len() < HEADER || table > bytes.len() || !(bytes.len() - table).is_multiple_of(ENTRY) {
        return false;
    }
    let count = ((bytes.len() - table) / ENTRY) as u32;
    bytes[36..40].copy_from_slice(&count.to_le_bytes());
    bytes[40..48].copy_from_slice(&length.to_le_bytes());
    for entry in (table..bytes.len()).step_by(ENTRY) {
        let start = number(bytes, entry + NAME).unwrap_or(0) as usize;
        let size = number(bytes, entry + NAME + 8).unwrap_or(0) as usize;
        let contents = start
            .checked_add(size)
            .and_then(|end| bytes.get(start..end));
        if let Some(checksum) = contents.map(xxh3_64) {
            bytes[entry + NAME + 16..entry + ENTRY].copy_from_slice(&checksum.to_le_bytes());
        }
    }
    let mut hash = Xxh3::new();
    hash.update(&bytes[..56]);
    hash.update(&bytes[table..]);
    let checksum = hash.digest();
    bytes[56..64].copy_from_slice(&checksum.to_le_bytes());
    true
}
