//! What the papers print (Arabic-English, other corpora): shown beside what is measured, not to be
//! expected elsewhere. NB is *Bayesian Reordering Model with Feature Selection* (2014), MLR *Large-scale
//! Reordering Model ... Dual Multinomial Logistic Regression* (2014), SVM *Scalable Reordering Models ...
//! Multiclass SVM* (2015).

/// A row of SVM Table 5 or 6.
#[derive(Clone, Copy, Debug)]
pub struct SetRow {
    /// Minutes of training.
    pub minutes: f64,
    /// Accuracy in per cent.
    pub accuracy: f64,
    /// F1 of monotone, swap, discontinuous in per cent.
    pub f1: [f64; 3],
}

const fn row(minutes: f64, accuracy: f64, f1: [f64; 3]) -> SetRow {
    SetRow {
        minutes,
        accuracy,
        f1,
    }
}

/// SVM Table 5: MaxEnt with S1 to S15.
pub const MAXENT: [SetRow; 15] = [
    row(86.0, 74.1, [84.8, 26.6, 29.8]),
    row(70.0, 74.0, [84.7, 22.7, 29.2]),
    row(100.0, 76.1, [86.1, 40.7, 43.0]),
    row(110.0, 77.0, [86.4, 48.5, 39.9]),
    row(359.0, 80.7, [88.7, 58.4, 53.7]),
    row(381.0, 81.3, [89.1, 61.4, 55.4]),
    row(190.0, 78.7, [87.6, 54.0, 48.3]),
    row(272.0, 81.4, [89.3, 60.4, 57.6]),
    row(283.0, 82.5, [89.9, 65.2, 59.9]),
    row(165.0, 76.2, [86.0, 43.9, 40.9]),
    row(911.0, 82.4, [89.7, 64.4, 57.7]),
    row(964.0, 82.6, [89.5, 64.8, 58.0]),
    row(204.0, 78.8, [87.9, 53.1, 51.4]),
    row(783.0, 82.2, [88.4, 61.1, 54.7]),
    row(912.0, 82.9, [90.8, 65.7, 61.4]),
];

/// SVM Table 6: the SVM with S1 to S15.
pub const SVM: [SetRow; 15] = [
    row(30.0, 70.8, [83.8, 12.0, 27.8]),
    row(28.0, 71.7, [84.2, 18.6, 17.3]),
    row(40.0, 75.8, [86.1, 42.2, 40.7]),
    row(33.0, 75.6, [85.8, 44.9, 31.4]),
    row(105.0, 82.1, [89.6, 63.5, 55.6]),
    row(127.0, 82.5, [89.9, 65.5, 57.3]),
    row(47.0, 79.3, [87.9, 57.7, 49.8]),
    row(84.0, 81.0, [88.9, 58.2, 53.5]),
    row(101.0, 82.1, [89.6, 65.1, 59.3]),
    row(44.0, 74.0, [85.2, 32.7, 27.7]),
    row(273.0, 82.7, [89.8, 64.3, 57.9]),
    row(291.0, 82.6, [89.9, 64.7, 58.7]),
    row(59.0, 78.0, [87.4, 49.7, 44.8]),
    row(212.0, 82.0, [89.5, 60.0, 55.6]),
    row(244.0, 82.8, [90.2, 63.5, 59.1]),
];

/// SVM Table 4: confusions of the lexicalised model in per cent of all; rows are the truth.
pub const LEXICALISED_CONFUSION: [[f64; 3]; 3] =
    [[68.9, 0.9, 1.3], [6.4, 2.6, 0.8], [14.2, 0.6, 4.4]];
/// SVM Table 4: of each class recall, precision (printed under each other's names) and F1.
pub const LEXICALISED_CLASSES: [[f64; 3]; 3] =
    [[97.0, 77.0, 85.9], [26.8, 63.5, 37.7], [23.0, 68.4, 34.5]];
/// SVM Table 4: accuracy.
pub const LEXICALISED_ACCURACY: f64 = 75.9;

/// SVM Table 7: millions of parameters and GB on disk.
pub const SIZES: [(&str, f64, f64); 3] = [
    ("lexicalised", 73.2, 5.9),
    ("SVM S6", 17.1, 0.7),
    ("SVM S7", 2.4, 0.1),
];

/// NB Table 3: error in per cent of the lexicalised model, MAP and Bayesian naive Bayes.
pub const NAIVE_BAYES_ERRORS: [(&str, f64); 3] = [
    ("lexicalised", 25.2),
    ("nb-map", 19.53),
    ("nb-bayes", 20.13),
];

/// NB Table 5: MB on disk and seconds a sentence of the lexicalised and the Bayesian model.
pub const NAIVE_BAYES_SIZES: [(f64, f64); 2] = [(604.0, 2.2), (18.0, 2.6)];

/// MLR Table 2: name, minutes, error in per cent.
pub const LOGISTIC: [(&str, f64, f64); 4] = [
    ("primal", 69.0, 17.81),
    ("dual, ε = 0.1", 18.0, 17.95),
    ("dual, ε = 1", 13.0, 21.13),
    ("dual, ε = 0.01", 22.0, 17.89),
];
