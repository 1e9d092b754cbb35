//! The models being served: files, folders of files, and models that were fitted here.
//!
//! Every [`POLL`] the files are looked at. One that has changed is read and parsed, and takes the place of
//! the one before at once; requests that have begun keep theirs. One that cannot be read changes
//! nothing but a metric, and says so on standard error. A model whose file has left its folder is
//! not served any more.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime};

use sha2::{Digest, Sha256};
use sosrep_scoring::{Model, Principal};

use crate::metrics::Metrics;
use crate::problem::{Problem, Result};

/// Time between looks at the files.
pub(crate) const POLL: Duration = Duration::from_secs(2);
/// How the names of model files in a folder end.
const ENDINGS: [&str; 2] = ["sosrep", "model"];
/// Models fitted here that are kept, the latest.
const FITTED: usize = 8;

/// A model that is served.
pub(crate) struct Loaded {
    pub(crate) name: String,
    pub(crate) model: Model,
    /// Of its file.
    pub(crate) sha256: String,
    /// The directions of the map, from the typical rows; without them there is no map.
    pub(crate) directions: Option<Principal>,
    fitted: bool,
    since: Instant,
}

impl Loaded {
    fn of_bytes(name: &str, bytes: &[u8], fitted: bool) -> std::result::Result<Self, String> {
        let model = Model::from_bytes(bytes).map_err(|error| error.to_string())?;
        let detector = &model.detector;
        let directions = Principal::of(detector.typical_rows(), detector.preparation().dimension());
        let digest = Sha256::digest(bytes);
        let sha256 = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self {
            name: name.to_string(),
            model,
            sha256,
            directions,
            fitted,
            since: Instant::now(),
        })
    }

    /// A model that was fitted here, as it would be read from its file.
    pub(crate) fn of_model(name: &str, model: Model) -> std::result::Result<Self, String> {
        let bytes = model.detector.to_bytes().map_err(|error| error.to_string())?;
        Self::of_bytes(name, &bytes, true)
    }
}

/// What tells that a file has changed.
type Stamp = (Option<SystemTime>, u64);

/// The models by their names.
pub(crate) struct Models {
    served: RwLock<BTreeMap<String, Arc<Loaded>>>,
    /// Files and folders.
    places: Vec<PathBuf>,
    /// What the files were like when last read.
    seen: Mutex<HashMap<PathBuf, Stamp>>,
}

impl Models {
    /// Reads every file; a file that was named and is no model is an error.
    pub(crate) fn open(places: &[PathBuf], metrics: &Metrics) -> std::result::Result<Self, String> {
        let models =
            Self { served: RwLock::default(), places: places.to_vec(), seen: Mutex::default() };
        for (name, path) in models.files()? {
            let shown = path.display();
            match models.read(&name, &path) {
                Ok(Some(loaded)) => models.put(Arc::new(loaded), metrics),
                Ok(None) => {}
                Err(problem) if places.contains(&path) => {
                    return Err(format!("{shown}: {problem}"));
                }
                Err(problem) => {
                    metrics.reload_failed(&name);
                    eprintln!("model {name} is not served: {shown}: {problem}");
                }
            }
        }
        Ok(models)
    }

    /// The files and the names of their models.
    fn files(&self) -> std::result::Result<BTreeMap<String, PathBuf>, String> {
        let mut files = BTreeMap::new();
        for place in &self.places {
            let found = if place.is_dir() { in_folder(place)? } else { vec![place.clone()] };
            for path in found {
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                if let Some(other) = files.insert(name.clone(), path.clone()) {
                    let (path, other) = (path.display(), other.display());
                    return Err(format!(
                        "{other} and {path} would both be model {name}; rename one"
                    ));
                }
            }
        }
        Ok(files)
    }

    /// The model in a file, unless the file is as it was.
    fn read(&self, name: &str, path: &Path) -> std::result::Result<Option<Loaded>, String> {
        let metadata = fs::metadata(path).map_err(|error| error.to_string())?;
        let stamp = (metadata.modified().ok(), metadata.len());
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.insert(path.to_path_buf(), stamp) == Some(stamp) {
            return Ok(None);
        }
        drop(seen);
        let bytes = fs::read(path).map_err(|error| error.to_string())?;
        Loaded::of_bytes(name, &bytes, false).map(Some)
    }

    /// Looks at the files again.
    pub(crate) fn refresh(&self, metrics: &Metrics) {
        let files = match self.files() {
            Ok(files) => files,
            Err(problem) => return eprintln!("models are not read again: {problem}"),
        };
        for (name, path) in &files {
            match self.read(name, path) {
                Ok(Some(loaded)) => self.put(Arc::new(loaded), metrics),
                Ok(None) => {}
                Err(problem) => {
                    metrics.reload_failed(name);
                    eprintln!("model {name} stays as it was: {}: {problem}", path.display());
                }
            }
        }
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|path, _| files.values().any(|file| file == path));
        self.change(|served| {
            served.retain(|name, model| {
                let stays = model.fitted || files.contains_key(name);
                if !stays {
                    metrics.removed(model);
                }
                stays
            });
        });
    }

    fn change(&self, change: impl FnOnce(&mut BTreeMap<String, Arc<Loaded>>)) {
        change(&mut self.served.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// Serves a model, in the place of one of its name.
    pub(crate) fn put(&self, model: Arc<Loaded>, metrics: &Metrics) {
        self.change(|served| {
            metrics.serves(&model);
            if let Some(before) = served.insert(model.name.clone(), Arc::clone(&model))
                && before.sha256 != model.sha256
            {
                metrics.removed(&before);
            }
            let fitted = served.values().filter(|model| model.fitted);
            let oldest = fitted.clone().min_by_key(|model| model.since);
            let oldest = oldest.filter(|_| fitted.count() > FITTED).map(|model| model.name.clone());
            if let Some(before) = oldest.and_then(|name| served.remove(&name)) {
                metrics.removed(&before);
            }
        });
    }

    /// Whether a name is that of a model from a file.
    pub(crate) fn is_file(&self, name: &str) -> bool {
        let served = self.served.read().unwrap_or_else(PoisonError::into_inner);
        served.get(name).is_some_and(|model| !model.fitted)
    }

    /// All models, by their names.
    pub(crate) fn all(&self) -> Vec<Arc<Loaded>> {
        let served = self.served.read().unwrap_or_else(PoisonError::into_inner);
        served.values().cloned().collect()
    }

    /// The model of a name.
    pub(crate) fn get(&self, name: &str) -> Result<Arc<Loaded>> {
        let served = self.served.read().unwrap_or_else(PoisonError::into_inner);
        served.get(name).cloned().ok_or_else(|| {
            let detail = "there is no model of this name; GET /v1/models lists those there are";
            Problem::not_found(detail)
        })
    }
}

/// The model files in a folder.
fn in_folder(folder: &Path) -> std::result::Result<Vec<PathBuf>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let known = path.extension().is_some_and(|end| ENDINGS.iter().any(|known| end == *known));
        if known && !hidden && path.is_file() {
            files.push(path);
        }
    }
    Ok(files)
}
