//! A translation with its reorderings, for a terminal.
//!
//! ```text
//! source     [kare wa] [hon o] [yomu]
//!                1        3       2
//! target     he · reads · a book
//!            1 monotone · 2 discontinuous · 3 swap
//! ```

use chiasm_decode::Translation;

/// Sentences whose phrases moved most, each once, the shortest of equals first.
pub fn most_moved(translations: &[Translation], count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..translations.len()).collect();
    order.sort_by_key(|&index| {
        let translation = &translations[index];
        (
            std::cmp::Reverse(moves(translation)),
            translation.words.len(),
            index,
        )
    });
    // Of many good ones the readable ones: at most a dozen words.
    order.retain(|&index| (4..=12).contains(&translations[index].words.len()));
    order.truncate(count);
    order
}

/// How many phrases do not follow the one before.
fn moves(translation: &Translation) -> usize {
    let pairs = translation.phrases.windows(2);
    pairs
        .filter(|pair| pair[0].source.end != pair[1].source.start)
        .count()
}

/// The picture of one sentence.
pub fn draw(source: &str, translation: &Translation) -> String {
    let words: Vec<&str> = chiasm_text::tokens(source).collect();
    let mut in_source_order: Vec<(u32, usize)> = (0..translation.phrases.len())
        .map(|number| (translation.phrases[number].source.start, number))
        .collect();
    in_source_order.sort_unstable();
    let (mut upper, mut lower) = (String::from("source     "), String::from("           "));
    for (_, number) in in_source_order {
        let span = translation.phrases[number].source;
        let phrase = words.get(span.range()).unwrap_or(&[]).join(" ");
        let block = format!("[{phrase}]");
        let width = block.chars().count();
        upper += &format!("{block} ");
        lower += &format!("{:^width$} ", number + 1);
    }
    let target: Vec<String> = translation
        .phrases
        .iter()
        .map(|phrase| translation.words[phrase.target.range()].join(" "))
        .collect();
    let orientations: Vec<String> = translation
        .phrases
        .iter()
        .enumerate()
        .map(|(number, phrase)| format!("{} {}", number + 1, orientation(phrase)))
        .collect();
    format!(
        "{}\n{}\ntarget     {}\n           {}\n",
        upper.trim_end(),
        lower.trim_end(),
        target.join(" · "),
        orientations.join(" · ")
    )
}

/// The orientation that came about, with the model's probability of it.
fn orientation(phrase: &chiasm_decode::PhraseUse) -> String {
    let Some(used) = phrase.orientations.first() else {
        return String::new();
    };
    let Some(name) = used.orientation else {
        return String::new();
    };
    match used.probabilities.iter().find(|entry| entry.0 == name) {
        Some((_, probability)) => format!("{name} {:.0} %", 100.0 * probability),
        None => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chiasm_decode::PhraseUse;

    fn phrase(source: (u32, u32), target: (u32, u32)) -> PhraseUse {
        PhraseUse {
            source: source.into(),
            target: target.into(),
            links: Vec::new(),
            unknown: false,
            orientations: Vec::new(),
            operations: Vec::new(),
        }
    }

    #[test]
    fn blocks_carry_the_number_of_their_translation() {
        let translation = Translation {
            words: ["he", "reads", "a", "book"].map(String::from).to_vec(),
            phrases: vec![
                phrase((0, 2), (0, 1)),
                phrase((4, 5), (1, 2)),
                phrase((2, 4), (2, 4)),
            ],
            ..Default::default()
        };
        let picture = draw("kare wa hon o yomu", &translation);
        let lines: Vec<&str> = picture.lines().collect();
        assert_eq!(lines[0], "source     [kare wa] [hon o] [yomu]");
        assert_eq!(lines[1], "               1        3      2");
        assert_eq!(lines[2], "target     he · reads · a book");
        assert_eq!(most_moved(&[translation], 3), [0]);
    }
}
