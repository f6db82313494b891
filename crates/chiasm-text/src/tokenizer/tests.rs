use super::*;
use proptest::prelude::*;

fn tokenize(language: &str, line: &str) -> String {
    Tokenizer::new(language).tokenize(line)
}

#[test]
fn english() {
    for (line, tokens) in [
        ("Hello, world!", "Hello , world !"),
        ("It costs $5,300.50, no?", "It costs $ 5,300.50 , no ?"),
        (
            "Mr. Smith met U.S. officials. They left.",
            "Mr. Smith met U.S. officials . They left .",
        ),
        ("Wait... what?", "Wait ... what ?"),
        ("the boys' 90's don't", "the boys ' 90 's don 't"),
        ("see No. 5. or No. Then", "see No. 5. or No . Then"),
        ("'A'isha said 'yes.'", "'A 'isha said ' yes . '"),
        ("a,b,c ,5 5,a", "a , b , c , 5 5 , a"),
        ("and/or a-b -- x_y", "and / or a-b -- x _ y"),
        ("  tab\tand \u{1}control  ", "tab and control"),
        ("", ""),
        (".", "."),
        ("...", "..."),
        ("'", "'"),
    ] {
        assert_eq!(tokenize("en", line), tokens, "{line}");
    }
}

#[test]
fn other_customs() {
    assert_eq!(
        tokenize("fr", "C'est l'été, n'est-ce pas?"),
        "C' est l' été , n' est-ce pas ?"
    );
    assert_eq!(
        tokenize("de", "Hans' Haus, z.B. am Dr.-Ring."),
        "Hans ' Haus , z.B. am Dr.-Ring."
    );
    assert_eq!(
        tokenize("de", "Am 13. Dezember 2016. Ende."),
        "Am 13. Dezember 2016 . Ende ."
    );
    assert_eq!(
        tokenize("fa", "می\u{200c}خواهم\u{200b}."),
        "می\u{200c}خواهم ."
    );
    assert_eq!(tokenize("ru", "Привет, «мир»!"), "Привет , « мир » !");
    assert_eq!(tokenize("hi", "नमस्ते दुनिया।"), "नमस्ते दुनिया ।");
}

#[test]
fn arabic_spelling_is_unified() {
    assert_eq!(
        tokenize(
            "ar",
            "تعذّرت إقامة اتّصال بمصدر البيانات الخارجيّ. بنسبة ٨٦.٣% إلى"
        ),
        "تعذرت اقامة اتصال بمصدر البيانات الخارجي . بنسبة 86.3 % الي"
    );
    assert_eq!(tokenize("ar", "حسنًا، «نعم»؟"), "حسنا ، « نعم » ؟");
    assert_eq!(
        tokenize("ar", "و2000 في 19:30… lc-34 1957–58"),
        "و 2000 في 19:30 ... lc-34 1957 - 58"
    );
}

#[test]
fn unspaced_languages_are_segmented() {
    assert_eq!(tokenize("zh", "计算样本数据。"), "计算 样本 数据 。");
    let japanese = tokenize("ja", "日本語テキストを検索します。");
    assert!(
        japanese.split(' ').count() >= 5 && japanese.ends_with(" 。"),
        "{japanese}"
    );
    let thai = tokenize("th", "ภาษาไทยง่ายมาก");
    assert!(thai.split(' ').count() >= 3, "{thai}");
}

#[test]
fn entities() {
    let mut tokenizer = Tokenizer::new("en").escaping(true);
    assert_eq!(
        tokenizer.tokenize("[a|b] & \"it's\""),
        "&#91; a &#124; b &#93; &amp; &quot; it &apos;s &quot;"
    );
    assert_eq!(
        unescape("&#91; &amp;lt; &bar; & &apos;s &"),
        "[ &lt; | & 's &"
    );
}

fn without_spaces(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_whitespace() && !c.is_control())
        .collect()
}

proptest! {
    #[test]
    fn moses_tokens_keep_every_character(line in "\\PC{0,60}|[a-zA-Z0-9 .,'`\\-\"()éß½²]{0,60}", language in 0usize..4) {
        let language = ["en", "de", "fr", "xx"][language];
        let tokens = tokenize(language, &line);
        prop_assert_eq!(without_spaces(&tokens), without_spaces(&line));
        prop_assert!(!tokens.contains("  ") && tokens.trim() == tokens, "{:?}", tokens);
    }

    #[test]
    fn nothing_panics_and_spaces_are_single(line: String, language in 0usize..5) {
        let language = ["ar", "zh", "ja", "th", "en"][language];
        let tokens = tokenize(language, &line);
        prop_assert!(!tokens.contains("  ") && tokens.trim_matches(' ') == tokens, "{:?}", tokens);
    }

    #[test]
    fn entities_come_back(text: String) {
        prop_assert_eq!(unescape(&escape(&text)), text);
    }
}
