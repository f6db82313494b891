//! Line plots as inline SVG that follow the page's colours, light or dark.

use chiasm_text::escape;
use std::fmt::Write;

/// A line of a plot.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its points.
    pub points: Vec<(f64, f64)>,
}

/// A plot of lines.
#[derive(Clone, Debug)]
pub struct Plot {
    /// What runs to the right.
    pub x_label: String,
    /// What runs upwards.
    pub y_label: String,
    /// Whether the horizontal axis is logarithmic.
    pub logarithmic: bool,
    /// The lines.
    pub series: Vec<Series>,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 48.0;

/// The style that plots need, once a page.
pub const STYLE: &str = "
svg.plot { max-width: 42rem; width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg.plot text { fill: currentColor; } svg.plot .axis { stroke: var(--soft); fill: none; }
svg.plot .grid { stroke: var(--line); fill: none; } svg.plot .line { fill: none; stroke-width: 2; }
.s0 { stroke: #1f77b4; fill: #1f77b4; } .s1 { stroke: #e6550d; fill: #e6550d; } .s2 { stroke: #2ca02c; fill: #2ca02c; }
.s3 { stroke: #9467bd; fill: #9467bd; } .s4 { stroke: #bc8f00; fill: #bc8f00; } .s5 { stroke: #d6336c; fill: #d6336c; }
";

impl Plot {
    /// The plot as an SVG element; a remark if there is nothing to draw.
    pub fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| series.points.iter());
        let usable = |&&(x, y): &&(f64, f64)| {
            x.is_finite() && y.is_finite() && (!self.logarithmic || x > 0.0)
        };
        if points().filter(usable).count() == 0 {
            return "<p class=\"soft\">nothing to draw</p>".into();
        }
        let place = |x: f64| if self.logarithmic { x.log10() } else { x };
        let xs = range(points().filter(usable).map(|p| place(p.0)));
        let ys = range(points().filter(usable).map(|p| p.1));
        let (low, high, step) = ticks(ys.0, ys.1);
        let across = |x: f64| LEFT + (place(x) - xs.0) / (xs.1 - xs.0) * (WIDTH - LEFT - RIGHT);
        let up = |y: f64| HEIGHT - BOTTOM - (y - low) / (high - low) * (HEIGHT - TOP - BOTTOM);
        let mut svg = format!("<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">");
        self.axes(&mut svg, (low, high, step), &up);
        self.marks(&mut svg, xs, &across);
        for (number, series) in self.series.iter().enumerate() {
            draw(&mut svg, number, series, &usable, &across, &up);
        }
        svg.push_str("</svg>");
        svg
    }

    fn axes(&self, svg: &mut String, y: (f64, f64, f64), up: &impl Fn(f64) -> f64) {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        let (low, high, step) = y;
        let mut at = low;
        while at <= high + step * 0.01 {
            let place = up(at);
            let _ = write!(
                svg,
                "<path class=\"grid\" d=\"M{LEFT} {place:.1}H{right}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 6.0,
                place + 4.0,
                short(at)
            );
            at += step;
        }
        let _ = write!(
            svg,
            "<path class=\"axis\" d=\"M{LEFT} {TOP}V{bottom}H{right}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
             <text transform=\"translate(14 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            (LEFT + right) / 2.0,
            HEIGHT - 8.0,
            escape(&self.x_label),
            (TOP + bottom) / 2.0,
            escape(&self.y_label)
        );
    }

    fn marks(&self, svg: &mut String, xs: (f64, f64), across: &impl Fn(f64) -> f64) {
        let mut places: Vec<f64> = Vec::new();
        if self.logarithmic {
            // The measured points themselves, as long as they do not crowd each other.
            let all = self.series.iter().flat_map(|series| &series.points);
            places.extend(all.map(|point| point.0).filter(|&x| x > 0.0));
        } else {
            let (low, high, step) = ticks(xs.0, xs.1);
            let mut at = low;
            while at <= high + step * 0.01 {
                places.push(at);
                at += step;
            }
            places.retain(|&x| x >= xs.0 - 1e-12 && x <= xs.1 + 1e-12);
        }
        places.sort_by(f64::total_cmp);
        let mut last = f64::NEG_INFINITY;
        for x in places {
            let place = across(x);
            if place - last < 44.0 {
                continue;
            }
            last = place;
            let y = HEIGHT - BOTTOM + 16.0;
            let _ = write!(
                svg,
                "<text x=\"{place:.1}\" y=\"{y}\" text-anchor=\"middle\">{}</text>",
                short(x)
            );
        }
    }
}

fn draw(
    svg: &mut String,
    number: usize,
    series: &Series,
    usable: &impl Fn(&&(f64, f64)) -> bool,
    across: &impl Fn(f64) -> f64,
    up: &impl Fn(f64) -> f64,
) {
    let class = format!("s{}", number % 6);
    let mut path = String::new();
    let many = series.points.len() > 40;
    for (at, &(x, y)) in series.points.iter().filter(usable).enumerate() {
        let letter = if at == 0 { 'M' } else { 'L' };
        let _ = write!(path, "{letter}{:.1} {:.1}", across(x), up(y));
        if !many {
            let _ = write!(
                svg,
                "<circle class=\"{class}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\"><title>{}: {}, {}</title></circle>",
                across(x),
                up(y),
                escape(&series.name),
                short(x),
                short(y)
            );
        }
    }
    let y = TOP + 12.0 + number as f64 * 18.0;
    let x = WIDTH - RIGHT + 12.0;
    let _ = write!(
        svg,
        "<path class=\"line {class}\" style=\"fill:none\" d=\"{path}\"/>\
         <path class=\"line {class}\" d=\"M{x} {:.1}h16\"/><text x=\"{}\" y=\"{y}\">{}</text>",
        y - 4.0,
        x + 22.0,
        escape(&series.name)
    );
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
        (low.min(v), high.max(v))
    });
    if high > low {
        (low, high)
    } else {
        (low - 0.5, high + 0.5)
    }
}

/// Round numbers that enclose a range: first, last, step.
fn ticks(low: f64, high: f64) -> (f64, f64, f64) {
    let rough = (high - low) / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|&step| step >= rough)
        .unwrap_or(power * 10.0);
    (
        (low / step).floor() * step,
        (high / step).ceil() * step,
        step,
    )
}

