//! `sosrep serve`: models over HTTP, until Ctrl-C or the signal to end.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use sosrep_serve::{Limits, Options, Service, StartError};

use super::set_threads;
use crate::args::{LimitArgs, ServeArgs};
use crate::failure::{Result, user};
use crate::outputs::write_stdout;
use crate::{example, interrupt};

/// The name of the example's model.
const EXAMPLE: &str = "example";
/// Where the token may be.
const VARIABLE: &str = "SOSREP_TOKEN";

pub(super) fn serve(args: &ServeArgs) -> Result<()> {
    set_threads(args.threads)?;
    let mut options = Options::default();
    options.models.clone_from(&args.models);
    options.limits = limits(&args.limits);
    options.token = token(args)?;
    options.allow_fit = args.allow_fit;
    options.log = args.log;
    options.example = args.models.is_empty().then_some(example::BYTES);
    let with_token = options.token.is_some();
    let service = Service::new(options).map_err(failure)?;
    if args.models.is_empty() {
        eprintln!("{}", example::ATTRIBUTION);
        service.fit(EXAMPLE, &example::input(), Some(example::LABEL)).map_err(failure)?;
    }
    let wanted = SocketAddr::new(args.address, args.port);
    let listener = TcpListener::bind(wanted)
        .map_err(|error| user(format!("cannot listen on {wanted}: {error}")))?;
    let address = listener.local_addr().map_err(StartError::from).map_err(failure)?;
    let names = service.model_names().join(", ");
    if with_token || address.ip().is_loopback() {
        let token = if with_token { "token   needed\n" } else { "" };
        let words = format!("models  {names}\n{token}open    http://{address}/\n");
        write_stdout(words.as_bytes())?;
    }
    service.run(listener, interrupt::asked).map_err(failure)
}

fn limits(args: &LimitArgs) -> Limits {
    let mut limits = Limits::default();
    if let Some(size) = args.body_limit {
        limits.body = size.0 as u64;
    }
    limits.rows = args.row_limit.unwrap_or(limits.rows);
    limits.time = args.time_limit.map_or(limits.time, Duration::from_secs);
    limits.queue = args.queue.map_or(limits.queue, usize::from);
    limits
}

fn token(args: &ServeArgs) -> Result<Option<String>> {
    let text = match &args.token_file {
        Some(path) => Some(fs::read_to_string(path).map_err(|source| {
            sosrep_table::Error::Read { file: path.display().to_string(), source }
        })?),
        None => std::env::var(VARIABLE).ok(),
    };
    Ok(text.map(|text| text.trim().to_string()))
}

fn failure(error: StartError) -> crate::failure::Failure {
    match error {
        StartError::Fit(error) => error.into(),
        other => user(other.to_string()),
    }
}
