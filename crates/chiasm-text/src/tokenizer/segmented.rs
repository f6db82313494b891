//! Languages that write no spaces between words: Chinese, Japanese, Thai and their neighbours, by Unicode's word boundaries
//! with the dictionaries and models of ICU.

use icu_segmenter::WordSegmenter;
use icu_segmenter::options::WordBreakInvariantOptions;
use unicode_normalization::UnicodeNormalization;

/// Appends the tokens of `line`: full-width letters folded (NFKC), words as ICU finds them, white space dropped.
pub fn tokenize(line: &str, output: &mut String) {
    let start = output.len();
    let clean: String = line
        .nfkc()
        .filter(|&c| !super::characters::is_control(c))
        .collect();
    let segmenter = WordSegmenter::new_auto(WordBreakInvariantOptions::default());
    let mut from = 0;
    for boundary in segmenter.segment_str(&clean) {
        let word = clean[from..boundary].trim();
        from = boundary;
        if word.is_empty() {
            continue;
        }
        if output.len() > start {
            output.push(' ');
        }
        output.push_str(word);
    }
}
