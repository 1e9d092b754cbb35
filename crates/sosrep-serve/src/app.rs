//! What all requests share, and how a service is made.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sosrep_table::Input;

use crate::fit::{self, FitOptions};
use crate::fits::Fits;
use crate::gate::Gate;
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::models::{Loaded, Models};

/// What a service is made of.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Options {
    /// Model files, and folders of files that end in `.sosrep` or `.model`.
    pub models: Vec<PathBuf>,
    /// What a request may take.
    pub limits: Limits,
    /// What clients must show as `Authorization: Bearer …`; needed on an address that others can reach.
    pub token: Option<String>,
    /// Whether tables may be sent to be fitted.
    pub allow_fit: bool,
    /// A table in CSV that the page offers to whoever has none at hand.
    pub example: Option<&'static [u8]>,
    /// Whether every request is logged on standard error, as a line of JSON.
    pub log: bool,
}

/// Why a service does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// A model that cannot be served.
    #[error("{0}")]
    Model(String),
    /// A table that cannot be fitted.
    #[error(transparent)]
    Fit(#[from] sosrep_scoring::Error),
    /// An address that others can reach, without a token.
    #[error(
        "{0} can be reached from elsewhere, and there is no token; give one with --token-file or in \
         SOSREP_TOKEN, or bind 127.0.0.1"
    )]
    Open(std::net::SocketAddr),
    /// A token that cannot be sent in a header.
    #[error("the token must be of visible ASCII characters, at least 16 of them")]
    Token,
    /// What the system says.
    #[error("cannot serve: {0}")]
    System(#[from] std::io::Error),
}

/// What all requests share.
pub(crate) type App = Arc<State>;

/// The parts of a running service.
pub(crate) struct State {
    pub(crate) models: Models,
    pub(crate) gate: Gate,
    pub(crate) metrics: Metrics,
    pub(crate) fits: Fits,
    pub(crate) limits: Limits,
    pub(crate) token: Option<String>,
    pub(crate) example: Option<&'static [u8]>,
    pub(crate) log: bool,
    /// Set by the signal to end.
    draining: AtomicBool,
}

impl State {
    pub(crate) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    pub(crate) fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
        self.fits.cancel_all();
    }
}

/// Models to be served.
pub struct Service {
    pub(crate) app: App,
}

impl Service {
    /// Reads the models.
    ///
    /// # Errors
    /// [`StartError::Model`] for one that is no model, [`StartError::Token`].
    pub fn new(options: Options) -> Result<Self, StartError> {
        let visible =
            |token: &String| token.len() >= 16 && token.bytes().all(|b| b.is_ascii_graphic());
        if options.token.as_ref().is_some_and(|token| !visible(token)) {
            return Err(StartError::Token);
        }
        let gate = Gate::new(&options.limits);
        let metrics = Metrics::new(&gate);
        let models = Models::open(&options.models, &metrics).map_err(StartError::Model)?;
        let app = Arc::new(State {
            models,
            gate,
            metrics,
            fits: Fits::new(options.allow_fit),
            limits: options.limits,
            token: options.token,
            example: options.example,
            log: options.log,
            draining: AtomicBool::new(false),
        });
        Ok(Self { app })
    }

    /// Fits a model to a table and serves it too.
    ///
    /// # Errors
    /// What is wrong with the table.
    pub fn fit(&self, name: &str, table: &Input, label: Option<&str>) -> Result<(), StartError> {
        let options = FitOptions { label: label.map(str::to_string), ..FitOptions::default() };
        let read = options.read_options();
        let source = sosrep_table::open(table, &read).map_err(sosrep_scoring::Error::from)?;
        let model = fit::fit(source, &options, &mut sosrep::no_progress)?;
        let loaded = Loaded::of_model(name, model).map_err(StartError::Model)?;
        self.app.models.put(Arc::new(loaded), &self.app.metrics);
        Ok(())
    }

    /// The names of the models, in order.
    pub fn model_names(&self) -> Vec<String> {
        self.app.models.all().iter().map(|model| model.name.clone()).collect()
    }
}
