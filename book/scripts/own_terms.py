"""Terms of your own, terms that must be in, and terms that must not."""

import numpy as np

import eqlearn

rng = np.random.default_rng(0)
t = rng.uniform(0, 10, size=200)
v = rng.uniform(1, 5, size=200)
y = 0.8 * v**2 + 3 * np.exp(-t / 2) * v + 0.02 * rng.normal(size=200)
table = {"t": t, "v": v, "y": y}

# A dictionary of monomials and of terms that you suspect.
study = eqlearn.fit(table, target="y", max_degree=2, terms="exp(-t/2), v*exp(-t/2), sin(t)")
print(study.equation)  # terms have one spelling each: -t/2 is -0.5*t
assert study.terms == ["v^2", "v*exp(-0.5*t)"]

# Only your own terms, one of them required.
study = eqlearn.fit(
    table,
    target="y",
    terms=["v", "v^2", "v*exp(-t/2)", "v*exp(-t)"],
    only_terms=True,
    require=["v^2"],
)
assert study.terms == ["v^2", "v*exp(-0.5*t)"]

# Without the true term, a warning says that something is missing.
study = eqlearn.fit(table, target="y", max_degree=2, exclude="v^2")
print(study.equation, study.warnings)
assert "v^2" not in study.terms

# The same in an estimator, for pipelines and grid searches.
model = eqlearn.ComprehensiveSearch(max_degree=2, terms="x1*exp(-x0/2)")
model.fit(np.column_stack([t, v]), y)
print(model.equations_)
assert model.study_.terms == ["x1^2", "x1*exp(-0.5*x0)"]
