//! The first bytes of a text file: its encoding, its delimiter and how its lines end.

use crate::error::{Bytes, FileProblem, RowProblem};

/// Delimiters that are recognised, the likelier first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Marks at the start of a file, longer ones before those they begin with.
const MARKS: [(&[u8], &str); 4] = [
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
];

/// What a text file says about itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Dialect {
    /// What stands between the cells: the delimiter found most often in the first line, outside
    /// quotes; the comma if none is.
    pub(super) delimiter: u8,
    /// Whether lines end with a line feed, as they are counted; otherwise with a carriage return.
    pub(super) line_feeds: bool,
    /// Length of the mark of UTF-8 before the text.
    pub(super) mark: usize,
}

/// Why a file is not text that is read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NotText {
    File(FileProblem),
    FirstLine(RowProblem),
}

impl Dialect {
    /// Reads it off the first bytes of a file.
    pub(super) fn of(head: &[u8]) -> Result<Self, NotText> {
        if let Some(&(mark, encoding)) = MARKS.iter().find(|(mark, _)| head.starts_with(mark)) {
            let bytes = Bytes(mark.to_vec());
            return Err(NotText::FirstLine(RowProblem::Encoding { bytes, encoding }));
        }
        if let Some(position) = head.iter().position(|&byte| byte == 0) {
            return Err(NotText::File(FileProblem::NotText { position: position + 1 }));
        }
        let mark = if head.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let text = &head[mark..];
        let start = text.iter().position(|byte| !is_line_end(*byte));
        let Some(start) = start else { return Err(NotText::File(FileProblem::Empty)) };
        let (counts, end) = first_line(&text[start..]);
        let most = (0..DELIMITERS.len()).rev().max_by_key(|&i| counts[i]).unwrap_or(0);
        let ending = &text[start + end..];
        let line_feeds = !ending.starts_with(b"\r") || ending.get(1).is_none_or(|&b| b == b'\n');
        Ok(Self { delimiter: DELIMITERS[most], line_feeds, mark })
    }
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

/// How often each delimiter stands outside quotes in the first line, and where the line ends.
fn first_line(text: &[u8]) -> ([usize; DELIMITERS.len()], usize) {
    let mut counts = [0; DELIMITERS.len()];
    let mut quoted = false;
    for (i, &byte) in text.iter().enumerate() {
        if byte == b'"' {
            quoted = !quoted;
        } else if !quoted && is_line_end(byte) {
            return (counts, i);
        } else if !quoted && let Some(known) = DELIMITERS.iter().position(|&d| d == byte) {
            counts[known] += 1;
        }
    }
    (counts, text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delimiter(text: &str) -> char {
        Dialect::of(text.as_bytes()).unwrap().delimiter.into()
    }

    #[test]
    fn the_delimiter_is_the_commonest_outside_quotes_in_the_first_line() {
        assert_eq!(delimiter("a,b\n1;2;3;4\n"), ',');
        assert_eq!(delimiter("a;b,c;d\n"), ';');
        assert_eq!(delimiter("a\tb"), '\t');
        assert_eq!(delimiter("\n\r\na|b|c\n"), '|');
        assert_eq!(delimiter("\"a,b,\"\"c,\nd,\";e\n"), ';');
        assert_eq!(delimiter("alone\n1,2\n"), ',');
        assert_eq!(delimiter("a,b;c"), ',');
    }

    #[test]
    fn carriage_returns_alone_are_told_from_pairs() {
        let line_feeds = |text: &str| Dialect::of(text.as_bytes()).unwrap().line_feeds;
        assert!(line_feeds("a\nb"));
        assert!(line_feeds("a\r\nb"));
        assert!(line_feeds("a"));
        assert!(!line_feeds("a\rb\r"));
        assert!(line_feeds("\"a\rb\"\nc"));
    }

    #[test]
    fn marks_of_encodings_are_known() {
        assert_eq!(Dialect::of(b"\xef\xbb\xbfa;b").unwrap().mark, 3);
        let Err(NotText::FirstLine(problem)) = Dialect::of(b"\xff\xfea\0") else { panic!() };
        assert_eq!(problem.to_string(), "the bytes FF FE mark UTF-16 text; save the file as UTF-8");
        assert_eq!(
            Dialect::of(b"a,b\n1,\0\n").unwrap_err(),
            NotText::File(FileProblem::NotText { position: 7 })
        );
        assert_eq!(Dialect::of(b"\r\n\n").unwrap_err(), NotText::File(FileProblem::Empty));
    }
}
