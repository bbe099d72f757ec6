"""The same search on several processes, and the stability of a system, with joblib."""

import warnings

import joblib
import numpy as np

import eqlearn

warnings.simplefilter("ignore")
rng = np.random.default_rng(5)
X = rng.normal(size=(80, 120))
y = X[:, [7, 40, 99]] @ [1.0, -2.0, 0.5] + rng.normal(size=80)

learner = eqlearn.BestSubset(max_degree=1, max_terms=5)
alone = learner.fit(X, y).study_

# Two processes on this machine. For the workers of a cluster: backend="dask" after
# dask.distributed.Client("scheduler:8786"), or eqlearn.engine("ray"), eqlearn.engine("spark"),
# which also register these with joblib.
with joblib.parallel_config(backend="loky", n_jobs=2):
    together = learner.fit(X, y).study_
assert together.equation == alone.equation
print(together.equation)

# Trials are independent, so they are tasks too: two kinds of rows, four bootstrap samples each.
t = np.linspace(0, 20, 800)
record = np.stack([np.exp(-0.1 * t) * np.cos(t), np.exp(-0.1 * t) * np.sin(t)], axis=1)
with joblib.parallel_config(backend="loky", n_jobs=2):
    print(
        eqlearn.stability(
            record,
            time=t,
            states=["x", "y"],
            derivative=["weak", "savgol"],
            bootstrap=4,
            max_degree=3,
        )
    )
