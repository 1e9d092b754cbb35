//! The parameters of an estimator as every interface shows them: name, current value, domain.
//!
//! A page of documentation, a command line and a package for another language read them here, so
//! that defaults and domains are written down once: beside the check that enforces them.
//!
//! ```
//! use sosrep::{DetectorParams, Error, Points};
//!
//! let parameters = DetectorParams::new().parameters();
//! let trim = parameters.iter().find(|parameter| parameter.name == "trim").unwrap();
//! assert_eq!(trim.value, 0.5);
//!
//! let refused = DetectorParams::new().trim(2.0).fit(Points::new(&[1.0], 1)?, None);
//! let Err(Error::Parameter { name, requirement, .. }) = refused else { panic!() };
//! assert_eq!((name, requirement), ("trim", trim.domain));
//! # Ok::<(), Error>(())
//! ```

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// A parameter of an estimator as every interface shows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Parameter {
    /// Its name, the same in every language.
    pub name: &'static str,
    /// Its value: the default, if the parameters are new. A kernel or a way to
    /// choose a bandwidth is its name where it has one; `null` is what the domain calls none.
    pub value: Value,
    /// The values allowed, in words that complete "it must be …": those of the
    /// [`requirement`](crate::Error::Parameter) in the error that any other value causes.
    pub domain: &'static str,
}

impl Parameter {
    pub(crate) fn new(name: &'static str, value: &impl Serialize, domain: &'static str) -> Self {
        Self { name, value: written(value), domain }
    }

    /// Name and value, as a report keeps them.
    pub(crate) fn named_value(self) -> (String, Value) {
        (self.name.to_string(), self.value)
    }
}

/// The value in JSON, where a number that is not finite is null.
pub(crate) fn written(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// Reads what [`written`] makes of a number: null is NaN.
pub(crate) fn null_as_nan<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}
