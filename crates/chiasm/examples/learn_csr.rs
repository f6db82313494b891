//! A classifier on a sparse matrix, with the certificate that it is as good as it can be.

use chiasm::Recipe;
use chiasm::learn::{Examples, evaluate};

fn main() -> chiasm::Result<()> {
    let (mut offsets, mut indices, mut labels) = (vec![0], Vec::new(), Vec::new());
    for row in 0..300u32 {
        let class = row % 3;
        indices.extend([class, 3 + row % 5, 8 + row % 7]);
        offsets.push(indices.len());
        labels.push(class as usize);
    }
    let values = vec![1.0; indices.len()];
    let names = ["monotone", "swap", "discontinuous"]
        .map(String::from)
        .to_vec();
    let examples = Examples::from_csr(&offsets, &indices, &values, &labels, names)?;
    let recipe: Recipe = "--learner dual --sigma2 1 --gap 0.0001".parse()?;
    let (model, report) = recipe.train(examples.clone(), None, &())?;
    let accuracy = evaluate(&model, &examples)?.accuracy();
    println!(
        "accuracy {accuracy}, relative gap {:?}",
        report.relative_gap
    );
    Ok(())
}
