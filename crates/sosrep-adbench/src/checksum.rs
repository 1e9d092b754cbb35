//! SHA-256 as 64 hexadecimal digits, of bytes and of files.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::error::Result;

/// Bytes read at a time.
const BUFFER: usize = 1 << 16;

/// The checksum of bytes.
pub(crate) fn of_bytes(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// The checksum of a file, read piece by piece.
///
/// # Errors
/// [`sosrep_table::Error::Read`].
pub(crate) fn of_file(path: &Path) -> Result<String> {
    let digest = || -> io::Result<String> {
        let mut file = File::open(path)?;
        let (mut hasher, mut buffer) = (Sha256::new(), vec![0; BUFFER]);
        loop {
            match file.read(&mut buffer) {
                Ok(0) => return Ok(hexadecimal(&hasher.finalize())),
                Ok(count) => hasher.update(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    };
    let file = || path.display().to_string();
    Ok(digest().map_err(|source| sosrep_table::Error::Read { file: file(), source })?)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_of_abc_is_that_of_the_standard() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(of_bytes(b"abc"), expected);
    }

    #[test]
    fn a_file_of_many_pieces_has_the_checksum_of_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let bytes: Vec<u8> = (0..3 * BUFFER + 17).map(|i| (i % 251) as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(of_file(&path).unwrap(), of_bytes(&bytes));
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let error = of_file(Path::new("nowhere/14_glass.npz")).unwrap_err();
        let message = "cannot read nowhere/14_glass.npz: there is no such file or folder";
        assert_eq!(error.to_string(), message);
    }
}
