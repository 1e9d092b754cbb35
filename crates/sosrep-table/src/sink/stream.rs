//! Where the bytes of a table go: a file or standard output, perhaps through compression.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};

use flate2::write::GzEncoder;

use super::Output;
use super::format::Format;
use super::harmless::Harmless;
use crate::atomic::AtomicFile;
use crate::error::{Error, Result};

/// Bytes gathered before standard output is asked to write.
const BUFFER: usize = 1 << 16;

/// Bytes on their way, with the name of where they go.
pub(super) struct Stream {
    name: String,
    form: Form,
}

enum Form {
    Plain(Target),
    Gzip(GzEncoder<Target>),
    Zstd(zstd::Encoder<'static, Target>),
}

enum Target {
    File(AtomicFile),
    Stdout(BufWriter<Stdout>),
    Terminal(Harmless<Stdout>),
    Writer(Box<dyn Write + Send>),
}

impl Stream {
    /// Any writer, without compression.
    pub(super) fn of_writer(name: &str, writer: Box<dyn Write + Send>) -> Self {
        Self { name: name.to_string(), form: Form::Plain(Target::Writer(writer)) }
    }

    /// Opens the output.
    pub(super) fn create(output: &Output, format: Format) -> Result<Self> {
        let name = output.to_string();
        let target = match output {
            Output::Path(path) => Target::File(AtomicFile::create(path)?),
            Output::Stdout if io::stdout().is_terminal() => {
                Target::Terminal(Harmless::new(io::stdout()))
            }
            Output::Stdout => Target::Stdout(BufWriter::with_capacity(BUFFER, io::stdout())),
        };
        let form = match format {
            Format::CsvGzip => Form::Gzip(GzEncoder::new(target, flate2::Compression::default())),
            Format::CsvZstd => {
                let level = zstd::DEFAULT_COMPRESSION_LEVEL;
                let encoder = zstd::Encoder::new(target, level);
                Form::Zstd(encoder.map_err(|source| write_error(&name, source))?)
            }
            _ => Form::Plain(target),
        };
        Ok(Self { name, form })
    }

    /// Where the bytes go, for messages.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Ends the compression and puts the file in its place.
    pub(super) fn finish(self) -> Result<()> {
        let target = match self.form {
            Form::Plain(target) => Ok(target),
            Form::Gzip(encoder) => encoder.finish(),
            Form::Zstd(encoder) => encoder.finish(),
        };
        match target.map_err(|source| write_error(&self.name, source))? {
            Target::File(file) => file.commit(),
            Target::Writer(mut writer) => {
                writer.flush().map_err(|source| write_error(&self.name, source))
            }
            mut stdout => stdout.flush().map_err(|source| write_error(&self.name, source)),
        }
    }
}

/// The error of a write to `file`.
pub(super) fn write_error(file: &str, source: io::Error) -> Error {
    Error::Write { file: file.to_string(), source }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.form {
            Form::Plain(target) => target.write(bytes),
            Form::Gzip(encoder) => encoder.write(bytes),
            Form::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.form {
            Form::Plain(target) => target.flush(),
            Form::Gzip(encoder) => encoder.flush(),
            Form::Zstd(encoder) => encoder.flush(),
        }
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Stdout(stdout) => stdout.write(bytes),
            Self::Terminal(stdout) => stdout.write(bytes),
            Self::Writer(writer) => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Stdout(stdout) => stdout.flush(),
            Self::Terminal(stdout) => stdout.flush(),
            Self::Writer(writer) => writer.flush(),
        }
    }
}
