//! `/v1/fits`: a table is sent, a model is fitted to it, one at a time, with progress and cancellation.
//!
//! The model is served under its name from memory, and can be fetched as a file; the latest are kept.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Json;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use sosrep::Progress;
use sosrep::detector::Threshold;
use sosrep_table::{Source, open_reader};

use crate::app::App;
use crate::fit::{FitOptions, fit};
use crate::formats;
use crate::models::Loaded;
use crate::problem::{Problem, Result};
use crate::upload::{BodyLimits, receive};

/// Fits that are remembered, the latest.
const KEPT: usize = 32;
/// Characters of a model's name.
const LONGEST_NAME: usize = 64;

/// The fits so far.
pub(crate) struct Fits {
    allowed: bool,
    busy: Arc<AtomicBool>,
    jobs: Mutex<VecDeque<Arc<Job>>>,
}

/// A fit.
struct Job {
    id: String,
    model: String,
    cancelled: AtomicBool,
    state: Mutex<JobState>,
}

/// How far it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "status", rename_all = "lowercase")]
enum JobState {
    Running {
        stage: &'static str,
        done: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        of: Option<usize>,
    },
    Done,
    Failed {
        detail: String,
    },
    Cancelled,
}

/// What is said of a job.
#[derive(Serialize)]
struct Shown<'a> {
    id: &'a str,
    model: &'a str,
    #[serde(flatten)]
    state: JobState,
}

impl Job {
    fn state(&self) -> std::sync::MutexGuard<'_, JobState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shown(&self) -> Response {
        let shown = Shown { id: &self.id, model: &self.model, state: self.state().clone() };
        Json(shown).into_response()
    }

    /// Notes the progress; whether to go on.
    fn progress(&self, progress: &Progress) -> ControlFlow<()> {
        let stage = match progress.stage {
            sosrep::Stage::Kernel => "kernel",
            sosrep::Stage::Solve => "solve",
            sosrep::Stage::Refit => "refit",
            sosrep::Stage::Score => "score",
            _ => "fit",
        };
        *self.state() = JobState::Running { stage, done: progress.step, of: progress.steps };
        match self.cancelled.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

impl Fits {
    pub(crate) fn new(allowed: bool) -> Self {
        Self { allowed, busy: Arc::default(), jobs: Mutex::default() }
    }

    fn jobs(&self) -> std::sync::MutexGuard<'_, VecDeque<Arc<Job>>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, id: &str) -> Result<Arc<Job>> {
        let found = self.jobs().iter().find(|job| job.id == id).cloned();
        found.ok_or_else(|| Problem::not_found("there is no fit of this id, or it was long ago"))
    }

    /// Ends all work soon.
    pub(crate) fn cancel_all(&self) {
        self.jobs().iter().for_each(|job| job.cancelled.store(true, Ordering::Relaxed));
    }

    /// Whether tables may be sent to be fitted.
    pub(crate) fn are_allowed(&self) -> bool {
        self.allowed
    }

    /// The right to fit, until it is dropped.
    fn begin(&self) -> Result<Turn> {
        if !self.allowed {
            let detail = "this service does not fit; start it with --allow-fit";
            return Err(Problem::new(StatusCode::FORBIDDEN, detail));
        }
        if self.busy.swap(true, Ordering::AcqRel) {
            let detail = "another fit is running; wait for it, or cancel it with DELETE";
            return Err(Problem::new(StatusCode::CONFLICT, detail));
        }
        Ok(Turn(Arc::clone(&self.busy)))
    }

    fn add(&self, model: Option<String>) -> Arc<Job> {
        let mut jobs = self.jobs();
        let last = jobs.back().and_then(|job| job.id.parse::<u64>().ok()).unwrap_or(0);
        let id = (last + 1).to_string();
        let job = Arc::new(Job {
            model: model.unwrap_or_else(|| format!("fit-{id}")),
            id,
            cancelled: AtomicBool::new(false),
            state: Mutex::new(JobState::Running { stage: "read", done: 0, of: None }),
        });
        jobs.push_back(Arc::clone(&job));
        if jobs.len() > KEPT {
            jobs.pop_front();
        }
        job
    }
}

struct Turn(Arc<AtomicBool>);

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// What follows the question mark.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Asked {
    name: Option<String>,
    label: Option<String>,
    contamination: Option<String>,
}

