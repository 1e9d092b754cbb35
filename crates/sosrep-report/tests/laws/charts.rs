//! Laws of the charts: well-formed, harmless, with every name and an answer to every number.

use sosrep_report::chart::{
    Axis, BoxChart, DotChart, DotSeries, HeatMap, HeatRow, LineChart, Series, Style, boxes, dots,
    heat_map, lines,
};
use sosrep_report::standalone;

use crate::chart_samples::{
    STYLES, box_chart, dot_chart, heat_chart, hostile_boxes, hostile_dots, hostile_heat_map,
    hostile_lines, line_chart, names,
};
use crate::xml::{self, numbers, of_class};

const AXES: [Axis; 2] = [Axis::Linear, Axis::Logarithmic];

fn ordinary() -> Vec<String> {
    let mut charts = vec![boxes(&box_chart(24)), heat_map(&heat_chart(47, 20))];
    charts.extend([boxes(&box_chart(1)), heat_map(&heat_chart(1, 1))]);
    for axis in AXES {
        charts.push(dots(&dot_chart(47, 6, axis)));
        charts.extend(AXES.map(|y| lines(&line_chart(8, axis, y))));
    }
    charts
}

fn hostile() -> Vec<String> {
    let mut charts = vec![boxes(&hostile_boxes()), heat_map(&hostile_heat_map())];
    for axis in AXES {
        charts.push(dots(&hostile_dots(axis)));
        charts.extend(AXES.map(|y| lines(&hostile_lines(axis, y))));
    }
    charts
}

/// Charts without a number that has a place.
fn without_data() -> Vec<String> {
    let nothing = f64::NAN;
    let mut numberless = box_chart(3);
    numberless.rows.iter_mut().for_each(|row| row.summary.median = nothing);
    let cells = |rows: usize| HeatMap {
        rows: vec![HeatRow { name: "row".to_owned(), cells: vec![None; 3] }; rows],
        ..heat_chart(0, 3)
    };
    let negative = LineChart {
        series: vec![Series {
            name: "below zero".to_owned(),
            points: vec![(1.0, -1.0), (2.0, 0.0), (nothing, 3.0)],
            style: Style::Line,
        }],
        ..line_chart(0, Axis::Linear, Axis::Logarithmic)
    };
    let missing = DotSeries { name: "none".to_owned(), values: vec![None, Some(nothing)] };
    vec![
        boxes(&BoxChart { rows: Vec::new(), ..box_chart(0) }),
        boxes(&numberless),
        heat_map(&heat_chart(0, 0)),
        heat_map(&heat_chart(3, 0)),
        heat_map(&cells(2)),
        lines(&LineChart { marks: Vec::new(), ..line_chart(0, Axis::Linear, Axis::Linear) }),
        lines(&line_chart(0, Axis::Linear, Axis::Linear)),
        lines(&negative),
        dots(&dot_chart(0, 0, Axis::Linear)),
        dots(&dot_chart(0, 2, Axis::Linear)),
        dots(&DotChart { series: vec![missing], ..dot_chart(3, 0, Axis::Linear) }),
    ]
}

#[test]
fn every_chart_is_well_formed_alone_and_as_a_file() {
    for svg in [ordinary(), hostile(), without_data()].concat() {
        xml::check(&svg).unwrap();
        xml::check(&standalone(&svg)).unwrap();
    }
}

#[test]
fn equal_charts_give_equal_bytes() {
    assert_eq!(ordinary(), ordinary());
}

#[test]
fn no_number_of_a_chart_is_not_finite() {
    for svg in [hostile(), without_data()].concat() {
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert!(!svg.contains("--"), "a path with two signs: {svg}");
    }
}

#[test]
fn names_of_strangers_cannot_become_markup() {
    for svg in [ordinary(), hostile()].concat() {
        assert!(!svg.contains("<b>") && !svg.contains("<script") && !svg.contains("<img"));
    }
}

