//! Eight numbers at a time: the unit in which kernels are evaluated.
//!
//! Plain arrays and loops that the compiler turns into vector instructions; [`dispatch`] runs them
//! compiled for AVX2 where the machine has it. AVX-512 is left out: on the one machine with it that was
//! measured, every loop here is slower in twice as wide registers. Additions and multiplications are
//! fused where the code says so, by `mul_add`, and nowhere else, and never reordered: the choice of
//! instructions changes no bit. A machine without fused instructions computes the same, slowly.
//!
//! A [`Number`] is `f64`, or `f32` where only the order of results counts: half the memory, and
//! twice as many in a register.

use std::fmt::Debug;
use std::ops::{Add, Mul, Neg, Sub};

/// The smallest power of two in single precision, 2⁻¹²⁵, that [`Number::exp2_minus`] gives.
pub(crate) const SMALLEST_SINGLE: f64 = 1.0 / (1_u128 << 125) as f64;

/// Numbers handled together.
pub(crate) const LANES: usize = 8;

/// Eight numbers.
pub(crate) type Lanes = [f64; LANES];

/// What kernels are evaluated in: `f64` or `f32`.
pub(crate) trait Number:
    Copy
    + Debug
    + Default
    + Send
    + Sync
    + Into<f64>
    + PartialOrd
    + Add<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + Sub<Output = Self>
{
    /// The distance from 1 to the next number.
    const EPSILON: f64;

    /// The nearest number of this type.
    fn rounded(x: f64) -> Self;

    /// |x|.
    fn abs(self) -> Self;

    /// The larger of two numbers that are no NaN.
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        // A single instruction, unlike `max`, which handles NaN.
        if self > other { self } else { other }
    }

    /// x `factor` + `addend`, rounded once.
    fn mul_add(self, factor: Self, addend: Self) -> Self;

    /// 2^(−`rate` x) for x ≥ 0, or hardly below, to about one unit in the last place, without a
    /// branch; so large an x that the power would vanish counts as the largest for which it does not.
    ///
    /// −rate x = n + r with |r| ≤ ½, the product not rounded; 2ʳ = 1 + r Q(r) with Q through the
    /// Chebyshev nodes, added in pairs of independent terms; 2ⁿ straight into the
    /// exponent bits.
    fn exp2_minus(self, rate: Self) -> Self;
}

impl Number for f64 {
    const EPSILON: f64 = f64::EPSILON;

    #[inline(always)]
    fn rounded(x: f64) -> Self {
        x
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self::abs(self)
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        f64::mul_add(self, factor, addend)
    }

    #[inline(always)]
    fn exp2_minus(self, rate: Self) -> Self {
        // Remainder 8e-18.
        const Q: [f64; 11] = [
            std::f64::consts::LN_2,
            0.240_226_506_959_100_97,
            0.055_504_108_664_821_6,
            0.009_618_129_107_606_888,
            0.001_333_355_814_641_693_5,
            1.540_353_044_173_605e-4,
            1.525_273_382_983_612e-5,
            1.321_544_258_792_169e-6,
            1.017_806_244_584_577_4e-7,
            7.072_585_949_269_224e-9,
            4.454_960_598_186_518_5e-10,
        ];
        let limit = 1021.0 / rate;
        let x = if self < limit { self } else { limit };
        let shifted = x.mul_add(-rate, ROUND);
        let r = x.mul_add(-rate, ROUND - shifted);
        let (r2, r4) = (r * r, (r * r) * (r * r));
        let pair = |i: usize| r.mul_add(Q[i + 1], Q[i]);
        let (low, middle) = (r2.mul_add(pair(2), pair(0)), r2.mul_add(pair(6), pair(4)));
        let high = r2.mul_add(Q[10], pair(8));
        let p = r.mul_add(r4.mul_add(r4.mul_add(high, middle), low), 1.0);
        f64::from_bits(p.to_bits().wrapping_add(shifted.to_bits() << 52))
    }
}

impl Number for f32 {
    const EPSILON: f64 = f32::EPSILON as f64;

    #[inline(always)]
    fn rounded(x: f64) -> Self {
        x as f32
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self::abs(self)
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        f32::mul_add(self, factor, addend)
    }

    #[inline(always)]
    fn exp2_minus(self, rate: Self) -> Self {
        const ROUND: f32 = 12_582_912.0;
        // Remainder 5e-9.
        const Q: [f32; 6] = [
            std::f32::consts::LN_2,
            0.2402265,
            0.05550357,
            0.009618083,
            0.0013390863,
            0.00015453163,
        ];
        let limit = 125.0 / rate;
        let x = if self < limit { self } else { limit };
        let shifted = x.mul_add(-rate, ROUND);
        let r = x.mul_add(-rate, ROUND - shifted);
        let r2 = r * r;
        let pair = |i: usize| r.mul_add(Q[i + 1], Q[i]);
        let p = r.mul_add(r2.mul_add(r2.mul_add(pair(4), pair(2)), pair(0)), 1.0);
        f32::from_bits(p.to_bits().wrapping_add(shifted.to_bits() << 23))
    }
}

