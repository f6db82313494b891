//! The identity of the code: a hash of all sources that stages run, so that changed code never reuses a
//! stage that other code made. A published crate has only its own sources; there the version tells.

use std::fs;
use std::path::{Path, PathBuf};

const ROOMS: [&str; 14] = [
    "align",
    "decode",
    "learn",
    "lm",
    "metrics",
    "neural",
    "operations",
    "phrases",
    "reorder",
    "store",
    "text",
    "train",
    "tune",
    "work",
];

fn main() {
    let own = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let crates = own.parent().map(Path::to_path_buf).unwrap_or_default();
    let mut files = Vec::new();
    for room in ROOMS {
        let sources = crates.join(format!("chiasm-{room}")).join("src");
        println!("cargo::rerun-if-changed={}", sources.display());
        collect(&sources, &mut files);
    }
    files.sort();
    // FNV-1a, 64 bits: no dependency, and nobody attacks his own build.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for file in files {
        for byte in fs::read(&file).unwrap_or_default() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    println!("cargo::rustc-env=CHIASM_SOURCES={hash:016x}");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}
