//! `chiasm demo`: the whole way on the built-in language pair, in minutes.

use super::serve;
use crate::context::Context;
use anyhow::Context as _;
use chiasm_report::demo::{drawing, page};
use chiasm_synthesis::Language;
use chiasm_text::TextOutput;
use chiasm_train::cache::Cache;
use chiasm_train::experiment::{self, Contender, TestSet};
use chiasm_train::input::Input;
use chiasm_train::prepare::Raw;
use chiasm_train::settings::{Preset, Settings};
use chiasm_train::{Request, deliver};
use clap::Args;
use std::path::{Path, PathBuf};

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// japanese-like (verb last) or arabic-like (verb first).
    #[arg(long, default_value = "japanese-like", value_parser = language)]
    language: Language,
    /// Sentence pairs to train on.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(100..=1_000_000))]
    pairs: u64,
    /// Seed of everything random.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// The folder for everything that is made.
    #[arg(long, short, value_name = "DIR", default_value = "chiasm-demo")]
    output: PathBuf,
    /// End by serving the systems with a page that shows how phrases move.
    #[arg(long)]
    serve: bool,
    /// Where --serve listens.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = serve::DEFAULT_ADDRESS)]
    listen: String,
}

fn language(name: &str) -> std::result::Result<Language, String> {
    Language::from_name(name).ok_or_else(|| "arabic-like or japanese-like expected".to_string())
}

const DEVELOPMENT: u64 = 300;
const TEST: u64 = 500;
const BASELINE: &str = "lexicalised table";
const DRAWN: usize = 3;
const EXAMPLES: usize = 8;

/// The reordering models side by side: name, table, learned models.
const CONTENDERS: [(&str, &str, &[&str]); 5] = [
    ("none (distance only)", "none", &[]),
    (BASELINE, "hier-msd-backward-fe", &[]),
    (
        "naive Bayes, S7",
        "none",
        &["--learner nb-map --features S7 --direction backward"],
    ),
    (
        "maximum entropy (dual), S7",
        "none",
        &["--learner dual --features S7 --direction backward"],
    ),
    (
        "support vector machine, S7",
        "none",
        &["--learner svm --c 0.1 --features S7 --direction backward"],
    ),
];

/// Synthesises, trains, translates, compares, shows.
pub fn run(arguments: Arguments, context: &Context) -> anyhow::Result<()> {
    let folder = &arguments.output;
    let text = folder.join("text");
    std::fs::create_dir_all(&text).with_context(|| text.display().to_string())?;
    context.say(format!(
        "writing {} sentence pairs of the {} language pair",
        arguments.pairs,
        arguments.language.name()
    ));
    let (raw, test) = write_text(&arguments, &text)?;
    let cache_folder = folder.join("stages");
    let mut cache = Cache::open(cache_folder.clone(), context)?;
    let mut contenders = Vec::new();
    for (name, table, models) in CONTENDERS {
        let mut settings = Settings::preset(Preset::Quick);
        settings.seed = arguments.seed;
        settings.align.preset = chiasm_align::Preset::Standard;
        settings.align.alignments = 1;
        settings.search.pop_limit = 200;
        settings.reordering.table = table.parse().map_err(anyhow::Error::msg)?;
        let models = models.iter().map(|model| model.parse());
        settings.reordering.models = models.collect::<Result<_, _>>()?;
        let request = Request {
            raw: raw.clone(),
            lm_text: None,
            lm: None,
            settings,
            cache: cache_folder.clone(),
        };
        context.say(format!("== {name}"));
        let run = experiment::run(&request, &test, &mut cache, context);
        let mut contender = Contender::new(name);
        contender.runs.push(run.with_context(|| name.to_string())?);
        contenders.push(contender);
    }
    experiment::score(&mut contenders, &test, BASELINE, arguments.seed)?;
    if let Some(best) = contenders.last() {
        deliver(&best.runs[0].system, &folder.join("demo.chiasm"))?;
    }
    show(&contenders, &test, folder, context)?;
    if arguments.serve {
        serve_contenders(&arguments.listen, &contenders, &test, context)?;
    }
    Ok(())
}

