//! A table of circles: the area is a value, the colour how far it is from a reference.
//!
//! The colours divide the shifts up to a round number that most of them stay below, so that a single
//! large one does not make all others look neutral; what lies beyond has the outermost colour. A cell
//! without a value is a small cross.

use maud::{Markup, html};

use super::rows::{name_room, row_name};
use super::{LEFT, TOP, nothing};
use crate::figure::canvas::{Caption, LETTER, Path, figure, pixels};
use crate::number::number;
use crate::scale::nice_step;
use crate::text::{fitted, isolated, plural, width, wrapped};
use crate::theme::SHIFTS;

/// Width and height of a cell, and the radius of the circle of value one.
const CELL: (f64, f64) = (30.0, 22.0);
const RADIUS: f64 = 10.0;
/// Letters of a column's name at most, and how it is turned.
const MOST_LETTERS: f64 = 40.0;
const ANGLE: f64 = 50.0;
/// Width of the figure at least, for the legend.
const LEAST_WIDTH: f64 = 600.0;
/// Share of the shifts that the colours tell apart.
const MOST_SHIFTS: f64 = 0.95;
/// Above the legend, height of one of its lines, and what its circles are worth.
const LEGEND_GAP: f64 = 14.0;
const LEGEND_LINE: f64 = 24.0;
const SIZES: [f64; 4] = [0.25, 0.5, 0.75, 1.0];
/// Width of a colour in the legend.
const SWATCH: f64 = 22.0;
/// Half of a cross.
const CROSS: f64 = 3.0;

/// Circles in rows and columns.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatMap {
    /// The title.
    pub title: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The rows, the first on top.
    pub rows: Vec<HeatRow>,
    /// What area and colour mean.
    pub legend: String,
}

/// One row of circles.
#[derive(Debug, Clone, PartialEq)]
pub struct HeatRow {
    /// The name on the left.
    pub name: String,
    /// A cell for each column; none was not run and is drawn as a small cross.
    pub cells: Vec<Option<HeatCell>>,
}

/// One circle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeatCell {
    /// From 0 to 1: the area.
    pub value: f64,
    /// From −1 to 1: the colour, neutral at 0.
    pub shift: f64,
}

/// Where cells lie and what colours mean.
struct Layout {
    /// Names of the columns as they are written.
    columns: Vec<String>,
    left: f64,
    top: f64,
    bottom: f64,
    /// The shift from which on the outermost colour is used.
    reach: f64,
}

/// A circle for each cell.
pub fn heat_map(chart: &HeatMap) -> String {
    if !chart.rows.iter().any(|row| (0..chart.columns.len()).any(|at| cell(row, at).is_some())) {
        return nothing(&chart.title);
    }
    let layout = Layout::of(chart);
    let width = layout.width();
    let lines = wrapped(&chart.legend, (width - 2.0 * LEFT) / LETTER);
    let body = html! {
        (grid(chart, &layout))
        (column_names(&layout))
        @for (place, row) in chart.rows.iter().enumerate() { (row_of(chart, row, place, &layout)) }
        (legend(&lines, &layout))
    };
    let height = layout.bottom + LEGEND_GAP + LEGEND_LINE * (2 + lines.len()) as f64 + 6.0;
    let description = format!(
        "{} by {}. {}",
        plural(chart.rows.len(), "row"),
        plural(chart.columns.len(), "column"),
        chart.legend
    );
    figure((width, height), &Caption { title: &chart.title, description: &description }, body)
}

impl Layout {
    fn of(chart: &HeatMap) -> Self {
        let columns: Vec<String> =
            chart.columns.iter().map(|name| fitted(name, MOST_LETTERS)).collect();
        let longest = columns.iter().map(|name| width(name)).fold(0.0, f64::max);
        let left = name_room(chart.rows.iter().map(|row| row.name.as_str()));
        let top = TOP + LETTER * longest * ANGLE.to_radians().sin() + 12.0;
        let bottom = top + CELL.1 * chart.rows.len() as f64;
        Self { columns, left, top, bottom, reach: reach(chart) }
    }

    /// Width of the figure: as far as the slanted names reach.
    fn width(&self) -> f64 {
        let cosine = ANGLE.to_radians().cos();
        let ends = self.columns.iter().enumerate().map(|(column, name)| {
            self.place(0, column).0 + (LETTER * width(name) * cosine).max(CELL.0 / 2.0) + 12.0
        });
        ends.fold(LEAST_WIDTH, f64::max)
    }

    /// The middle of a cell.
    fn place(&self, row: usize, column: usize) -> (f64, f64) {
        let at = |start: f64, size: f64, cell: usize| start + size * (cell as f64 + 0.5);
        (at(self.left, CELL.0, column), at(self.top, CELL.1, row))
    }

    /// The class of a shift's colour; neutral if it is not a number.
    fn colour(&self, shift: f64) -> String {
        let share = (shift / self.reach).clamp(-1.0, 1.0);
        let share = if share.is_nan() { 0.0 } else { share };
        let middle = (SHIFTS / 2) as f64;
        format!("shift-{}", (middle + (share * middle).round()) as usize)
    }
}

/// The cell of a column, if its value is a number.
fn cell(row: &HeatRow, column: usize) -> Option<HeatCell> {
    row.cells.get(column).copied().flatten().filter(|cell| cell.value.is_finite())
}

