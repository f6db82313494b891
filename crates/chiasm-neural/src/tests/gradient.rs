use super::reference::Reference;
use crate::Shape;
use crate::adam::State;
use crate::dropout::Dropout;
use crate::network::{Batch, Network};
use crate::random::random;
use crate::shape::Layout;
use crate::sublayers::Pass;
use rand::RngExt;

const PAIRS: [(&[u16], &[u16]); 3] = [
    (&[3, 4, 5, 6], &[4, 3, 2]),
    (&[2], &[5, 5, 6, 7, 3]),
    (&[7, 3, 7], &[6]),
];

fn network() -> Network {
    Network::new(Layout::new(Shape {
        width: 8,
        inner: 12,
        heads: 2,
        encoder_layers: 2,
        decoder_layers: 2,
        source_pieces: 8,
        target_pieces: 9,
    }))
}

fn parameters(network: &Network) -> Vec<f32> {
    let mut parameters = State::new(&network.layout, 5).parameters;
    // Away from the zeros and ones that biases and gains begin with.
    let mut random = random(5, "test", 0);
    parameters
        .iter_mut()
        .for_each(|value| *value += 0.2 * random.random::<f32>() - 0.1);
    parameters
}

fn batch() -> Batch {
    let mut batch = Batch::default();
    PAIRS
        .iter()
        .for_each(|(source, target)| batch.push(source, target));
    batch
}

fn slow_loss(network: &Network, parameters: &[f64], smoothing: f64) -> f64 {
    let reference = Reference {
        layout: &network.layout,
        parameters,
    };
    let losses = PAIRS
        .iter()
        .map(|(source, target)| reference.loss(source, target, smoothing));
    losses.sum()
}

#[test]
fn loss_and_gradient_are_those_of_the_definition() {
    let network = network();
    let parameters = parameters(&network);
    let pass = Pass {
        parameters: &parameters,
        threads: 1,
    };
    let mut gradient = vec![0.0; parameters.len()];
    let loss = network.learn(
        pass,
        &mut gradient,
        &batch(),
        0.1,
        1.0,
        &mut Dropout::none(),
    );
    let mut wide: Vec<f64> = parameters.iter().map(|&value| f64::from(value)).collect();
    let expected = slow_loss(&network, &wide, 0.1);
    assert!((loss - expected).abs() < 1e-4, "{loss} {expected}");
    let plain = slow_loss(&network, &wide, 0.0);
    assert!((network.loss(pass, &batch()) - plain).abs() < 1e-4);
    for place in 0..wide.len() {
        let kept = wide[place];
        let step = 1e-5;
        wide[place] = kept + step;
        let above = slow_loss(&network, &wide, 0.1);
        wide[place] = kept - step;
        let below = slow_loss(&network, &wide, 0.1);
        wide[place] = kept;
        let expected = (above - below) / (2.0 * step);
        let found = f64::from(gradient[place]);
        let allowed = 1e-4 + 1e-3 * expected.abs();
        assert!(
            (found - expected).abs() < allowed,
            "{place}: {found} {expected}"
        );
    }
}

#[test]
fn the_gradient_sees_what_was_dropped() {
    let network = network();
    let parameters = parameters(&network);
    let learn = |parameters: &[f32]| {
        let pass = Pass {
            parameters,
            threads: 1,
        };
        let mut dropout = Dropout::new(0.3, random(9, "test dropout", 0));
        let mut gradient = vec![0.0; parameters.len()];
        let loss = network.learn(pass, &mut gradient, &batch(), 0.1, 1.0, &mut dropout);
        (loss, gradient)
    };
    let loss = |parameters: &[f32]| learn(parameters).0;
    let (plain, gradient) = learn(&parameters);
    let pass = Pass {
        parameters: &parameters,
        threads: 1,
    };
    let whole = network.learn(
        pass,
        &mut vec![0.0; parameters.len()],
        &batch(),
        0.1,
        1.0,
        &mut Dropout::none(),
    );
    assert!((plain - whole).abs() > 1e-3, "nothing was dropped");
    let mut directions = random(9, "test directions", 0);
    for _ in 0..20 {
        let direction: Vec<f32> = parameters
            .iter()
            .map(|_| directions.random::<f32>() - 0.5)
            .collect();
        let moved = |step: f32| -> Vec<f32> {
            let both = parameters.iter().zip(&direction);
            both.map(|(value, direction)| value + step * direction)
                .collect()
        };
        let step = 1e-3;
        let expected = (loss(&moved(step)) - loss(&moved(-step))) / (2.0 * f64::from(step));
        let found: f64 = gradient
            .iter()
            .zip(&direction)
            .map(|(slope, direction)| f64::from(*slope) * f64::from(*direction))
            .sum();
        let allowed = 0.02 * expected.abs() + 0.05;
        assert!((found - expected).abs() < allowed, "{found} {expected}");
    }
}
