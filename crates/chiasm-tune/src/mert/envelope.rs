//! The upper envelope of the lines score(γ) = intercept + γ · slope of one sentence's entries.

/// One entry as γ varies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// The feature along the direction.
    pub slope: f64,
    /// The score at γ = 0.
    pub intercept: f64,
    /// Which entry it is.
    pub entry: u32,
}

/// From `start` on (up to the next segment) `entry` has the highest score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// The smallest γ, -∞ for the first segment.
    pub start: f64,
    /// The line of the entry.
    pub line: Line,
}

/// Computes the envelope of lines in order of increasing slope, into `envelope`, from γ = -∞ on.
/// Linear in the number of lines.
pub fn upper_envelope(lines: impl Iterator<Item = Line>, envelope: &mut Vec<Segment>) {
    envelope.clear();
    for line in lines {
        let mut start = f64::NEG_INFINITY;
        while let Some(last) = envelope.last() {
            if last.line.slope == line.slope {
                if last.line.intercept >= line.intercept {
                    start = f64::INFINITY;
                    break;
                }
                envelope.pop();
                continue;
            }
            // Slopes increase, so the new line is above the last one from here on.
            start = (last.line.intercept - line.intercept) / (line.slope - last.line.slope);
            if start > last.start {
                break;
            }
            envelope.pop();
            start = f64::NEG_INFINITY;
        }
        if start < f64::INFINITY {
            envelope.push(Segment { start, line });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn highest(lines: &[Line], gamma: f64) -> f64 {
        let score = |line: &Line| line.intercept + gamma * line.slope;
        lines.iter().map(score).fold(f64::NEG_INFINITY, f64::max)
    }

    proptest! {
        #[test]
        fn the_envelope_is_highest_everywhere(
            raw in prop::collection::vec((-4i32..5, -6i32..7), 1..12),
            gammas in prop::collection::vec(-20.0f64..20.0, 20),
        ) {
            let mut lines: Vec<Line> = raw.iter().enumerate().map(|(i, &(slope, intercept))| Line {
                slope: f64::from(slope) / 2.0,
                intercept: f64::from(intercept) / 2.0,
                entry: i as u32,
            }).collect();
            lines.sort_by(|a, b| a.slope.total_cmp(&b.slope));
            let mut envelope = Vec::new();
            upper_envelope(lines.iter().copied(), &mut envelope);
            prop_assert_eq!(envelope[0].start, f64::NEG_INFINITY);
            prop_assert!(envelope.windows(2).all(|pair| pair[0].start < pair[1].start));
            for gamma in gammas {
                let segment = envelope.iter().rev().find(|segment| segment.start <= gamma).unwrap();
                let score = segment.line.intercept + gamma * segment.line.slope;
                prop_assert!((score - highest(&lines, gamma)).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn one_line_and_equal_lines() {
        let line = |slope, intercept, entry| Line {
            slope,
            intercept,
            entry,
        };
        let mut envelope = Vec::new();
        upper_envelope([line(0.0, 1.0, 0)].into_iter(), &mut envelope);
        assert_eq!(envelope.len(), 1);
        // Of equal lines the first is kept.
        upper_envelope(
            [line(0.0, 1.0, 0), line(0.0, 1.0, 1)].into_iter(),
            &mut envelope,
        );
        assert_eq!(
            envelope,
            [Segment {
                start: f64::NEG_INFINITY,
                line: line(0.0, 1.0, 0)
            }]
        );
    }
}
