//! NumPy's format of an array, version 1.0, for `f64`: a header of text, then the elements.

/// The bytes before the header's text: magic, version, length.
const START: usize = 10;
/// The elements begin at a multiple of this.
const ALIGNMENT: usize = 64;

/// A matrix, given row after row.
pub(super) fn matrix(values: &[f64], columns: usize) -> Vec<u8> {
    array(&format!("({}, {columns})", values.len() / columns.max(1)), values)
}

/// A vector.
pub(super) fn vector(values: &[f64]) -> Vec<u8> {
    array(&format!("({},)", values.len()), values)
}

fn array(shape: &str, values: &[f64]) -> Vec<u8> {
    let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
    // The text ends in a newline after as many spaces as it takes.
    let length = (START + text.len() + 1).next_multiple_of(ALIGNMENT) - START;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    // Two numbers and a few words: far from the 65 535 bytes that two bytes can tell.
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(format!("{text:<width$}\n", width = length - 1).bytes());
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_begin_at_a_multiple_of_64_bytes_after_a_newline() {
        for rows in [1, 10, 12_345, 123_456] {
            let bytes = vector(&vec![1.5; rows]);
            let start = bytes.len() - 8 * rows;
            assert_eq!((start % 64, bytes[start - 1]), (0, b'\n'));
            assert_eq!(usize::from(u16::from_le_bytes([bytes[8], bytes[9]])), start - 10);
            assert_eq!(bytes[start..start + 8], 1.5_f64.to_le_bytes());
        }
    }
}