/// Runs `work` compiled for the vector instructions of this machine. The closure and all it
/// calls must be `#[inline(always)]`: only code inlined here is compiled anew.
#[inline(always)]
pub(crate) fn dispatch<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}

/// The sum of the lanes, always in the same order.
#[inline(always)]
pub(crate) fn sum(lanes: &Lanes) -> f64 {
    let [a, b, c, d, e, f, g, h] = *lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// Σ x_i y_i in lanes, in a fixed order.
pub(crate) fn dot<X: Copy + Into<f64>, Y: Copy + Into<f64>>(x: &[X], y: &[Y]) -> f64 {
    dispatch(
        #[inline(always)]
        || {
            let (x_lanes, x_rest) = x.as_chunks::<LANES>();
            let (y_lanes, y_rest) = y.as_chunks::<LANES>();
            let mut sums = [0.0; LANES];
            for (a, b) in x_lanes.iter().zip(y_lanes) {
                for lane in 0..LANES {
                    sums[lane] += a[lane].into() * b[lane].into();
                }
            }
            let rest = x_rest.iter().zip(y_rest);
            rest.fold(sum(&sums), |sum, (&a, &b)| sum + a.into() * b.into())
        },
    )
}

/// Whether Σ (x_i − y_i)² ≤ `limit`, added in lanes in a fixed order, and no further than it takes to know.
pub(crate) fn within(x: &[f64], y: &[f64], limit: f64) -> bool {
    /// Groups of lanes between two looks at the sum.
    const GROUPS: usize = 2;
    let (x_groups, x_rest) = x.as_chunks::<LANES>();
    let (y_groups, y_rest) = y.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (x, y) in x_groups.chunks(GROUPS).zip(y_groups.chunks(GROUPS)) {
        for (a, b) in x.iter().zip(y) {
            for lane in 0..LANES {
                sums[lane] += (a[lane] - b[lane]) * (a[lane] - b[lane]);
            }
        }
        if sum(&sums) > limit {
            return false;
        }
    }
    let rest = x_rest.iter().zip(y_rest);
    rest.fold(sum(&sums), |sum, (a, b)| sum + (a - b) * (a - b)) <= limit
}

/// The function applied to each lane.
#[inline(always)]
pub(crate) fn map<T: Copy, R: Copy + Default>(
    lanes: &[T; LANES],
    function: impl Fn(T) -> R,
) -> [R; LANES] {
    let mut result = [R::default(); LANES];
    for lane in 0..LANES {
        result[lane] = function(lanes[lane]);
    }
    result
}

/// Adding 1.5·2⁵² rounds to an integer and leaves it in the low mantissa bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// Below this eˣ underflows.
pub(crate) const LN_SMALLEST: f64 = -708.0;

/// eˣ to about one unit in the last place, without a branch; x is clamped to [−708, 709].
///
/// x = n ln 2 + r with |r| ≤ ½ ln 2; eʳ by its Taylor polynomial of degree 13 (remainder 4e-18), added
/// in groups of four independent terms; 2ⁿ straight into the exponent bits.
#[inline(always)]
pub(crate) fn exp(x: f64) -> f64 {
    const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

    // Comparisons that become single instructions, unlike `clamp`, which handles NaN.
    let x = if x > LN_SMALLEST { x } else { LN_SMALLEST };
    let x = if x < 709.0 { x } else { 709.0 };
    let shifted = x.mul_add(std::f64::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = n.mul_add(-LN_2_LOW, n.mul_add(-LN_2_HIGH, x));
    let r2 = r * r;
    let r4 = r2 * r2;
    let pair = |a: f64, b: f64| r.mul_add(1.0 / b, 1.0 / a);
    let low = r2.mul_add(pair(24.0, 120.0), pair(2.0, 6.0));
    let middle = r2.mul_add(pair(40_320.0, 362_880.0), pair(720.0, 5_040.0));
    let high = r2.mul_add(pair(479_001_600.0, 6_227_020_800.0), pair(3_628_800.0, 39_916_800.0));
    let p = 1.0 + r2.mul_add(r4.mul_add(r4.mul_add(high, middle), low), r);
    let power_of_two = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    p * power_of_two
}

/// eˣ, and zero where it underflows.
#[inline(always)]
pub(crate) fn exp_or_zero(x: f64) -> f64 {
    if x > LN_SMALLEST { exp(x) } else { 0.0 }
}

/// cos x for |x| < 10⁷ to about 1e-15, without a branch; the standard library beyond.
#[inline(always)]
pub(crate) fn cos(x: &Lanes) -> Lanes {
    if x.iter().any(|x| x.abs() > 1e7) { map(x, f64::cos) } else { map(x, |x| cos_sin(x)[0]) }
}

/// cos x and sin x for |x| < 10⁷: x = n π/2 + r with |r| ≤ π/4, then ±cos r and ±sin r, or the
/// other way round, by the quadrant n mod 4.
#[inline(always)]
pub(crate) fn cos_sin(x: f64) -> [f64; 2] {
    // π/2 in three parts, the first two with trailing zeros so that n times them is exact.
    const HALF_PI: [f64; 3] =
        [1.570_796_251_296_997, 7.549_789_415_861_596e-8, 5.390_302_529_957_765e-15];

    let shifted = x * std::f64::consts::FRAC_2_PI + ROUND;
    let n = shifted - ROUND;
    let r = ((x - n * HALF_PI[0]) - n * HALF_PI[1]) - n * HALF_PI[2];
    let s = r * r;
    let mut cosine = 1.0 / 20_922_789_888_000.0;
    for c in [
        -1.0 / 87_178_291_200.0,
        1.0 / 479_001_600.0,
        -1.0 / 3_628_800.0,
        1.0 / 40_320.0,
        -1.0 / 720.0,
        1.0 / 24.0,
        -0.5,
        1.0,
    ] {
        cosine = cosine * s + c;
    }
    let mut sine = 1.0 / 355_687_428_096_000.0;
    for c in [
        -1.0 / 1_307_674_368_000.0,
        1.0 / 6_227_020_800.0,
        -1.0 / 39_916_800.0,
        1.0 / 362_880.0,
        -1.0 / 5_040.0,
        1.0 / 120.0,
        -1.0 / 6.0,
        1.0,
    ] {
        sine = sine * s + c;
    }
    let sine = sine * r;
    let quadrant = shifted.to_bits() & 3;
    let [cosine, sine] = if quadrant & 1 == 0 { [cosine, sine] } else { [sine, cosine] };
    [
        if quadrant == 1 || quadrant == 2 { -cosine } else { cosine },
        if quadrant & 2 == 0 { sine } else { -sine },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_matches_the_standard_library() {
        let mut worst = 0.0_f64;
        for step in -70_700..=70_800 {
            let x = step as f64 * 0.01 + 1e-4;
            worst = worst.max((exp(x) / x.exp() - 1.0).abs());
        }
        assert!(worst < 5e-16, "relative error {worst}");
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(-1e9) < 1e-300);
        assert!(exp(1e9).is_finite());
    }

    #[test]
    fn powers_of_two_match_the_standard_library() {
        let mut worst = 0.0_f64;
        let mut worst_single = 0.0_f64;
        for step in 0..=102_000 {
            let x = f64::from(step) * 0.01 + 1e-4;
            worst = worst.max((x.exp2_minus(1.0) / (-x).exp2() - 1.0).abs());
            // The rate counts as it is, not rounded together with x.
            worst = worst.max((x.exp2_minus(0.5) / (-0.5 * x).exp2() - 1.0).abs());
            let x = 0.00122 * step as f32;
            worst_single = worst_single
                .max((f64::from(x.exp2_minus(1.0)) / (-f64::from(x)).exp2() - 1.0).abs());
        }
        assert!(worst < 5e-16, "relative error {worst}");
        assert!(worst_single < 2e-7, "relative error {worst_single}");
        assert_eq!((0.0_f64.exp2_minus(3.7), 0.0_f32.exp2_minus(3.7)), (1.0, 1.0));
        assert!((0.0..1e-300).contains(&1e9_f64.exp2_minus(1e9)));
        assert!((0.0..1e-37).contains(&1e9_f32.exp2_minus(1e9)));
    }

    #[test]
    fn cos_and_sin_match_the_standard_library() {
        let mut worst = 0.0_f64;
        for step in -100_000..100_000 {
            let x = step as f64 * 0.0371;
            worst = worst.max((cos(&[x; LANES])[0] - x.cos()).abs());
            worst = worst.max((cos_sin(x)[1] - x.sin()).abs());
        }
        assert!(worst < 5e-16, "error {worst}");
        for x in [9.9e6, -9.9e6, 1e12] {
            assert!((cos(&[x; LANES])[0] - x.cos()).abs() < 1e-9);
        }
    }

    #[test]
    fn within_is_the_comparison_of_the_whole_sum() {
        for length in [1, 7, 8, 23, 40] {
            let x: Vec<f64> = (0..length).map(|i| (i as f64).sin()).collect();
            let y: Vec<f64> = (0..length).map(|i| (i as f64 * 1.3).cos()).collect();
            let square: f64 = x.iter().zip(&y).map(|(x, y)| (x - y) * (x - y)).sum();
            assert!(within(&x, &y, square * (1.0 + 1e-12)));
            assert!(!within(&x, &y, square * (1.0 - 1e-12)));
            assert!(within(&x, &x, 0.0));
        }
    }

    #[test]
    fn dispatch_changes_no_bit() {
        let x: Lanes = std::array::from_fn(|lane| -3.7 * lane as f64 - 0.123);
        assert_eq!(
            dispatch(
                #[inline(always)]
                || map(&x, exp)
            ),
            map(&x, exp)
        );
    }
}
