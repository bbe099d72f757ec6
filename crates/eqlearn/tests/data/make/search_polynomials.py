"""Golden residuals for the search: three of the paper's polynomials, scored in 60-digit arithmetic.

    python3 search_polynomials.py make > problems.json
    cargo run --release -p eqlearn --example golden_lists problems.json > lists.json
    python3 search_polynomials.py score problems.json lists.json > ../search_polynomials.json

The first makes random features and targets, with the numerics of the paper. It fixes doubles;
monomials are products of doubles, taken in the order in which the
test takes them. From these doubles on everything is done in 60 digits: residuals by modified
Gram-Schmidt, relative to the target's length, for *all* supports of one and two terms (the best 25
are stored) and for the supports of three to eight terms that the search listed. Made with Python 3
and mpmath 1.4.1.
"""

import itertools
import json
import random
import sys

from mpmath import mp, mpf

mp.dps = 60
Z = 1.959964
EXPONENTS = [e for e in itertools.product(range(5), repeat=3) if sum(e) <= 6]


def monomial(x, exponents):
    product = 1.0
    for value, exponent in zip(x, exponents):
        for _ in range(exponent):
            product *= value
    return product


def make():
    problems = []
    for seed, n_true, n_obs in [(1, 4, 95), (2, 3, 65), (3, 2, 20)]:
        rng = random.Random(seed)
        means = sorted(rng.uniform(-20, 20) for _ in range(3))
        d1, d2 = means[1] - means[0], means[2] - means[1]
        s2 = min(d1, d2) / (2 * Z)
        spreads = [d1 / Z - s2, s2, d2 / Z - s2]
        features = [[rng.gauss(m, s) for m, s in zip(means, spreads)] for _ in range(n_obs)]
        small = [e for e in EXPONENTS if max(e) <= 2 and 1 <= sum(e) <= 4]
        truth = rng.sample(small, n_true)
        weights = [rng.choice([-1, 1]) * rng.uniform(1, 4) for _ in truth]
        target = [
            sum(w * monomial(x, e) for w, e in zip(weights, truth)) + rng.gauss(0, 0.01)
            for x in features
        ]
        problems.append(
            {
                "features": features,
                "target": target,
                "truth": sorted(EXPONENTS.index(e) for e in truth),
            }
        )
    json.dump(problems, sys.stdout)


def residual(columns, target, tss, support):
    basis, y = [], target
    for j in support:
        v = columns[j]
        for q in basis:
            d = mp.fdot(q, v)
            v = [a - d * b for a, b in zip(v, q)]
        length = mp.sqrt(mp.fdot(v, v))
        basis.append([a / length for a in v])
        d = mp.fdot(basis[-1], y)
        y = [a - d * b for a, b in zip(y, basis[-1])]
    return mp.fdot(y, y) / tss


def score(problems, lists):
    golden = []
    for problem, listed in zip(problems, lists):
        columns = [[mpf(monomial(x, e)) for x in problem["features"]] for e in EXPONENTS]
        target = [mpf(x) for x in problem["target"]]
        tss = mp.fdot(target, target)
        sizes = []
        for size, supports in enumerate(listed, start=1):
            if size <= 2:
                supports = list(itertools.combinations(range(len(EXPONENTS)), size))
            scored = sorted((residual(columns, target, tss, s), list(s)) for s in supports)
            sizes.append([{"support": s, "one_minus_r2": mp.nstr(r, 20)} for r, s in scored[:25]])
        golden.append({**problem, "sizes": sizes})
    json.dump(golden, sys.stdout)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make()
    else:
        score(*(json.load(open(path)) for path in sys.argv[2:4]))
