//! Any bytes as an ARPA file: an error, or a model that answers.
#![no_main]

use chiasm_lm::arpa::{NgramList, Reader};
use chiasm_lm::{Model, State};
use chiasm_text::Lines;
use std::io::Cursor;
use std::path::Path;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let lines = Lines::new(Box::new(Cursor::new(bytes.to_vec())), "fuzz");
    let Ok(list) = Reader::new(lines).and_then(NgramList::from_reader) else {
        return;
    };
    for model in [
        Model::from_list(list.clone(), Path::new("fuzz")),
        Model::quantised(list, Path::new("fuzz")),
    ]
    .into_iter()
    .flatten()
    {
        let (mut state, mut next) = (model.begin_sentence_state(), State::default());
        for word in (0..40).chain(0..40) {
            model.score(&state, word * 7 % 13, &mut next);
            state = next;
        }
        model.score_line("a b <s> c");
    }
});
