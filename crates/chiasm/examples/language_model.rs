//! An n-gram model: estimate, save, open, ask.

use chiasm::LanguageModel;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let text = folder.path().join("text");
    std::fs::write(
        &text,
        "the house is small\nthe small house is here\nhere is the small house\n",
    )?;
    let model = LanguageModel::estimate(&[&text], 3, &())?;
    model.save(folder.path().join("lm.bin"))?;
    let model = LanguageModel::open(folder.path().join("lm.bin"))?;
    for line in ["the small house", "house the is"] {
        println!("{:8.3}  {line}", model.score(line).log10);
    }
    Ok(())
}
