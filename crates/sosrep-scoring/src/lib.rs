//! A saved model put to tables: what the program and the service have in common.
//!
//! ```text
//! model file → Model
//! columns of a table → Parts → batches taken apart → Rows, Unscored → Assessment, Reasons → ResultColumns
//! ```
//!
//! Nothing here opens a file, prints, or speaks of options and requests.
//!
//! ```
//! use sosrep::DetectorParams;
//! use sosrep_scoring::{Model, Parts, ResultColumns, ScoreColumns, read_options};
//! use sosrep_table::{Encoding, Input, TableRecipe, open};
//!
//! let rows: Vec<f64> = (0..300).map(f64::from).flat_map(|i| [i.cos(), i.sin()]).collect();
//! let detector = DetectorParams::new().fit(sosrep::Points::new(&rows, 2)?, None)?;
//! let encoding = Encoding::of_numbers(vec!["x".to_string(), "y".to_string()])?;
//! let model = Model::new(detector, TableRecipe::new(encoding))?;
//!
//! let bytes = b"y,x\n0.8,0.6\n2.5,0\n";
//! let options = read_options(true, [].into_iter(), &model.recipe.encoding.input_columns());
//! let mut table = open(&Input::Bytes { name: "new.csv".to_string(), bytes }, &options)?;
//! let parts = Parts::default().of_model(&model.recipe, "new.csv", table.columns(), &[])?;
//! table.project(&parts.projection());
//! let batch = table.next_batch()?.unwrap();
//! let (rows, unscored, _) = parts.split(&batch)?.encode("new.csv", &model.recipe.encoding)?;
//! let found = model.assess(&rows)?;
//! assert_eq!(found.is_anomaly, [false, true]);
//!
//! let scores = ScoreColumns { rank: false, reasons: false };
//! let columns = ResultColumns::new(&[], false, scores.fields(), &[]);
//! let results = columns.batch(&rows.names, scores.arrays(&found, &[], vec![]), &unscored)?;
//! assert_eq!(results.num_rows(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod model;
mod parts;
mod principal;
pub mod reasons;
mod results;
mod rows;

pub use error::{Error, Result};
pub use model::Model;
pub use parts::{Parts, Split, others, read_options};
pub use principal::{Direction, Principal};
pub use reasons::{Reason, Reasons};
pub use results::{ResultColumns, ScoreColumns, ranks};
pub use rows::{Names, Rows, Unscored};