/// The page with all systems, the one that knows most of moves first, and sentences to begin with.
fn serve_contenders(
    address: &str,
    contenders: &[Contender],
    test: &TestSet,
    context: &Context,
) -> anyhow::Result<()> {
    let mut systems = chiasm_serve::Systems::default();
    let mut examples = Vec::new();
    for contender in contenders.iter().rev() {
        let Some(run) = contender.runs.first() else {
            continue;
        };
        systems.open_as(&contender.name, &run.system)?;
        if examples.is_empty() {
            let moved = drawing::most_moved(&run.translations, EXAMPLES);
            examples = moved
                .iter()
                .map(|&index| test.source[index].clone())
                .collect();
        }
    }
    let settings = chiasm_serve::Settings {
        threads: context.threads,
        examples,
        ..chiasm_serve::Settings::default()
    };
    serve::serve(address, systems, settings, context)
}

/// Training, development and test text; sentence numbers do not overlap.
fn write_text(arguments: &Arguments, folder: &Path) -> anyhow::Result<(Raw, TestSet)> {
    let generator = arguments.language.generator(arguments.seed, 0);
    let part = |name: &str, range: std::ops::Range<u64>| -> anyhow::Result<Lines> {
        let mut lines = Lines::default();
        for index in range {
            let pair = generator.pair(index);
            lines.source.push(pair.source_text());
            lines.target.push(pair.target_text());
        }
        write(&folder.join(format!("{name}.source")), &lines.source)?;
        write(&folder.join(format!("{name}.target")), &lines.target)?;
        Ok(lines)
    };
    let train = arguments.pairs;
    part("train", 0..train)?;
    part("dev", train..train + DEVELOPMENT)?;
    let test = part("test", train + DEVELOPMENT..train + DEVELOPMENT + TEST)?;
    let file = |name: &str| folder.join(name);
    let raw = Raw {
        input: Input::Lines {
            source: file("train.source"),
            target: file("train.target"),
            links: None,
        },
        dev: Some((file("dev.source"), vec![file("dev.target")])),
        languages: None,
    };
    let test = TestSet {
        source: test.source,
        references: vec![test.target],
    };
    Ok((raw, test))
}

#[derive(Default)]
struct Lines {
    source: Vec<String>,
    target: Vec<String>,
}

fn write(path: &Path, lines: &[String]) -> anyhow::Result<()> {
    let mut output = TextOutput::create(path)?;
    for line in lines {
        output.write_text(line.as_bytes())?;
        output.write_text(b"\n")?;
    }
    Ok(output.finish()?)
}

/// The table and three sentences, on standard output; the way on, on standard error.
fn show(
    contenders: &[Contender],
    test: &TestSet,
    folder: &Path,
    context: &Context,
) -> anyhow::Result<()> {
    let mut text = format!("\n{}\n", experiment::table(contenders, test.source.len()));
    let mut drawn = Vec::new();
    if let Some(best) = contenders.last().and_then(|best| best.runs.first()) {
        drawn = drawing::most_moved(&best.translations, DRAWN);
        for &index in &drawn {
            text += &drawing::draw(&test.source[index], &best.translations[index]);
            text += &format!("reference  {}\n\n", test.references[0][index]);
        }
    }
    let mut output = TextOutput::create("-")?;
    output.write_text(text.as_bytes())?;
    output.finish()?;
    let command: Vec<String> = std::env::args().collect();
    let mut page = TextOutput::create(folder.join("demo.html"))?;
    page.write_text(page::html(contenders, test, &drawn, &command.join(" ")).as_bytes())?;
    page.finish()?;
    context.say(format!(
        "everything is in {0}, demo.html shows it; try: chiasm translate -s {0}/demo.chiasm --json < {0}/text/test.source",
        folder.display()
    ));
    Ok(())
}