impl Asked {
    fn options(&self) -> Result<FitOptions> {
        let share = self.contamination.as_deref().unwrap_or("auto");
        let share: std::result::Result<Threshold, _> = share.parse();
        let contamination = share.map_err(|error| Problem::bad(error.to_string()))?;
        Ok(FitOptions { label: self.label.clone(), contamination })
    }

    fn check_name(&self, app: &App) -> Result<()> {
        let Some(name) = &self.name else { return Ok(()) };
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let fits = (1..=LONGEST_NAME).contains(&name.len()) && name.chars().all(plain);
        if !fits || name.starts_with('.') {
            let detail = "name must be of at most 64 letters, digits, -, _ and ., not . first";
            return Err(Problem::bad(detail));
        }
        match app.models.is_file(name) {
            true => Err(Problem::new(
                StatusCode::CONFLICT,
                "a model of this name is served from a file; choose another name",
            )),
            false => Ok(()),
        }
    }
}

/// Takes a table and begins to fit.
pub(crate) async fn create(
    State(app): State<App>,
    asked: std::result::Result<Query<Asked>, QueryRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response> {
    let Query(asked) = asked.map_err(|error| Problem::bad(error.body_text()))?;
    let turn = app.fits.begin()?;
    let options = asked.options()?;
    asked.check_name(&app)?;
    let source = table(&app, formats::body_name(&headers)?, body, &options).await?;
    let job = app.fits.add(asked.name);
    let place = [(header::LOCATION, format!("/v1/fits/{}", job.id))];
    let answer = (StatusCode::ACCEPTED, place, job.shown()).into_response();
    begin(app, turn, job, (source, options));
    Ok(answer)
}

/// The table in the body, which has the label's column if there is to be one.
async fn table(
    app: &App,
    name: &'static str,
    body: Body,
    options: &FitOptions,
) -> Result<Box<dyn Source>> {
    let ticket = app.gate.enter().inspect_err(|_| app.metrics.turned_away())?;
    let limits =
        BodyLimits { bytes: app.limits.body, idle: app.limits.idle, deadline: ticket.deadline };
    let bytes = receive(body, limits).await?.reader().map_err(Problem::internal)?;
    let read = options.read_options();
    let opened = tokio::task::spawn_blocking(move || open_reader(name, bytes, &read));
    let source = opened.await.map_err(Problem::internal)??;
    let is_there = |label: &String| source.columns().iter().any(|column| column.name == *label);
    match options.label.as_ref().is_none_or(is_there) {
        true => Ok(source),
        false => Err(Problem::bad("the table has no column of the label's name")),
    }
}

/// Fits on a thread of its own.
fn begin(app: App, turn: Turn, job: Arc<Job>, (source, options): (Box<dyn Source>, FitOptions)) {
    let running = Arc::clone(&job);
    let fitting = tokio::task::spawn_blocking(move || {
        let fitted = fit(source, &options, &mut |progress| running.progress(progress));
        finished(fitted, &running, &app)
    });
    tokio::spawn(async move {
        let failed = |error| JobState::Failed { detail: Problem::internal(error).detail().into() };
        let state = fitting.await.unwrap_or_else(failed);
        *job.state() = state;
        drop(turn);
    });
}

fn finished(
    fitted: sosrep_scoring::Result<sosrep_scoring::Model>,
    job: &Job,
    app: &App,
) -> JobState {
    let cancelled = job.cancelled.load(Ordering::Relaxed);
    match fitted {
        Err(_) if cancelled => JobState::Cancelled,
        Err(error) => JobState::Failed { detail: Problem::from(error).detail().to_string() },
        Ok(model) => match Loaded::of_model(&job.model, model) {
            Ok(loaded) => {
                app.models.put(Arc::new(loaded), &app.metrics);
                JobState::Done
            }
            Err(detail) => JobState::Failed { detail },
        },
    }
}

/// Says how far a fit is.
pub(crate) async fn show(State(app): State<App>, Path(id): Path<String>) -> Result<Response> {
    Ok(app.fits.get(&id)?.shown())
}

/// Cancels a fit that is running; one that has ended stays as it is.
pub(crate) async fn cancel(State(app): State<App>, Path(id): Path<String>) -> Result<Response> {
    let job = app.fits.get(&id)?;
    job.cancelled.store(true, Ordering::Relaxed);
    Ok(job.shown())
}