#[test]
fn a_chart_without_numbers_says_so() {
    for svg in without_data() {
        assert!(svg.contains(">no data<"), "{svg}");
        assert!(svg.contains("&lt;b&gt;&amp;&quot;"), "its title is there: {svg}");
    }
    assert!(ordinary().iter().all(|svg| !svg.contains("no data")));
}

#[test]
fn every_name_is_drawn_whole() {
    let drawn = |svg: &str, names: &[String]| {
        for name in names {
            let escaped = name.replace('&', "&amp;").replace('<', "&lt;");
            let escaped = escaped.replace('>', "&gt;").replace('"', "&quot;");
            assert!(svg.contains(&format!("\u{2068}{escaped}\u{2069}</text>")), "{name} in {svg}");
        }
        assert!(!svg.contains('…'));
    };
    drawn(&boxes(&box_chart(24)), &names(24));
    drawn(&heat_map(&heat_chart(47, 20)), &names(47));
    drawn(&dots(&dot_chart(47, 6, Axis::Linear)), &names(47));
    let series: Vec<String> = names(6).iter().map(|name| format!("series {name}")).collect();
    drawn(&dots(&dot_chart(47, 6, Axis::Linear)), &series);
    drawn(&lines(&line_chart(8, Axis::Linear, Axis::Linear)), &names(8));
}

#[test]
fn a_long_name_makes_the_figure_wider_and_is_not_cut() {
    let mut chart = box_chart(3);
    let width = |svg: &str| numbers(svg.split("viewBox=\"").nth(1).unwrap())[2];
    let before = width(&boxes(&chart));
    chart.rows[2].name = "a name that takes as much room as forty letters".to_owned();
    let svg = boxes(&chart);
    assert!(svg.contains("forty letters\u{2069}</text>") && width(&svg) > before + 100.0);
}

#[test]
fn the_legend_lies_above_all_points() {
    let mut chart = line_chart(8, Axis::Linear, Axis::Linear);
    chart.series.iter_mut().for_each(|series| series.name += " with a name that is rather long");
    let svg = lines(&chart);
    let grid = numbers(of_class(&svg, "grid", "d")[0]);
    let top = grid.iter().skip(1).step_by(2).copied().fold(f64::INFINITY, f64::min);
    let names = svg.split("<text").filter(|text| text.contains("rather long"));
    let heights: Vec<f64> = names
        .filter_map(|text| text.split(" y=\"").nth(1)?.split('"').next()?.parse().ok())
        .collect();
    assert_eq!(heights.len(), 8);
    assert!(heights.iter().all(|height| *height < top), "{heights:?} above {top}");
}

#[test]
fn eight_series_of_a_style_look_different_without_colours() {
    for style in STYLES {
        let mut chart = line_chart(8, Axis::Linear, Axis::Linear);
        chart.series.iter_mut().for_each(|series| series.style = style);
        let svg = lines(&chart);
        let relative = |path: &&str| path.split('m').skip(1).map(str::to_owned).collect::<String>();
        let mut looks: Vec<String> = match style {
            Style::Dashed => svg.split("stroke-dasharray=\"").skip(1).map(first_value).collect(),
            _ => ["symbol", "outline"]
                .into_iter()
                .flat_map(|class| of_class(&svg, class, "d"))
                .map(|path| relative(&path.split('M').nth(1).unwrap_or("")))
                .collect(),
        };
        looks.sort();
        looks.dedup();
        assert_eq!(looks.len(), 8, "{style:?}: {looks:?}");
    }
}

fn first_value(rest: &str) -> String {
    rest.split('"').next().unwrap_or("").to_owned()
}

#[test]
fn a_hostile_chart_stays_inside_its_figure() {
    for svg in hostile() {
        let size = numbers(svg.split("viewBox=\"").nth(1).unwrap());
        let heights = svg.split(" cy=\"").skip(1).map(|rest| numbers(rest)[0]);
        assert!(heights.into_iter().all(|y| (0.0..=size[3]).contains(&y)), "{size:?}");
        assert!(size[2] < 1600.0 && size[3] < 1200.0, "{size:?}");
    }
}
