//! Eight numbers at a time: the unit in which kernels are evaluated.
//!
//! Plain arrays and loops that the compiler turns into vector instructions; [`dispatch`] runs them
//! compiled for the widest set the machine has. Additions and multiplications are never fused or
//! reordered, so the choice of instructions changes no bit.

/// Numbers handled together.
pub(crate) const LANES: usize = 8;

/// Eight numbers.
pub(crate) type Lanes = [f64; LANES];

/// Runs `work` compiled for the widest vector instructions of this machine. The closure and all it
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

/// The function applied to each lane.
#[inline(always)]
pub(crate) fn map(lanes: &Lanes, function: impl Fn(f64) -> f64) -> Lanes {
    let mut result = [0.0; LANES];
    for lane in 0..LANES {
        result[lane] = function(lanes[lane]);
    }
    result
}

/// Adding 1.5·2⁵² rounds to an integer and leaves it in the low mantissa bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// eˣ to about one unit in the last place, without a branch; x is clamped to [−708, 709].
///
/// x = n ln 2 + r with |r| ≤ ½ ln 2; eʳ by its Taylor polynomial of degree 13 (remainder 4e-18);
/// 2ⁿ straight into the exponent bits.
#[inline(always)]
pub(crate) fn exp(x: f64) -> f64 {
    const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

    // Comparisons that become single instructions, unlike `clamp`, which minds NaN.
    let x = if x > -708.0 { x } else { -708.0 };
    let x = if x < 709.0 { x } else { 709.0 };
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (x - n * LN_2_HIGH) - n * LN_2_LOW;
    let mut p = 1.0 / 6_227_020_800.0;
    for inverse_factorial in [
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ] {
        p = p * r + inverse_factorial;
    }
    let power_of_two = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    p * power_of_two
}

/// cos x for |x| < 10⁷ to about 1e-15, without a branch; the standard library beyond.
#[inline(always)]
pub(crate) fn cos(x: &Lanes) -> Lanes {
    if x.iter().any(|x| x.abs() > 1e7) { map(x, f64::cos) } else { map(x, reduced_cos) }
}

/// cos x: x = n π/2 + r with |r| ≤ π/4, then ±cos r or ±sin r by the quadrant n mod 4.
#[inline(always)]
fn reduced_cos(x: f64) -> f64 {
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
    let size = if quadrant & 1 == 0 { cosine } else { sine };
    if quadrant == 1 || quadrant == 2 { -size } else { size }
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
    fn cos_matches_the_standard_library() {
        let mut worst = 0.0_f64;
        for step in -100_000..100_000 {
            let x = step as f64 * 0.0371;
            worst = worst.max((cos(&[x; LANES])[0] - x.cos()).abs());
        }
        assert!(worst < 5e-16, "error {worst}");
        for x in [9.9e6, -9.9e6, 1e12] {
            assert!((cos(&[x; LANES])[0] - x.cos()).abs() < 1e-9);
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
