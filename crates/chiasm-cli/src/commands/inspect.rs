//! `chiasm inspect`: what is in a file that Chiasm wrote.

use crate::context::Context;
use anyhow::bail;
use chiasm_decode::{Error, KIND, System};
use chiasm_store::Container;
use clap::Args;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

/// What was typed.
#[derive(Args)]
pub struct Arguments {
    /// A system, a model, or any other file with sections.
    file: PathBuf,
    /// Check the contents of every section against its checksum.
    #[arg(long)]
    verify: bool,
    /// Look up the translations of a source phrase.
    #[arg(long, value_name = "WORDS")]
    phrase: Option<String>,
    /// Print as JSON.
    #[arg(long)]
    json: bool,
}

/// Looks.
pub fn run(arguments: Arguments, _: &Context) -> anyhow::Result<()> {
    let container = Container::open(&arguments.file)?;
    if arguments.verify {
        container.sections().verify()?;
    }
    if let Some(phrase) = &arguments.phrase {
        if container.kind() != KIND {
            bail!(
                "{}: a {}, which has no phrase table",
                arguments.file.display(),
                container.kind()
            );
        }
        let system = System::open(&arguments.file)?;
        return print_phrase(&system, phrase, arguments.json);
    }
    let sections: Vec<(String, usize)> = container
        .sections()
        .list()
        .map(|(name, length)| (name.to_string(), length))
        .collect();
    let system = match container.kind() {
        KIND => Some(System::open(&arguments.file)?),
        _ => None,
    };
    let text = if arguments.json {
        let mut object = json!({
            "kind": container.kind(),
            "version": container.version(),
            "verified": arguments.verify,
            "sections": sections.iter()
                .map(|(name, length)| (name.clone(), json!(length)))
                .collect::<serde_json::Map<String, Value>>(),
        });
        if let (Some(system), Some(object)) = (&system, object.as_object_mut()) {
            object.insert("configuration".into(), json!(system.configuration()));
            object.insert("phrase_pairs".into(), json!(system.phrase_table().len()));
        }
        format!("{object}\n")
    } else {
        describe(&container, &sections, system.as_ref(), arguments.verify)
    };
    print(&text)
}

fn print(text: &str) -> anyhow::Result<()> {
    use std::io::Write as _;
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}

fn describe(
    container: &Container,
    sections: &[(String, usize)],
    system: Option<&System>,
    verified: bool,
) -> String {
    let mut text = format!("{} of version {}", container.kind(), container.version());
    text.push_str(if verified {
        ", contents verified\n"
    } else {
        "\n"
    });
    if let Some(system) = system {
        let table = system.phrase_table();
        let _ = writeln!(
            text,
            "{} phrase pairs, {} target phrases, {} source words, {} target words",
            table.len(),
            table.target_phrases(),
            system.source_words().len(),
            system.target_words().len()
        );
        for model in system.language_models() {
            let counts: Vec<String> = model.model().counts().iter().map(u64::to_string).collect();
            let _ = writeln!(text, "language model with {} n-grams", counts.join(" + "));
        }
        let sparse = system.weights().sparse.len();
        if sparse > 0 {
            let _ = writeln!(text, "{sparse} sparse weights");
        }
        let _ = writeln!(text, "\n{}", system.configuration().to_text().trim_end());
    }
    text.push('\n');
    for (name, length) in sections {
        let _ = writeln!(text, "{length:>14}  {name}");
    }
    text
}

fn print_phrase(system: &System, phrase: &str, as_json: bool) -> anyhow::Result<()> {
    let words: Option<Vec<u32>> = chiasm_text::tokens(phrase)
        .map(|word| system.source_words().get(word))
        .collect();
    let table = system.phrase_table();
    let options = match &words {
        Some(words) => table.find(words)?,
        None => 0..0,
    };
    let mut scores = vec![0.0; table.columns()];
    let mut rows = Vec::new();
    for number in options {
        let option = table.option(number)?;
        table.scores(number, &mut scores)?;
        let target: Vec<&str> = option
            .target
            .iter()
            .map(|&word| system.target_words().word(word))
            .collect();
        let links: Vec<String> = option
            .links
            .iter()
            .map(|link| format!("{}-{}", link.source, link.target))
            .collect();
        let probabilities: Vec<f32> = scores.iter().map(|score| score.exp()).collect();
        rows.push((target.join(" "), probabilities, links.join(" ")));
    }
    if as_json {
        let list: Vec<Value> = rows
            .iter()
            .map(|(target, probabilities, links)| {
                json!({ "target": target, "probabilities": probabilities, "links": links })
            })
            .collect();
        return print(&format!("{}\n", json!(list)));
    }
    if rows.is_empty() {
        return Err(Error::Input(format!("{phrase:?} is not in the phrase table")).into());
    }
    let mut text = String::new();
    for (target, probabilities, links) in rows {
        let numbers: Vec<String> = probabilities.iter().map(|p| format!("{p:.6}")).collect();
        let _ = writeln!(
            text,
            "{phrase} ||| {target} ||| {} ||| {links}",
            numbers.join(" ")
        );
    }
    print(&text)
}
