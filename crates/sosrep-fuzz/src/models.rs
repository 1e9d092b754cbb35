//! Model files and the recipes in them: what loads gives finite numbers.

use sosrep::model_file::peek;
use sosrep::{Density, Detector, Kde, Points, SampleParams};
use sosrep_table::TableRecipe;

/// Values of the rows that a model is asked about.
const QUESTIONS: [f64; 4] = [0.3, 0.0, 1e6, -1e300];
/// The most values in a row that is asked about: a file may claim more columns than a row has room.
const WIDEST: usize = 1000;

/// Reads the bytes as a model of any kind, and uses it.
pub(crate) fn model(bytes: &[u8]) -> bool {
    let _ = peek(bytes);
    if let Ok(detector) = Detector::from_bytes(bytes) {
        try_detector(&detector);
        return true;
    }
    if let Ok(density) = Density::from_bytes(bytes) {
        with_questions(density.dimension(), |points| {
            expect_finite(&density.log_pre_density(points).expect("rows of its width"));
            if let Ok(values) = density.log_density(points) {
                expect_finite(&values);
            }
        });
        return true;
    }
    let Ok(kde) = Kde::from_bytes(bytes) else { return false };
    with_questions(kde.kernel().dimension(), |points| {
        expect_finite(&kde.log_density(points).expect("rows of its width"));
    });
    true
}

fn try_detector(detector: &Detector) {
    with_questions(detector.preparation().input_columns(), |points| {
        let found = detector.assess(points).expect("rows of its width");
        expect_finite(&found.scores);
        expect_finite(&found.p_values);
        assert!(found.p_values.iter().all(|p| (0.0..=1.0).contains(p)), "{:?}", found.p_values);
        if let Ok(values) = detector.log_density(points) {
            // A row that differs from a constant column has none: −∞.
            assert!(values.iter().all(|value| *value < f64::INFINITY), "{values:?}");
        }
        let reasons = detector.explain(points.first()).expect("rows of its width");
        assert!(reasons[0].score.is_finite(), "{:?}", reasons[0]);
        expect_finite(&SampleParams::new().draw_rows(detector, 1).expect("a draw"));
    });
}

trait First<'a> {
    fn first(&self) -> Points<'a>;
}

impl<'a> First<'a> for Points<'a> {
    fn first(&self) -> Points<'a> {
        Points::new(self.row(0), self.columns()).expect("a row of finite numbers")
    }
}

fn with_questions(columns: usize, ask: impl Fn(Points)) {
    if columns > WIDEST {
        return;
    }
    let rows: Vec<f64> = QUESTIONS.iter().flat_map(|value| vec![*value; columns]).collect();
    ask(Points::new(&rows, columns).expect("rows of finite numbers"));
}

fn expect_finite(values: &[f64]) {
    assert!(values.iter().all(|value| value.is_finite()), "{values:?}");
}

/// Reads the bytes as the recipe of a model, and uses it on rows of its width.
pub(crate) fn recipe(bytes: &[u8]) -> bool {
    let Ok(attachment) = serde_json::from_slice(bytes) else { return false };
    // Its width is known from the file it comes with: here the one it would have.
    let width = width(&attachment);
    let Ok(recipe) = TableRecipe::of_attachment(Some(&attachment), None, width) else {
        return false;
    };
    let encoding = &recipe.encoding;
    assert_eq!(encoding.feature_names().len(), encoding.width());
    let rows: Vec<f64> = QUESTIONS.iter().flat_map(|value| vec![*value; width]).collect();
    let decoded = encoding.decode(&rows).expect("rows of its width");
    assert_eq!(decoded.num_rows(), QUESTIONS.len());
    for column in encoding.column_features() {
        let _ = encoding.value(&column, &rows[..width]).to_string();
    }
    true
}

fn width(attachment: &serde_json::Value) -> usize {
    let encoding = serde_json::from_value::<sosrep_table::Encoding>(attachment["encoding"].clone());
    encoding.ok().filter(|encoding| encoding.check().is_ok()).map_or(1, |found| found.width())
}
