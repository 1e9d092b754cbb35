//! What is counted, in the text form of OpenMetrics.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::gate::Gate;
use crate::models::Loaded;

/// Bins of p-values.
const BINS: usize = 10;

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Route {
    method: String,
    path: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Answered {
    method: String,
    path: String,
    status: u16,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct OfModel {
    model: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Version {
    model: String,
    sha256: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Bin {
    model: String,
    /// The bin holds p-values up to this.
    upto: String,
}

type Latency = Family<Route, Histogram, fn() -> Histogram>;

/// Everything that is counted.
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Answered, Counter>,
    latency: Latency,
    shed: Counter,
    rows: Family<OfModel, Counter>,
    flagged: Family<OfModel, Counter>,
    p_values: Family<Bin, Counter>,
    models: Family<Version, Gauge>,
    reload_errors: Family<OfModel, Counter>,
}

/// Requests that wait, asked when metrics are.
#[derive(Debug)]
struct Waiting(Arc<std::sync::atomic::AtomicI64>);

impl Collector for Waiting {
    fn encode(&self, mut encoder: DescriptorEncoder) -> Result<(), fmt::Error> {
        let gauge = ConstGauge::new(self.0.load(std::sync::atomic::Ordering::Relaxed));
        let help = "Requests that wait for a core or for their body";
        let metric = encoder.encode_descriptor("sosrep_queue", help, None, gauge.metric_type())?;
        gauge.encode(metric)
    }
}

/// From a tenth of a millisecond to a minute.
fn durations() -> Histogram {
    let bounds = [1e-4, 5e-4, 1e-3, 5e-3, 1e-2, 5e-2, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0];
    Histogram::new(bounds)
}

/// What was found of the rows of a request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tally {
    pub(crate) rows: u64,
    flagged: u64,
    bins: [u64; BINS],
}

impl Tally {
    /// Adds some rows.
    pub(crate) fn add(&mut self, found: &sosrep::detector::Assessment) {
        self.rows += found.len() as u64;
        self.flagged += found.anomalies() as u64;
        for p in &found.p_values {
            // In (0, 1]: a p-value at the upper bound of a bin is in the bin.
            let bin = (p * BINS as f64).ceil() as usize;
            self.bins[bin.clamp(1, BINS) - 1] += 1;
        }
    }
}

impl Metrics {
    pub(crate) fn new(gate: &Gate) -> Self {
        let mut metrics = Self {
            registry: Registry::default(),
            requests: Family::default(),
            latency: Family::new_with_constructor(durations as fn() -> Histogram),
            shed: Counter::<u64, AtomicU64>::default(),
            rows: Family::default(),
            flagged: Family::default(),
            p_values: Family::default(),
            models: Family::default(),
            reload_errors: Family::default(),
        };
        metrics.register(gate);
        metrics
    }

    fn register(&mut self, gate: &Gate) {
        let Self { registry, .. } = self;
        registry.register("sosrep_requests", "Requests answered", self.requests.clone());
        let help = "Seconds from a request's header to the head of its answer";
        registry.register("sosrep_request_seconds", help, self.latency.clone());
        registry.register("sosrep_shed", "Requests turned away with 503", self.shed.clone());
        registry.register("sosrep_rows", "Rows scored", self.rows.clone());
        registry.register("sosrep_flagged", "Rows above the threshold", self.flagged.clone());
        let help = "Rows by their p-value; evenly spread while rows are like those of the fit";
        registry.register("sosrep_p_values", help, self.p_values.clone());
        registry.register("sosrep_model", "1 for every model that is served", self.models.clone());
        let help = "Model files that could not be read";
        registry.register("sosrep_reload_errors", help, self.reload_errors.clone());
        registry.register_collector(Box::new(Waiting(Arc::clone(&gate.waiting))));
    }

    /// All of it as text.
    pub(crate) fn text(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }

    pub(crate) fn answered(&self, method: &str, path: &str, status: u16, time: Duration) {
        let (method, path) = (method.to_string(), path.to_string());
        let route = Route { method: method.clone(), path: path.clone() };
        self.latency.get_or_create(&route).observe(time.as_secs_f64());
        self.requests.get_or_create(&Answered { method, path, status }).inc();
    }

    pub(crate) fn turned_away(&self) {
        self.shed.inc();
    }

    pub(crate) fn scored(&self, model: &str, tally: &Tally) {
        let of_model = OfModel { model: model.to_string() };
        self.rows.get_or_create(&of_model).inc_by(tally.rows);
        self.flagged.get_or_create(&of_model).inc_by(tally.flagged);
        for (i, count) in tally.bins.iter().enumerate() {
            let upto = format!("{:.1}", (i + 1) as f64 / BINS as f64);
            self.p_values.get_or_create(&Bin { model: model.to_string(), upto }).inc_by(*count);
        }
    }

    pub(crate) fn serves(&self, model: &Loaded) {
        self.models.get_or_create(&version(model)).set(1);
    }

    pub(crate) fn removed(&self, model: &Loaded) {
        self.models.remove(&version(model));
    }

    pub(crate) fn reload_failed(&self, model: &str) {
        self.reload_errors.get_or_create(&OfModel { model: model.to_string() }).inc();
    }
}

fn version(model: &Loaded) -> Version {
    Version { model: model.name.clone(), sha256: model.sha256.clone() }
}
