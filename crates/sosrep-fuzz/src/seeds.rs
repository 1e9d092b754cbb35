//! Good files of every format, small, and words that occur in them.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::file::properties::WriterProperties;
use sosrep::kernel::{Kernel, KernelKind, RadialSampler};
use sosrep::{DensityParams, DetectorParams, Kde, Points, SourceColumn};
use sosrep_table::{EncodeOptions, Encoding, Input, ReadOptions, TableRecipe, open, read_all};

const TABLE: &str = "id,amount,colour,when,flag\n1,2.5,red,2024-01-02,true\n2,\"1,5\",blue,2024-02-03,false\n\
    3,NA,red,2024-03-04T05:06:07,true\n4,-1e300,\"a \"\"b\"\"\",,false\n5,7,blue,2024-05-06,true\n";

/// Words of texts.
pub(crate) const TEXT_WORDS: &[&[u8]] = &[
    b"NaN",
    b"inf",
    b"-1e308",
    b"null",
    b"true",
    b"2024-02-30",
    b"23:59:60",
    b"\r\n",
    b"\"\"",
    b"\xef\xbb\xbf",
    b"\xe2\x80\xae",
    b"\x1b[2J",
    b"{\"",
    b"\":[",
    b"]}",
    b"\\u0000",
    b"\\ud800",
    b"1_000",
    b"1.234.567,89",
    b"$",
    b"%",
    b"category",
    b"values",
    b"gaps",
    b"fill",
];
/// Words of NumPy headers and archives.
pub(crate) const NUMPY: &[&[u8]] = &[
    b"'<f8'",
    b"'>i4'",
    b"'|b1'",
    b"'fortran_order': True",
    b"(2, 99999999999)",
    b"\x93NUMPY",
    b"PK\x03\x04",
    b"X.npy",
];

fn rows() -> Vec<f64> {
    (0..36).map(|i| f64::from(i * i % 17) + if i % 3 == 2 { 0.5 } else { 0.0 }).collect()
}

/// Detectors of every kernel, a mixed one, a density and a kernel density estimate.
pub(crate) fn models() -> Vec<Vec<u8>> {
    let rows = rows();
    let points = Points::new(&rows, 3).expect("rows");
    let sampled = KernelKind::SdoSampled { features: 5, sampler: RadialSampler::Exact };
    let kinds = [
        KernelKind::Product,
        KernelKind::Sdo,
        KernelKind::Laplacian,
        KernelKind::Gaussian,
        sampled,
    ];
    let mut files = Vec::new();
    for kind in kinds {
        let detector = DetectorParams::new().kernel(kind).fit(points, None).expect("a fit");
        files.push(detector.to_bytes().expect("a file"));
    }
    let columns = vec![SourceColumn::NumberOrMissing, SourceColumn::Category(2)];
    let mixed: Vec<f64> = (0..12)
        .flat_map(|i| [f64::from(i), f64::from(i % 5 / 4), f64::from(i % 2), f64::from(1 - i % 2)])
        .collect();
    let mixed =
        DetectorParams::new().columns(columns).fit(Points::new(&mixed, 4).expect("rows"), None);
    files.push(mixed.expect("a fit").to_bytes().expect("a file"));
    files.push(DensityParams::new().fit(points, None).expect("a fit").to_bytes().expect("a file"));
    let kernel = Kernel::new(&KernelKind::Laplacian, 3, 0.3).expect("a kernel");
    files.push(Kde::new(kernel, points, None).expect("an estimate").to_bytes().expect("a file"));
    files
}

/// The recipe of a table with columns of every kind.
pub(crate) fn recipes() -> Vec<Vec<u8>> {
    let input = Input::Bytes { name: "table.csv".to_string(), bytes: TABLE.as_bytes() };
    let mut source = open(&input, &ReadOptions::default()).expect("a table");
    let columns = source.columns().to_vec();
    let batches = read_all(source.as_mut(), &mut |_| true).expect("rows");
    let (encoding, _) = Encoding::fit("table.csv", &columns, &batches, &EncodeOptions::default())
        .expect("an encoding");
    vec![serde_json::to_vec(&TableRecipe::new(encoding)).expect("JSON")]
}

pub(crate) fn csv() -> Vec<Vec<u8>> {
    let wide = (0..40).map(|i| format!("{i};{},5;x{}\n", i * i, i % 3)).collect::<String>();
    vec![
        TABLE.as_bytes().to_vec(),
        format!("a;b;c\n{wide}").into_bytes(),
        TABLE.replace(',', "\t").into_bytes(),
    ]
}

pub(crate) fn json() -> Vec<Vec<u8>> {
    let lines = "{\"a\":1,\"b\":\"x\",\"c\":true}\n{\"a\":2.5e3,\"b\":null,\"c\":false}\n";
    let array = "[{\"a\":1,\"b\":\"x\"},{\"a\":\"\\u00e9\",\"b\":null}]";
    vec![lines.as_bytes().to_vec(), array.as_bytes().to_vec()]
}

fn batch() -> RecordBatch {
    let numbers: ArrayRef = Arc::new(Float64Array::from(
        (0..20).map(|i| (i % 7 > 0).then_some(f64::from(i) / 3.0)).collect::<Vec<_>>(),
    ));
    let integers: ArrayRef =
        Arc::new(Int64Array::from((0..20).map(|i| i * 1_000_003).collect::<Vec<_>>()));
    let texts: ArrayRef = Arc::new(StringArray::from(
        (0..20).map(|i| Some(["a", "bb", ""][i % 3])).collect::<Vec<_>>(),
    ));
    let flags: ArrayRef =
        Arc::new(BooleanArray::from((0..20).map(|i| i % 2 == 0).collect::<Vec<_>>()));
    RecordBatch::try_from_iter([("f", numbers), ("i", integers), ("s", texts), ("b", flags)])
        .expect("a table")
}

pub(crate) fn parquet() -> Vec<Vec<u8>> {
    let level = ZstdLevel::default();
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(level),
        Compression::LZ4_RAW,
    ];
    let write = |compression| {
        let properties = WriterProperties::builder()
            .set_compression(compression)
            .set_max_row_group_row_count(Some(15))
            .build();
        let mut writer =
            ArrowWriter::try_new(Vec::new(), batch().schema(), Some(properties)).expect("a writer");
        writer.write(&batch()).expect("rows");
        writer.into_inner().expect("a file")
    };
    codecs.into_iter().map(write).collect()
}

pub(crate) fn arrow() -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for compression in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
        let options =
            || IpcWriteOptions::default().try_with_compression(compression).expect("a codec");
        let schema = batch().schema();
        let mut file =
            FileWriter::try_new_with_options(Vec::new(), &schema, options()).expect("a writer");
        file.write(&batch()).expect("rows");
        file.finish().expect("a file");
        files.push(file.into_inner().expect("a file"));
        let mut stream =
            StreamWriter::try_new_with_options(Vec::new(), &schema, options()).expect("a writer");
        stream.write(&batch()).expect("rows");
        stream.finish().expect("a stream");
        files.push(stream.into_inner().expect("a stream"));
    }
    files
}

pub(crate) fn numpy() -> Vec<Vec<u8>> {
    let array = |descr: &str, shape: &str, data: &[u8]| {
        let header =
            format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
        [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data]
            .concat()
    };
    let numbers: Vec<u8> = rows().into_iter().flat_map(f64::to_le_bytes).collect();
    vec![
        array("<f8", "(12, 3)", &numbers),
        array("<i4", "(6,)", &[7; 24]),
        array("|b1", "(3, 2)", &[1, 0, 1, 0, 0, 1]),
    ]
}
