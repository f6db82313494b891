//! The formats, each with a small file that is whole and a question that reads as much of it as can be.

use anyhow::{Context, Result};
use chiasm_align::{LinkMaker, LinkSettings, Posteriors};
use chiasm_decode::moses::{ImportOptions, import};
use chiasm_decode::{Decoder, Feature, FeatureKind, Input, RankingWeights, System, Wanted};
use chiasm_learn::libsvm;
use chiasm_phrases::{PhraseLink, Span};
use chiasm_reorder::{Scratch, StoredModel, WordKey};
use chiasm_text::{Lines, Link, Links, MappedText, TranslationMemory};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A format.
pub struct Format {
    pub name: &'static str,
    /// A file of it.
    pub whole: Vec<u8>,
    /// Its contents are under checksums.
    pub has_checksums: bool,
    ask: Ask,
}

type Ask = fn(&Path) -> Result<String>;

impl Format {
    /// What a file of these bytes answers.
    pub fn answer(&self, bytes: &[u8], folder: &Path) -> Result<String> {
        let path = folder.join("file");
        std::fs::write(&path, bytes)?;
        (self.ask)(&path)
    }
}

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates")
}

fn golden(part: &str, name: &str) -> PathBuf {
    crates().join(part).join("tests/golden/0.1.0").join(name)
}

fn text(part: &str, name: &str) -> Result<String> {
    let path = golden(part, name);
    std::fs::read_to_string(&path).with_context(|| path.display().to_string())
}

