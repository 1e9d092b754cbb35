"""High-precision reference values of the SDO kernel's radial profile.

    g(rho) = (1/Z) int_0^inf s^(d-1)/(1+s^(2m)) Lambda_d(s rho) ds,   v = rho^2/d

Two independent routes, both in multiprecision arithmetic:

* `bessel_sum`: partial fractions of 1/(1+s^(2m)) turn the integral into a finite sum of
  K Bessel functions. Exact, but at small rho the terms cancel almost completely, so the
  working precision is raised by the number of digits that cancel.
* `quadrature`: Gauss-Legendre in u = ln s, with Lambda_d from its hypergeometric series.
  No cancellation between terms; used where the sum would need thousands of digits.

The autoconvolution column is int s^(d-1)/(1+s^(2m))^2 Lambda_d ds, normalised to 1 at 0.

Usage:  python sdo_reference.py > sdo_reference.csv        (needs mpmath)
"""

import sys

from mpmath import mp, mpf

DIMENSIONS = [1, 2, 3, 5, 10, 27, 100, 400, 1555]
ARGUMENTS = ["1e-6", "1e-4", "0.01", "0.1", "0.5", "1", "2.5", "6", "11", "25", "60", "110", "200", "400"]


def order_of(d):
    return d // 2 + 1


def bessel_k(nu, z):
    """K_nu(z); for half-integer nu its finite sum, which mpmath does not exploit."""
    n = nu - mpf(1) / 2
    if n != int(n) or n < 0:
        return mp.besselk(nu, z)
    n = int(n)
    with mp.workdps(mp.dps + n // 2):  # the terms exceed their sum near the imaginary axis
        term = mp.mpc(1)
        total = mp.mpc(1)
        for k in range(1, n + 1):
            term *= (n + k) * (n - k + 1) / (k * 2 * z)
            total += term
        return mp.sqrt(mp.pi / (2 * z)) * mp.exp(-z) * total


def bessel_sum(d, v):
    """(g, autoconvolution) from the sum over the roots of 1 + s^(2m)."""
    mp.dps = 60
    nu = mpf(d) / 2 - 1
    m = order_of(d)
    rho = mp.sqrt(mpf(v) * d)
    lost = 2 * (mp.loggamma(abs(nu) + 1) + abs(nu) * mp.log(2 / rho)) / mp.log(10)
    lost += mpf(v) / 2  # below rho = nu also e^(rho^2/2nu)
    mp.dps = int(60 + max(0, lost))
    nu = mpf(d) / 2 - 1
    rho = mp.sqrt(mpf(v) * d)
    total = mpf(0)
    derivative = mpf(0)
    for j in range(1, m + 1):
        if 2 * j - 1 - m > 0:
            continue  # the conjugate partner is counted twice
        theta = mp.pi * (2 * j - 1 - m) / (2 * m)
        weight = 1 if 2 * j - 1 - m == 0 else 2
        kappa = mp.expj(theta)
        total += weight * mp.re(kappa ** (nu + 2) * bessel_k(nu, kappa * rho))
        derivative -= weight * mp.re(kappa ** (nu + 3) * bessel_k(nu + 1, kappa * rho))
    z = (mp.pi / (2 * m)) / mp.sin(mp.pi * d / (2 * m))
    front = mp.gamma(mpf(d) / 2) * 2**nu * rho ** (-nu) / (z * m)
    value = front * total
    slope = front * derivative
    return value, value - rho * slope / (2 * m - d)


def quadrature(d, v):
    """(g, autoconvolution) by direct integration in u = ln s (large d only)."""
    mp.dps = 60
    m = order_of(d)
    rho = mp.sqrt(mpf(v) * d)
    half = mpf(d) / 2
    last = mp.log(8 * mp.sqrt(2 * d / mpf(v)) / mp.sqrt(d)) if v < 20 else mpf(0)
    width = mpf(120) / d
    points = [-width * k / 12 for k in range(12, 0, -1)] + [width * k / 12 for k in range(13)]
    stop = max(last, width) + mpf(1) / 2
    while points[-1] < stop:
        points.append(points[-1] + mpf(1) / 8)
    nodes = gauss_legendre(40)

    cache = []
    for a, b in zip(points, points[1:]):
        for x, w in nodes:
            u = (a + b) / 2 + (b - a) / 2 * x
            s = mp.exp(u)
            lam = mp.hyp0f1(half, -((s * rho) ** 2) / 4)
            p = 1 / (1 + s ** (2 * m))
            cache.append((w * (b - a) / 2 * s**d * p, p, lam))
    z = (mp.pi / (2 * m)) / mp.sin(mp.pi * d / (2 * m))
    # int s^(d-1)/(1+s^(2m))^2 ds = (1 - d/2m) Z
    value = sum(w * lam for w, p, lam in cache) / z
    auto = sum(w * p * lam for w, p, lam in cache) / (z * (1 - mpf(d) / (2 * m)))
    return value, auto


def gauss_legendre(n):
    nodes = []
    for i in range(n):
        x = mp.cos(mp.pi * (i + mpf(3) / 4) / (n + mpf(1) / 2))
        for _ in range(8):
            p0, p1 = mpf(1), x
            for k in range(2, n + 1):
                p0, p1 = p1, ((2 * k - 1) * x * p1 - (k - 1) * p0) / k
            dp = n * (x * p1 - p0) / (x * x - 1)
            x -= p1 / dp
        nodes.append((x, 2 / ((1 - x * x) * dp * dp)))
    return nodes


def self_check():
    """The two routes agree, and dimension one is exp(-rho)."""
    for d, v in [(27, mpf(6)), (100, mpf(1)), (100, mpf(25)), (1555, mpf(110))]:
        a, b = bessel_sum(d, v), quadrature(d, v)
        for x, y in zip(a, b):
            error = abs(x / y - 1)
            print(f"# self-check d={d} v={v}: {mp.nstr(error, 3)}", file=sys.stderr)
            assert error < mpf(10) ** -20
    assert abs(bessel_sum(1, mpf(2))[0] - mp.exp(-mp.sqrt(mpf(2)))) < mpf(10) ** -30


def main():
    self_check()
    print("dimension,v,value,autoconvolution")
    for d in DIMENSIONS:
        for text in ARGUMENTS:
            v = mpf(float(text))
            use_quadrature = d > 300 and v < 100
            value, auto = (quadrature if use_quadrature else bessel_sum)(d, v)
            print(f"{d},{text},{mp.nstr(value, 17)},{mp.nstr(auto, 17)}")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