/// A round number, one at most, that most shifts stay below.
fn reach(chart: &HeatMap) -> f64 {
    let cells = chart.rows.iter().flat_map(|row| row.cells.iter().flatten());
    let finite = cells.map(|cell| cell.shift.abs()).filter(|shift| shift.is_finite());
    let mut shifts: Vec<f64> = finite.collect();
    shifts.sort_by(f64::total_cmp);
    let place = (MOST_SHIFTS * shifts.len() as f64) as usize;
    let most = shifts.get(place).or(shifts.last()).copied().unwrap_or(1.0);
    if most > 0.0 { nice_step(most.max(1e-6), 1).min(1.0) } else { 1.0 }
}

fn grid(chart: &HeatMap, layout: &Layout) -> Markup {
    let right = layout.left + CELL.0 * chart.columns.len() as f64;
    let mut grid = Path::default();
    for row in 0..chart.rows.len() {
        let y = layout.place(row, 0).1;
        grid.move_to(layout.left, y);
        grid.line_to(right, y);
    }
    for column in 0..chart.columns.len() {
        let x = layout.place(0, column).0;
        grid.move_to(x, layout.top);
        grid.line_to(x, layout.bottom);
    }
    grid.class("grid")
}

fn column_names(layout: &Layout) -> Markup {
    html! {
        @for (column, name) in layout.columns.iter().enumerate() {
            @let (x, y) = (pixels(layout.place(0, column).0 + 3.0), pixels(layout.top - 5.0));
            text x=(x) y=(y) transform=(format!("rotate(-{ANGLE} {x} {y})")) { (isolated(name)) }
        }
    }
}

fn row_of(chart: &HeatMap, row: &HeatRow, place: usize, layout: &Layout) -> Markup {
    let mut missing = Path::default();
    let columns = 0..chart.columns.len();
    for column in columns.clone().filter(|column| cell(row, *column).is_none()) {
        cross(&mut missing, layout.place(place, column));
    }
    html! {
        (row_name(&row.name, (layout.left, layout.place(place, 0).1), false))
        (missing.class("cross"))
        @for (column, cell) in columns.filter_map(|column| Some((column, cell(row, column)?))) {
            @let name = format!("{}, {}", row.name, chart.columns[column]);
            (circle(layout, cell, layout.place(place, column), &name))
        }
    }
}

fn cross(path: &mut Path, place: (f64, f64)) {
    let size = 2.0 * CROSS;
    path.shape(place, &format!("m-{CROSS} -{CROSS}l{size} {size}m0 -{size}l-{size} {size}"));
}

fn circle(layout: &Layout, cell: HeatCell, (x, y): (f64, f64), name: &str) -> Markup {
    html! {
        circle class=(layout.colour(cell.shift)) cx=(pixels(x)) cy=(pixels(y))
            r=(pixels(radius(cell.value))) {
            title { (name) ": " (number(cell.value)) ", shift " (number(cell.shift)) }
        }
    }
}

/// The radius that makes the area proportional to the value.
fn radius(value: f64) -> f64 {
    RADIUS * value.clamp(0.0, 1.0).sqrt()
}

/// Words for what is drawn, then circles of some sizes and a cross, then the colours.
fn legend(lines: &[String], layout: &Layout) -> Markup {
    let top = layout.bottom + LEGEND_GAP;
    let line = |place: usize| top + LEGEND_LINE * (place as f64 + 0.5);
    html! {
        @for (place, text) in lines.iter().enumerate() {
            text.quiet x=(LEFT) y=(pixels(line(place) + 4.5)) { (text) }
        }
        (sizes(line(lines.len())))
        (colours(layout.reach, line(lines.len() + 1)))
    }
}

fn sizes(y: f64) -> Markup {
    let x = |place: usize| 70.0 + 62.0 * place as f64;
    let mut sign = Path::default();
    cross(&mut sign, (x(SIZES.len()) + 8.0, y));
    let baseline = pixels(y + 4.5);
    html! {
        text.quiet x=(LEFT) y=(baseline) { "area" }
        @for (place, size) in SIZES.into_iter().enumerate() {
            circle.(format!("shift-{}", SHIFTS / 2)) cx=(pixels(x(place))) cy=(pixels(y))
                r=(pixels(radius(size))) {}
            text.quiet x=(pixels(x(place) + RADIUS + 4.0)) y=(baseline) { (number(size)) }
        }
        (sign.class("cross"))
        text.quiet x=(pixels(x(SIZES.len()) + 18.0)) y=(baseline) { "not run" }
    }
}

fn colours(reach: f64, y: f64) -> Markup {
    let start = 136.0;
    let end = start + SWATCH * SHIFTS as f64;
    let baseline = pixels(y + 4.5);
    html! {
        text.quiet x=(LEFT) y=(baseline) { "colour" }
        text.quiet.end x=(pixels(start - 6.0)) y=(baseline) { "≤ " (number(-reach)) }
        @for step in 0..SHIFTS {
            rect class=(format!("shift-{step}")) x=(pixels(start + SWATCH * step as f64))
                y=(pixels(y - 7.0)) width=(pixels(SWATCH)) height="14" {}
        }
        text.quiet x=(pixels(end + 6.0)) y=(baseline) { "≥ " (number(reach)) }
    }
}
