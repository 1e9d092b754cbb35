//! The cost of choosing a bandwidth, and of the tables that serve every bandwidth of a grid.
//!
//! Run with `cargo bench --bench tune`.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use rand::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use sosrep::kernel::{Kernel, KernelKind};
use sosrep::select::{self, SelectOptions};
use sosrep::{DensityParams, Points};

/// 15 bandwidths by the exact Fisher divergence: 700 rows to fit, 300 held out.
fn tune(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tune");
    group.sample_size(10);
    group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(2));
    for d in [6, 27, 100] {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let rows: Vec<f64> = (0..1000 * d).map(|_| StandardNormal.sample(&mut rng)).collect();
        let points = Points::new(&rows, d).expect("finite");
        let params = DensityParams::new().kernel(KernelKind::Sdo);
        let options = SelectOptions::new(select::Criterion::Fisher);
        group.bench_function(BenchmarkId::new("sdo", format!("1000x{d}")), |bencher| {
            bencher
                .iter(|| params.clone().bandwidth(options.clone()).tune(black_box(points), None));
        });
    }
    group.finish();
}

/// The table of a profile.
fn tables(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("table");
    group.sample_size(10);
    group.warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_secs(1));
    for d in [10, 100, 1000, 2000] {
        group.bench_function(BenchmarkId::new("sdo", d), |bencher| {
            bencher.iter(|| Kernel::new(black_box(&KernelKind::Sdo), d, 1.0).expect("valid"));
        });
    }
    group.finish();
}

criterion_group!(benches, tune, tables);
criterion_main!(benches);
