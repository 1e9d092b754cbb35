//! A table shown on a terminal: its cells may hold sequences that play with it, which become question
//! marks.
//!
//! Replaced are the control characters but line ends and tabs, U+0000 to U+001F and U+007F, and, in
//! UTF-8 the bytes C2 80 to C2 9F, those of U+0080 to U+009F. Files and pipes get the bytes as they are.

use std::io::{self, Write};

/// A writer that lets no control character through.
pub(super) struct Harmless<W> {
    inner: W,
    /// Whether the byte before was C2.
    after_c2: bool,
}

impl<W: Write> Harmless<W> {
    pub(super) fn new(inner: W) -> Self {
        Self { inner, after_c2: false }
    }

    fn shown(&mut self, byte: u8) -> u8 {
        let second = std::mem::replace(&mut self.after_c2, byte == 0xc2);
        match byte {
            b'\n' | b'\t' => byte,
            0..=0x1f | 0x7f => b'?',
            // U+00BF, a question mark too.
            0x80..=0x9f if second => 0xbf,
            _ => byte,
        }
    }
}

impl<W: Write> Write for Harmless<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let shown: Vec<u8> = bytes.iter().map(|&byte| self.shown(byte)).collect();
        self.inner.write_all(&shown)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_pass_however_they_are_cut() {
        let text = "a\x1b[31mb\r\n\tc\u{9b}2J\u{7f}é¿";
        for size in 1..text.len() {
            let mut harmless = Harmless::new(Vec::new());
            for part in text.as_bytes().chunks(size) {
                harmless.write_all(part).unwrap();
            }
            let shown = String::from_utf8(harmless.inner).unwrap();
            assert_eq!(shown, "a?[31mb?\n\tc¿2J?é¿");
        }
    }
}
