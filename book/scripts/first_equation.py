"""A first equation: from a table to a law, and how sure one can be of it."""

import numpy as np
import pandas as pd

import eqlearn

# Periods of pendulums of many lengths and masses, measured with a stopwatch.
rng = np.random.default_rng(1)
length = rng.uniform(0.1, 2.0, size=60)
mass = rng.uniform(0.1, 1.0, size=60)
period = 2 * np.pi * np.sqrt(length / 9.81) + 0.005 * rng.normal(size=60)
table = pd.DataFrame({"length": length, "mass": mass, "period": period})

study = eqlearn.fit(table, target="period", terms="sqrt(length), sqrt(mass)", max_degree=3)

print(study.equation)
print(f"probability {study.probability:.3f}")
print(study.ranking.head())

assert study.terms == ["sqrt(length)"]
gravity = (2 * np.pi / study.coefficients["sqrt(length)"]) ** 2
print(f"g = {gravity:.2f} m/s²")
assert abs(gravity - 9.81) < 0.1
