//! The compact encoding of Thrift, as far as headers of pages and a footer need it: fields by number.
//!
//! Differs from the decoder of the parquet crate, which reads the same bytes afterwards: no length is
//! believed. A list of more elements than there are bytes is refused, so work is linear in the
//! bytes. Depth is limited.

/// Deepest nesting; that of a footer is 8 or so.
const DEEPEST: usize = 32;

/// Bytes being read; every function gives `None` where they end or are not Thrift.
pub(super) struct Thrift<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// A value of a field; what is not needed is passed over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value {
    /// A whole number.
    Integer(i64),
    /// Where a structure begins.
    Structure(usize),
    /// Something else.
    Other,
}

impl<'a> Thrift<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// Bytes read.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The fields of a structure, with their numbers; `None` unless all of it can be read.
    pub(super) fn structure(&mut self) -> Option<Vec<(i64, Value)>> {
        let mut fields = Vec::new();
        self.fields(DEEPEST, &mut |number, value| fields.push((number, value)))?;
        Some(fields)
    }

    fn fields(&mut self, depth: usize, found: &mut dyn FnMut(i64, Value)) -> Option<()> {
        let mut number = 0i64;
        loop {
            let header = self.byte()?;
            if header & 0x0f == 0 {
                return Some(());
            }
            number = match i64::from(header >> 4) {
                0 => self.integer()?,
                delta => number.checked_add(delta)?,
            };
            let value = match header & 0x0f {
                // The value of a boolean field is its type.
                1 | 2 => Value::Other,
                kind => self.value(kind, depth)?,
            };
            found(number, value);
        }
    }

    fn value(&mut self, kind: u8, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        let start = self.at;
        match kind {
            3 => self.skip(1)?,
            4..=6 => return Some(Value::Integer(self.integer()?)),
            7 => self.skip(8)?,
            8 => {
                let length = self.unsigned()?;
                self.skip(length)?;
            }
            9 | 10 => self.list(depth)?,
            12 => {
                self.fields(depth, &mut |_, _| {})?;
                return Some(Value::Structure(start));
            }
            // Maps, which no header has, and what is not known.
            _ => return None,
        }
        Some(Value::Other)
    }

    fn list(&mut self, depth: usize) -> Option<()> {
        let header = self.byte()?;
        let count = match u64::from(header >> 4) {
            15 => self.unsigned()?,
            count => count,
        };
        // Elements take a byte at least; booleans, which readers take for less, occur in no header.
        let left = (self.bytes.len() - self.at) as u64;
        let kind = header & 0x0f;
        if count > left || (count > 0 && kind <= 2) {
            return None;
        }
        (0..count).try_for_each(|_| self.value(kind, depth).map(drop))
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn skip(&mut self, count: u64) -> Option<()> {
        let end = self.at.checked_add(usize::try_from(count).ok()?)?;
        (end <= self.bytes.len()).then(|| self.at = end)
    }

    fn unsigned(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn integer(&mut self) -> Option<i64> {
        let value = self.unsigned()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_by_their_number() {
        // 1: i32 −3, 3: binary "ab", 4: {1: i64 300}, 9: list of two i32.
        let bytes =
            [0x15, 0x05, 0x28, 2, b'a', b'b', 0x1c, 0x16, 0xd8, 0x04, 0, 0x59, 0x25, 2, 4, 0, 77];
        let mut thrift = Thrift::new(&bytes, 0);
        let expected = [
            (1, Value::Integer(-3)),
            (3, Value::Other),
            (4, Value::Structure(7)),
            (9, Value::Other),
        ];
        assert_eq!(thrift.structure().unwrap(), expected);
        assert_eq!(thrift.position(), bytes.len() - 1);
        let inner = Thrift::new(&bytes, 7).structure();
        assert_eq!(inner.unwrap(), [(1, Value::Integer(300))]);
    }

    #[test]
    fn lengths_are_not_believed() {
        let long = [0x18, 0xff, 0xff, 0xff, 0x7f];
        let many = [0x19, 0xf3, 0xff, 0xff, 0x7f, 0];
        let booleans = [0x19, 0x31, 0, 0, 0, 0];
        let deep = [0x1c; 1000];
        for bytes in [&long[..], &many, &booleans, &deep, &[0x85; 20], &[]] {
            assert_eq!(Thrift::new(bytes, 0).structure(), None);
        }
    }
}
