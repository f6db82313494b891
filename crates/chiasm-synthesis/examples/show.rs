//! Prints sentence pairs of a language: `cargo run --example show -- arabic-like 20 0`.

use chiasm_synthesis::Language;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let name = arguments.get(1).map_or("arabic-like", String::as_str);
    let Some(language) = Language::from_name(name) else {
        eprintln!("{name}: arabic-like or japanese-like expected");
        std::process::exit(2);
    };
    let number = |index: usize| arguments.get(index).and_then(|text| text.parse().ok());
    let generator = language.generator(1, number(3).unwrap_or(0));
    for pair in generator.pairs().take(number(2).unwrap_or(10) as usize) {
        println!(
            "{}\n{}\n{}",
            pair.source_text(),
            pair.target_text(),
            pair.gold_text()
        );
        let phrases: Vec<String> = pair
            .phrases()
            .iter()
            .map(|p| {
                let name = &p.orientation.name()[..1];
                format!(
                    "{}-{}:{}-{}:{name}",
                    p.source_start, p.source_end, p.target_start, p.target_end
                )
            })
            .collect();
        println!("{}\n", phrases.join(" "));
    }
}
