"""Makes ../evidence/evidence.json: the paper's log evidence by two routes.

They share nothing with the library.

Run with Python 3.11 and mpmath 1.4: python evidence.py > ../evidence/evidence.json

Route 1, "density": given the prior the data follow a multivariate Student distribution with 2k
degrees of freedom, location K mu and scale (I + K K^T / s) / (k theta); its log density is taken
from N x N determinants in 60 digits. Route 2, "integral": the likelihood times the prior,
integrated numerically over the coefficient and the noise precision (one term only). Also the log
Bayes factors of the hyper-g and Zellner-Siow priors by numerical integration over g.
"""

import json
import math
import random

from mpmath import mp, mpf, matrix, det, lu_solve, log, loggamma, pi, sqrt

mp.dps = 60
SHAPE, SCALE = mpf(3), mpf(1) / 2


def standardised(column):
    n = len(column)
    mean = mp.fsum(column) / n
    centred = [value - mean for value in column]
    length = sqrt(mp.fsum(value**2 for value in centred) / n)
    return [value / length for value in centred]


def least_squares(columns, y):
    m, n = len(columns), len(y)
    gram = matrix(m, m)
    right = matrix(m, 1)
    for i in range(m):
        right[i] = mp.fsum(columns[i][r] * y[r] for r in range(n))
        for j in range(m):
            gram[i, j] = mp.fsum(columns[i][r] * columns[j][r] for r in range(n))
    return lu_solve(gram, right)


def density(columns, y):
    m, n = len(columns), len(y)
    w = least_squares(columns, y)
    residual = [y[r] - mp.fsum(columns[i][r] * w[i] for i in range(m)) for r in range(n)]
    rss = mp.fsum(value**2 for value in residual)
    s = (1 - mpf(m) / n) / rss
    scale = matrix(n, n)
    for a in range(n):
        for b in range(n):
            inner = mp.fsum(columns[i][a] * columns[i][b] for i in range(m)) / s
            scale[a, b] = ((1 if a == b else 0) + inner) / (SHAPE * SCALE)
    freedom = 2 * SHAPE
    solved = lu_solve(scale, matrix(residual))
    quadratic = mp.fsum(residual[r] * solved[r] for r in range(n))
    return (
        loggamma((freedom + n) / 2)
        - loggamma(freedom / 2)
        - mpf(n) / 2 * log(freedom * pi)
        - log(det(scale)) / 2
        - (freedom + n) / 2 * log(1 + quadratic / freedom)
    ), rss


def log_sum(logs):
    top = max(logs)
    return top + math.log(math.fsum(math.exp(value - top) for value in logs))


def integral(column, y):
    """Trapezoidal sums over the coefficient, in units of its width, and ln tau: all is analytic."""
    n = len(y)
    w = least_squares([column], y)[0]
    xx = float(mp.fsum(v**2 for v in column))
    rss = float(mp.fsum((y[r] - column[r] * w) ** 2 for r in range(n)))
    s = (1 - 1 / n) / rss
    step_u, step_t = 0.1, 0.02
    shape, scale = float(SHAPE), float(SCALE)
    logs = []
    for i in range(-900, 601):
        t = i * step_t
        tau = math.exp(t)
        width = 1 / math.sqrt(tau * (xx + s))
        gamma_part = (
            (shape - 1) * t - tau / scale - math.lgamma(shape) - shape * math.log(scale) + t
        )
        for j in range(-90, 91):
            d = j * step_u * width
            likelihood = n / 2 * math.log(tau / (2 * math.pi)) - tau / 2 * (rss + xx * d * d)
            prior = 0.5 * math.log(tau * s / (2 * math.pi)) - tau / 2 * s * d * d
            logs.append(likelihood + prior + math.log(width) + gamma_part)
    return log_sum(logs) + math.log(step_u * step_t)


def mixtures(n, m, rho, n_obs):
    """Trapezoidal sums over ln g, where both integrands are analytic and fall off on both sides."""
    step = 0.02
    grid = [i * step for i in range(-2500, 7501)]

    def factor(t):
        return (n - m) / 2 * math.log1p(math.exp(t)) - n / 2 * math.log1p(rho * math.exp(t))

    hyper = [t + factor(t) - 1.5 * math.log1p(math.exp(t)) - math.log(2) for t in grid]
    siow = [
        0.5 * math.log(n_obs / 2 / math.pi) + factor(t) - t / 2 - n_obs / 2 * math.exp(-t)
        for t in grid
    ]
    return log_sum(hyper) + math.log(step), log_sum(siow) + math.log(step)


def problem(seed, n, m, noise):
    dice = random.Random(seed)
    features = [[dice.gauss(3.0, 1.0) for _ in range(n)] for _ in range(m)]
    y = [
        sum((j + 1.5) * features[j][r] for j in range(m)) + noise * dice.gauss(0.0, 1.0)
        for r in range(n)
    ]
    exact = [standardised([mpf(v) for v in column]) for column in features]
    target = standardised([mpf(v) for v in y])
    value, rss = density(exact, target)
    rho = rss / n
    hyper, siow = mixtures(n - 1, m, float(rho), n)
    entry = {"features": features, "y": y, "log_evidence": float(value), "one_minus_r2": float(rho)}
    entry |= {"hyper_g": hyper, "zellner_siow": siow}
    if m == 1:
        entry["log_evidence_by_integration"] = integral(exact[0], target)
    return entry


cases = [
    (1, 8, 1, 1.0),
    (2, 12, 1, 0.1),
    (3, 12, 2, 0.5),
    (4, 20, 3, 0.01),
    (5, 20, 3, 5.0),
    (6, 15, 2, 1e-7),
    (7, 25, 4, 1e-7),
]
print(json.dumps([problem(*case) for case in cases], indent=1))
