"""PySINDy with the exact search in place of a threshold."""

import numpy as np
import pysindy as ps
from scipy.integrate import solve_ivp

import eqlearn


def lorenz(t, x):
    return [10 * (x[1] - x[0]), x[0] * (28 - x[2]) - x[1], x[0] * x[1] - 8 / 3 * x[2]]


t = np.linspace(0, 10, 2000)
x = solve_ivp(lorenz, (0, 10), [-8, 8, 27], t_eval=t, rtol=1e-10, atol=1e-10).y.T
x = x + 1e-2 * np.random.default_rng(0).normal(size=x.shape)

# One argument differs, and nothing is tuned by hand. The error of a finite difference is a function
# of the state, which an exact search can find: keep the time step small.
model = ps.SINDy(
    feature_library=ps.PolynomialLibrary(degree=3),
    differentiation_method=ps.FiniteDifference(order=4),
    optimizer=eqlearn.ComprehensiveSearch(),
)
model.fit(x, t=t, feature_names=["x", "y", "z"])
model.print()
assert np.count_nonzero(model.coefficients()) == 7

# The methods that you know have the same parameters and give the same numbers.
ours = ps.SINDy(optimizer=eqlearn.STLSQ(threshold=0.5)).fit(x, t=t)
theirs = ps.SINDy(optimizer=ps.STLSQ(threshold=0.5)).fit(x, t=t)
assert np.allclose(ours.coefficients(), theirs.coefficients(), rtol=1e-8)

# New here: the probability of each equation.
for study in model.optimizer.study_:
    print(
        f"{study.model.target}: probability {study.probability:.3f}, next best {study.equations[1]}"
    )

# For noisier records use the weak form instead of differences: see `eqlearn.discover`.