/// A number without needless digits.
pub fn short(value: f64) -> String {
    let size = value.abs();
    let text = if size >= 1e6 {
        return format!("{:.1}M", value / 1e6).replace(".0M", "M");
    } else if size >= 1e4 {
        return format!("{:.0}k", value / 1e3);
    } else if size >= 100.0 {
        format!("{value:.0}")
    } else if size >= 1.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.4}")
    };
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_enclose_and_are_round() {
        assert_eq!(ticks(0.0, 1.0), (0.0, 1.0, 0.2));
        let (low, high, step) = ticks(33.3, 41.9);
        assert!(low <= 33.3 && high >= 41.9 && step == 2.0);
    }

    #[test]
    fn plots_hold_what_they_are_given() {
        let plot = Plot {
            x_label: "pairs".into(),
            y_label: "seconds <s>".into(),
            logarithmic: true,
            series: vec![Series {
                name: "svm & co".into(),
                points: vec![(1000.0, 0.5), (8000.0, 4.0), (0.0, 1.0), (1.0, f64::NAN)],
            }],
        };
        let svg = plot.svg();
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains("svm &amp; co") && svg.contains("seconds &lt;s&gt;"));
        let empty = Plot {
            series: Vec::new(),
            ..plot
        };
        assert!(empty.svg().contains("nothing to draw"));
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(short(0.25), "0.25");
        assert_eq!(short(1_500_000.0), "1.5M");
        assert_eq!(short(45_175.0), "45k");
        assert_eq!(short(100.0), "100");
    }
}
