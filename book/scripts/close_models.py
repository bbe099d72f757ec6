"""Two equations that the data can hardly tell apart, and how to see it."""

import warnings

import matplotlib.pyplot as plt
import numpy as np

import eqlearn
from eqlearn import plots

rng = np.random.default_rng(3)
x = rng.uniform(0, 0.5, size=40)
y = np.sin(x) + 0.01 * rng.normal(size=40)

# On so short a range sin(x), tanh(x) and x are nearly the same.
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    study = eqlearn.fit({"x": x, "y": y}, target="y", terms="sin(x), tanh(x)", max_degree=3)

print(study.equation)
print(study.ranking[["terms", "probability"]].head())
for warning in seen:
    print("warning:", warning.message)

best, second = study.ranking.probability[:2]
assert best < 0.9, "no honest judge would be sure"

# Try other criteria. Where they disagree, measure over a wider range.
for criterion in ("residual", "bic", "evidence"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = eqlearn.fit(
            {"x": x, "y": y}, target="y", terms="sin(x), tanh(x)", max_degree=3, criterion=criterion
        )
    print(criterion, other.terms, other.probability)

wide = rng.uniform(0, 6, size=40)
sure = eqlearn.fit(
    {"x": wide, "y": np.sin(wide) + 0.01 * rng.normal(size=40)},
    target="y",
    terms="sin(x), tanh(x)",
    max_degree=3,
)
assert sure.terms == ["sin(x)"]
assert sure.probability > 0.95

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4))
plots.ranking(study, left)
plots.term_map(study, right)
figure.tight_layout()
figure.savefig("close_models.png")
