"""The Lorenz system from a noisy record, simulated and drawn."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.integrate import solve_ivp

import eqlearn
from eqlearn import plots


def lorenz(t, x):
    return [10 * (x[1] - x[0]), x[0] * (28 - x[2]) - x[1], x[0] * x[1] - 8 / 3 * x[2]]


t = np.linspace(0, 8, 1600)
truth = solve_ivp(lorenz, (0, 8), [-8, 8, 27], t_eval=t, rtol=1e-10, atol=1e-10).y.T
record = truth + 0.2 * np.random.default_rng(0).normal(size=truth.shape)

found = eqlearn.discover(record, time=t, states=["x", "y", "z"], max_degree=3)
for equation in found.equations:
    print(equation)
print(found.document["discovery"]["why"])

system = found.system
assert [model.terms for model in system.equations] == [["x", "y"], ["x", "y", "x*z"], ["z", "x*y"]]

# Any integrator can call it.
future = solve_ivp(system, (0, 2), record[0], rtol=1e-8, atol=1e-8)
assert future.success
print(system.to_sympy())

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
noise = found.document["discovery"]["noise"]
plots.forecast_fan(
    system, record[0], t[:600], left, spread=noise, record=(t[:600], record[:600, 0])
)
plots.phase_portrait(system, right, x=(-20, 20), y=(-25, 25), others={"z": 25.0})
figure.savefig("lorenz.png")
