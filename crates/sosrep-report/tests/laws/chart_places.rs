//! Laws of what charts draw: every mark lies where its number says.

use sosrep_report::chart::{
    Axis, DotChart, DotSeries, LineChart, Series, Style, boxes, dots, heat_map, lines,
};

use crate::chart_samples::{box_chart, dot_chart, heat_chart, line_chart, summary};
use crate::xml::{numbers, of_class};

#[test]
fn boxes_lie_where_their_numbers_do() {
    let chart = box_chart(24);
    let svg = boxes(&chart);
    // The first of each is the legend's.
    let [whiskers, quartiles, medians] =
        ["whisker", "box", "median"].map(|class| of_class(&svg, class, "d").split_off(1));
    let means = of_class(&svg, "typical", "cx").split_off(1);
    assert_eq!([whiskers.len(), quartiles.len(), medians.len(), means.len()], [24; 4]);
    let mut places: Vec<(f64, f64)> = Vec::new();
    let mut height = 0.0;
    for (row, entry) in chart.rows.iter().enumerate() {
        let (whisker, quartile) = (numbers(whiskers[row]), numbers(quartiles[row]));
        let (minimum, lower, maximum, upper) = (whisker[0], whisker[2], whisker[8], whisker[10]);
        let (median, mean) = (numbers(medians[row])[0], numbers(means[row])[0]);
        assert!(minimum < lower && lower < median && median < upper && upper < maximum);
        assert_eq!(quartile[0], lower);
        assert!((quartile[0] + quartile[2] - upper).abs() < 0.11, "{quartile:?} {upper}");
        assert!(whisker[1] > height, "rows go down");
        height = whisker[1];
        let five = &entry.summary;
        places.extend([(five.minimum, minimum), (five.lower_quartile, lower)]);
        places.extend([(five.median, median), (five.upper_quartile, upper)]);
        places.extend([(five.maximum, maximum), (five.mean, mean)]);
    }
    is_linear(&places);
}

/// Whether pixels are a linear function of values, up to rounding.
fn is_linear(places: &[(f64, f64)]) {
    let by_value = |a: &&(f64, f64), b: &&(f64, f64)| a.0.total_cmp(&b.0);
    let (first, last) =
        (places.iter().min_by(by_value).unwrap(), places.iter().max_by(by_value).unwrap());
    let slope = (last.1 - first.1) / (last.0 - first.0);
    for (value, place) in places {
        let expected = first.1 + slope * (value - first.0);
        assert!((place - expected).abs() < 0.2, "{value} at {place}, not {expected}");
    }
}

#[test]
fn boxes_out_of_order_are_drawn_in_order() {
    let (mut chart, mut mixed) = (box_chart(3), box_chart(3));
    chart.rows[1].summary = summary([1.0, 2.0, 3.0, 4.0, 5.0], 3.0);
    mixed.rows[1].summary = summary([4.0, 5.0, 3.0, 1.0, 2.0], 3.0);
    assert_eq!(boxes(&chart), boxes(&mixed));
}

#[test]
fn a_row_without_numbers_keeps_its_place_and_name() {
    let mut chart = box_chart(3);
    chart.rows[1].summary.maximum = f64::NAN;
    let svg = boxes(&chart);
    assert!(svg.contains(">no data<") && svg.contains("name 1\u{2069}"));
    assert_eq!(of_class(&svg, "box", "d").len(), 2 + 1, "two rows and the legend");
}

#[test]
fn only_marked_boxes_have_the_accent() {
    assert_eq!(boxes(&box_chart(9)).matches("class=\"marked\"").count(), 1);
}

/// Value in the tooltip and radius of every circle with one.
fn circles(svg: &str) -> Vec<(f64, f64)> {
    let circle = |rest: &str| {
        let radius = rest.split(" r=\"").nth(1)?.split('"').next()?.parse().ok()?;
        let tooltip = rest.split("</circle>").next()?.split("<title>").nth(1)?;
        let value = tooltip.rsplit(": ").next()?.split(',').next()?.parse().ok()?;
        Some((value, radius))
    };
    svg.split("<circle").skip(1).filter_map(circle).collect()
}

#[test]
fn the_area_of_a_circle_is_proportional_to_its_value() {
    let svg = heat_map(&heat_chart(12, 8));
    let drawn = circles(&svg);
    assert_eq!(drawn.len(), (0..12 * 8).filter(|at| at % 7 != 6).count());
    for (value, radius) in drawn {
        // Radii are rounded to a tenth of a pixel, and the circle of one has ten.
        let (low, high) = (radius - 0.06, radius + 0.06);
        let within = low.max(0.0).powi(2) <= 100.0 * value && 100.0 * value <= high.powi(2);
        assert!(within, "{value}: {radius}");
    }
}