/// All formats.
pub fn formats() -> Result<Vec<Format>> {
    let stored: [(&'static str, PathBuf, Ask); 11] = [
        (
            "system",
            golden("chiasm-decode", "tokenised.chiasm"),
            system,
        ),
        (
            "system with casing",
            golden("chiasm-decode", "raw.chiasm"),
            system,
        ),
        (
            "language model",
            golden("chiasm-lm", "probing.bin"),
            language_model,
        ),
        (
            "quantised language model",
            golden("chiasm-lm", "quantised.bin"),
            language_model,
        ),
        (
            "alignment model",
            golden("chiasm-align", "standard.model"),
            alignment_model,
        ),
        (
            "classifier",
            golden("chiasm-learn", "svm8.classifier"),
            classifier,
        ),
        (
            "naive Bayes",
            golden("chiasm-learn", "nb-map.classifier"),
            classifier,
        ),
        (
            "orientation model",
            golden("chiasm-reorder", "svm.model"),
            orientation_model,
        ),
        (
            "orientation counts",
            golden("chiasm-reorder", "nb-map.model"),
            orientation_model,
        ),
        (
            "orientation table",
            golden("chiasm-reorder", "lexicalised.model"),
            orientation_model,
        ),
        (
            "orientation model in bytes",
            golden("chiasm-reorder", "dual8.model"),
            orientation_model,
        ),
    ];
    let mut formats = Vec::new();
    for (name, path, ask) in stored {
        let whole = std::fs::read(&path).with_context(|| path.display().to_string())?;
        formats.push(Format {
            name,
            whole,
            has_checksums: true,
            ask,
        });
    }
    let folder = tempfile::tempdir()?;
    let mapped = folder.path().join("text");
    MappedText::write(&mapped, text("chiasm-align", "source")?.lines())?;
    formats.push(Format {
        name: "mapped text",
        whole: std::fs::read(&mapped)?,
        has_checksums: true,
        ask: mapped_text,
    });
    let ranked = folder.path().join("ranked");
    write_ranked(&ranked)?;
    formats.push(Format {
        name: "system with a ranker",
        whole: std::fs::read(&ranked)?,
        has_checksums: true,
        ask: system,
    });
    let packed = crates().join("chiasm-lm/tests/data/order3.arpa.xz");
    let mut arpa = String::new();
    let mut lines = Lines::open(&packed)?;
    while let Some(line) = lines.next_line()? {
        arpa += &format!("{line}\n");
    }
    let written: [(&'static str, Vec<u8>, Ask); 8] = [
        ("ARPA", arpa.into_bytes(), arpa_model),
        ("compressed text", std::fs::read(packed)?, arpa_model),
        (
            "LIBSVM",
            text("chiasm-learn", "input.libsvm")?.into_bytes(),
            examples,
        ),
        (
            "links",
            text("chiasm-align", "standard.answers")?.into_bytes(),
            links,
        ),
        ("TMX", MEMORY.as_bytes().to_vec(), memory),
        ("marked text", MARKED.as_bytes().to_vec(), marked),
        ("phrase table", TABLE.as_bytes().to_vec(), phrase_table),
        (
            "reordering table",
            MOVES.as_bytes().to_vec(),
            reordering_table,
        ),
    ];
    for (name, whole, ask) in written {
        formats.push(Format {
            name,
            whole,
            has_checksums: false,
            ask,
        });
    }
    Ok(formats)
}

const MEMORY: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4"><header srclang="en"/><body>
<tu><tuv xml:lang="en-GB"><seg>Fish &amp; <bpt i="1">&lt;b></bpt>chips<ept i="1"/> &#233;</seg></tuv>
 <tuv xml:lang="DE"><seg>Fisch und Pommes</seg></tuv></tu>
<tu><tuv lang="de"><seg>Ja</seg></tuv><tuv lang="en"><seg><![CDATA[Y<es]]></seg></tuv></tu>
</body></tmx>
"#;

const MARKED: &str = "das <n translation=\"house||home\" prob=\"0.8||0.2\">kleine Haus</n> .\n<b>x</b> <br/> a < b <x\n";

const INI: &str = "[input-factors]\n0\n[mapping]\n0 T 0\n[feature]\nWordPenalty\nDistortion\n\
    PhraseDictionaryMemory name=T0 num-features=4 path=table input-factor=0 output-factor=0\n\
    LexicalReordering name=R0 num-features=6 type=wbe-msd-bidirectional-fe input-factor=0 output-factor=0 path=moves\n\
    KENLM name=L0 factor=0 path=lm order=1\n[weight]\nWordPenalty0= -1\nDistortion0= 0.3\nT0= 0.2 0.2 0.2 0.2\n\
    R0= 0.3 0.3 0.3 0.3 0.3 0.3\nL0= 0.5\n";
const TABLE: &str = "a ||| x ||| 0.5 0.25 0.5 0.125 ||| 0-0 ||| 2 4 1\na ||| y z ||| 0.5 0.25 0.5 0.125 ||| 0-0 0-1 ||| 1 4 1\n\
    a b ||| x y ||| 1 1 1e-3 1 ||| 0-0 1-1 ||| |||\nb ||| y ||| 0.3 0.2 0.6 0.7 ||| 0-0\n";
const MOVES: &str = "a ||| x ||| 0.2 0.3 0.5 0.1 0.8 0.1\na b ||| x y ||| 0.6 0.2 0.2 0.3 0.3 0.4\nb ||| y ||| 0.7 0.2 0.1 0.1 0.2 0.7\n";
const UNIGRAMS: &str = "\\data\\\nngram 1=5\n\n\\1-grams:\n-1\t<unk>\n-99\t<s>\n-1\t</s>\n-0.5\tx\n-0.7\ty\n\n\\end\\\n";

/// The golden system with small neural models in it, hardly trained.
fn write_ranked(path: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let sides = ["source", "target"].map(|side| folder.path().join(side));
    for (side, name) in sides.iter().zip(["source", "target"]) {
        MappedText::write(side, text("chiasm-align", name)?.lines())?;
    }
    let [source, target] = [MappedText::open(&sides[0])?, MappedText::open(&sides[1])?];
    let training = chiasm_neural::Training {
        source: &source,
        target: &target,
        held_out: &[],
        recipe: &chiasm_neural::Recipe {
            size: chiasm_neural::Size::Tiny,
            steps: 2,
            batch: 60,
            dropout: Some(0.0),
            label_smoothing: 0.1,
            learning_rate: 0.003,
            warm_up: 10,
            patience: 100,
            seed: 1,
            memory: 1 << 30,
        },
        checkpoint: None,
    };
    let ranker = Arc::new(chiasm_neural::train(&training, &chiasm_work::Silent)?);
    let system = System::open(golden("chiasm-decode", "tokenised.chiasm"))?;
    let mut system = with_joint_model(system, &source, &target)?;
    let weights = RankingWeights {
        score: 1.0,
        ranker: 2.0,
        word: 0.1,
    };
    system.set_ranker(ranker, weights, 5);
    Ok(system.write(path)?)
}

fn with_joint_model(system: System, source: &MappedText, target: &MappedText) -> Result<System> {
    let mut links = Links::default();
    for (source, target) in source.sentences().zip(target.sentences()) {
        let first = Link {
            source: 0,
            target: 0,
        };
        let both = !source.is_empty() && !target.is_empty();
        links.push(&[first][..usize::from(both)]);
    }
    let training = chiasm_neural::JointTraining {
        source,
        target,
        links: &links,
        recipe: &chiasm_neural::JointRecipe {
            words: 100,
            embedding: 4,
            hidden: 8,
            examples: 512,
            dropout: 0.0,
            learning_rate: 0.01,
            seed: 1,
        },
    };
    let model = chiasm_neural::train_joint(&training, &chiasm_work::Silent)?;
    let mut parts = system.into_parts();
    parts.joint_model = Some(Arc::new(model));
    parts.configuration.features.push(Feature {
        name: "Joint0".into(),
        weights: vec![0.3],
        kind: FeatureKind::JointModel,
    });
    Ok(System::new(parts)?)
}

fn phrase_table(path: &Path) -> Result<String> {
    imported(path, "table")
}

fn reordering_table(path: &Path) -> Result<String> {
    imported(path, "moves")
}

/// The answer of Moses' models of which one is the file.
fn imported(path: &Path, which: &str) -> Result<String> {
    let folder = path.parent().context("a folder")?;
    for (name, contents) in [("table", TABLE), ("moves", MOVES), ("lm", UNIGRAMS)] {
        std::fs::write(folder.join(name), contents)?;
    }
    std::fs::rename(path, folder.join(which))?;
    let ini = folder.join("ini");
    std::fs::write(&ini, INI)?;
    let system = Arc::new(import(&ini, &ImportOptions::default(), &())?);
    let decoder = Decoder::new(system)?;
    let wanted = Wanted {
        count: 20,
        distinct: false,
    };
    let found = decoder.nbest(&Input::from_line("a b a"), wanted)?;
    let answers = found
        .iter()
        .map(|found| format!("{} {}", found.text(), found.score));
    Ok(answers.collect::<Vec<_>>().join("\n"))
}

/// Sentences that the golden systems translate.
const SENTENCES: usize = 2;

fn system(path: &Path) -> Result<String> {
    let system = Arc::new(System::open(path)?);
    let mut settings = system.configuration().search.clone();
    settings.pop_limit = settings.pop_limit.min(30);
    settings.stack = settings.stack.min(30);
    settings.distortion_limit = settings.distortion_limit.or(Some(6));
    let decoder = Decoder::with_weights(system.clone(), &system.weights(), settings)?;
    let wanted = Wanted {
        count: 3,
        distinct: false,
    };
    let mut answers = Vec::new();
    for line in text("chiasm-decode", "tokenised.input")?
        .lines()
        .take(SENTENCES)
    {
        for found in decoder.nbest(&Input::from_line(line), wanted)? {
            answers.push(format!("{} {}", found.text(), found.score));
        }
    }
    Ok(answers.join("\n"))
}

fn language_model(path: &Path) -> Result<String> {
    let model = chiasm_lm::Model::open(path)?;
    let input = text("chiasm-lm", "input")?;
    let answers: Vec<String> = input
        .lines()
        .map(|line| model.score_line(line).log10.to_string())
        .collect();
    model.confirm()?;
    Ok(answers.join("\n"))
}

fn arpa_model(path: &Path) -> Result<String> {
    let model = chiasm_lm::Model::open(path)?;
    Ok(model.score_line("the cat sees the dog").log10.to_string())
}

fn alignment_model(path: &Path) -> Result<String> {
    let model = chiasm_align::Model::open(path)?;
    let mut decoder = chiasm_align::Decoder::new(&model);
    let (source, target) = (
        text("chiasm-align", "source")?,
        text("chiasm-align", "target")?,
    );
    let mut found = String::new();
    for (source, target) in source.lines().zip(target.lines()).take(3) {
        let mut posteriors = Posteriors::default();
        decoder.align(source, target, &mut posteriors);
        let pair = LinkMaker::default().links(&posteriors, LinkSettings::default());
        chiasm_text::links::format(&pair.links, &mut found);
        found.push('\n');
    }
    Ok(found)
}

fn classifier(path: &Path) -> Result<String> {
    let model = chiasm_learn::Model::open(path)?;
    let input = text("chiasm-learn", "input.libsvm")?;
    let examples = libsvm::read(input.as_bytes(), "input.libsvm", false)?;
    let mut predictor = model.predictor(&examples);
    let mut logarithms = vec![0.0; model.class_names().len()];
    let mut answers = Vec::new();
    for row in 0..examples.rows() {
        predictor.log_probabilities(examples.row(row), &mut logarithms);
        answers.push(format!("{logarithms:?}"));
    }
    Ok(answers.join("\n"))
}

fn orientation_model(path: &Path) -> Result<String> {
    let model = StoredModel::open(path)?;
    let sentence = text("chiasm-reorder", "sentence")?;
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let source: Vec<WordKey> = words.iter().map(|word| model.source_word(word)).collect();
    let target = [model.target_word("the"), model.target_word("man")];
    let mut scratch = Scratch::default();
    scratch.begin_sentence(&source);
    let mut logarithms = vec![0.0; model.columns()];
    let mut answers = Vec::new();
    for start in 0..words.len().saturating_sub(1) as u32 {
        let span = Span::new(start, start + 1);
        let links = [PhraseLink::new(0, 0)];
        logarithms.fill(0.0);
        let known = model.log_probabilities(&mut scratch, span, &target, &links, &mut logarithms);
        answers.push(format!("{known} {logarithms:?}"));
    }
    Ok(answers.join("\n"))
}

fn mapped_text(path: &Path) -> Result<String> {
    let text = MappedText::open(path)?;
    let sentences: Vec<String> = text.sentences().map(|words| format!("{words:?}")).collect();
    let words: Vec<&str> = text.vocabulary().words().collect();
    Ok(format!("{}\n{}", sentences.join("\n"), words.join(" ")))
}

fn examples(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path)?;
    let examples = libsvm::read(bytes.as_slice(), path, true)?;
    Ok(format!(
        "{} {} {}",
        examples.rows(),
        examples.features(),
        examples.classes()
    ))
}

fn links(path: &Path) -> Result<String> {
    let mut lines = Lines::open(path)?;
    let mut found = Vec::new();
    while let Some(line) = lines.next_line()? {
        chiasm_text::links::parse(line, 100, 100, &mut found).map_err(anyhow::Error::msg)?;
    }
    Ok(format!("{found:?}"))
}

fn memory(path: &Path) -> Result<String> {
    let mut memory = TranslationMemory::open(path, "de", "en")?;
    let mut found = String::new();
    while let Some((source, target)) = memory.next_pair()? {
        found += &format!("{source}\t{target}\n");
    }
    Ok(found)
}

fn marked(path: &Path) -> Result<String> {
    let mut lines = Lines::open(path)?;
    let mut found = String::new();
    while let Some(line) = lines.next_line()? {
        let unclosed = Input::unclosed_element(line);
        let input = Input::from_marked_line(line, chiasm_decode::Markup::Exclusive);
        found += &format!("{unclosed:?} {input:?}\n");
    }
    Ok(found)
}
