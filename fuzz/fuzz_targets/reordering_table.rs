//! Any bytes as Moses' reordering table beside a phrase table and a language model that are good: a system or an error.
#![no_main]

use chiasm_decode::moses::{ImportOptions, import};

const INI: &str = "[input-factors]\n0\n[mapping]\n0 T 0\n[feature]\nWordPenalty\nDistortion\n\
    PhraseDictionaryMemory name=T0 num-features=4 path=table input-factor=0 output-factor=0\n\
    LexicalReordering name=R0 num-features=6 type=wbe-msd-bidirectional-fe input-factor=0 output-factor=0 path=moves\n\
    KENLM name=L0 factor=0 path=lm order=1\n[weight]\nWordPenalty0= -1\nDistortion0= 0.3\nT0= 0.2 0.2 0.2 0.2\n\
    R0= 0.3 0.3 0.3 0.3 0.3 0.3\nL0= 0.5\n";
const TABLE: &str = "a ||| x ||| 0.5 0.5 0.5 0.5 ||| 0-0 ||| |||\na b ||| x y ||| 1 1 1 1 ||| 0-0 1-1 ||| |||\n";
const ARPA: &str = "\\data\\\nngram 1=3\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\n-1\t</s>\n\n\\end\\\n";

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let files = [("ini", INI.as_bytes()), ("table", TABLE.as_bytes()), ("lm", ARPA.as_bytes()), ("moves", bytes)];
    for (name, contents) in files {
        std::fs::write(folder.path().join(name), contents).expect("room for it");
    }
    let _ = import(&folder.path().join("ini"), &ImportOptions::default(), &());
});