#[test]
fn circles_do_not_reach_into_the_next_row() {
    let svg = heat_map(&heat_chart(12, 8));
    let rows: Vec<f64> = svg
        .split("<circle")
        .filter(|piece| piece.contains("<title>"))
        .filter_map(|piece| piece.split(" cy=\"").nth(1)?.split('"').next()?.parse().ok())
        .collect();
    let apart = rows.windows(2).map(|pair| pair[1] - pair[0]).filter(|apart| *apart > 0.0);
    assert!(apart.fold(f64::INFINITY, f64::min) >= 20.0);
}

#[test]
fn a_cell_that_was_not_run_is_a_cross() {
    let svg = heat_map(&heat_chart(12, 8));
    let crosses: usize =
        of_class(&svg, "cross", "d").iter().map(|path| path.matches('M').count()).sum();
    let missing = (0..12 * 8).filter(|at| at % 7 == 6).count();
    assert_eq!(crosses, missing + 1, "and one in the legend");
}

#[test]
fn the_colour_of_a_circle_has_the_sign_of_its_shift() {
    for (shift, class) in [(-0.3, 0..4), (0.0, 4..5), (0.3, 5..9), (f64::NAN, 4..5)] {
        let mut chart = heat_chart(12, 8);
        chart.rows[3].cells[2].as_mut().unwrap().shift = shift;
        let svg = heat_map(&chart);
        let tooltip = svg.find("name 3, &lt;b&gt;&amp;&quot; name 2:").unwrap();
        let circle = &svg[svg[..tooltip].rfind("<circle").unwrap()..tooltip];
        let step = circle.split("shift-").nth(1).unwrap()[..1].parse::<i32>().unwrap();
        assert!(class.contains(&step), "{shift}: {circle}");
    }
}

#[test]
fn the_line_breaks_where_a_point_has_no_place() {
    let mut chart = line_chart(1, Axis::Linear, Axis::Logarithmic);
    let pieces = |chart: &LineChart| {
        // The last line is the series, the one before its sample in the legend.
        of_class(&lines(chart), "line", "d").last().map_or(0, |path| path.matches('M').count())
    };
    assert_eq!(pieces(&chart), 1);
    chart.series[0].points[5].1 = f64::NAN;
    chart.series[0].points[10].1 = -3.0;
    chart.series[0].points[11].1 = 0.0;
    assert_eq!(pieces(&chart), 3);
}

#[test]
fn a_step_holds_its_value_until_the_next_point() {
    let points = vec![(0.0, 0.0), (1.0, 4.0), (2.0, 2.0)];
    let series = vec![Series { name: String::new(), points, style: Style::Steps }];
    let chart = LineChart { series, marks: vec![], ..line_chart(0, Axis::Linear, Axis::Linear) };
    let corners = numbers(of_class(&lines(&chart), "line", "d")[0]);
    let [x, y]: [Vec<f64>; 2] =
        [0, 1].map(|at| corners.iter().skip(at).step_by(2).copied().collect());
    assert_eq!((x.len(), x[0] < x[1] && x[1] == x[2] && x[2] < x[3] && x[3] == x[4]), (5, true));
    assert!(y[0] == y[1] && y[2] == y[3] && y[2] < y[4] && y[4] < y[0], "{y:?}");
}

#[test]
fn dots_are_drawn_for_every_value_that_has_a_place() {
    let symbols = |chart: &DotChart| {
        let svg = dots(chart);
        of_class(&svg, "symbol", "d").len() + of_class(&svg, "outline", "d").len()
            - chart.series.len()
    };
    let mut chart = dot_chart(10, 3, Axis::Logarithmic);
    assert_eq!(symbols(&chart), 3 * 8);
    chart.series[0].values[0] = Some(0.0);
    chart.series[1].values[1] = Some(-2.0);
    chart.series[2].values[2] = Some(f64::INFINITY);
    chart.series[2].values.push(Some(1.0));
    assert_eq!(symbols(&chart), 3 * 8 - 3);
    chart.axis = Axis::Linear;
    assert_eq!(symbols(&chart), 3 * 8 - 1);
}

#[test]
fn equal_ratios_are_equally_far_on_a_logarithmic_axis() {
    let values = [0.02, 0.2, 2.0, 20.0, 200.0].map(Some).to_vec();
    let series = vec![DotSeries { name: String::new(), values }];
    let svg = dots(&DotChart { series, ..dot_chart(5, 0, Axis::Logarithmic) });
    let x: Vec<f64> = of_class(&svg, "symbol", "d").iter().map(|path| numbers(path)[0]).collect();
    is_linear(&x.iter().enumerate().map(|(at, x)| (at as f64, *x)).collect::<Vec<_>>());
}
