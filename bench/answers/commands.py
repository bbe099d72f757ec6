"""The commands whose answers are compared, one per line, in the words that a user would type.

`&&` separates steps of one case, `< FILE` is standard input, and a line that starts with `&&` or a
blank continues the one before. A case runs in an empty folder in which `data` holds the files of
data.py. Without --json or another output, the text that is printed is compared.
"""

from __future__ import annotations

import re

TABLE = "data/table.csv --target y --features a,b,c"
SMALL = f"{TABLE} --max-degree 3"
TINY = f"{TABLE} --max-degree 2"

FORMATS = [
    "table.csv",
    "table.tsv",
    "table.jsonl",
    "table.csv.gz",
    "table.csv.zst",
    "table.tsv.gz",
    "table.tsv.zst",
    "table.jsonl.gz",
    "table.jsonl.zst",
    "table.parquet",
    "table.arrow",
    "table.feather",
    "table.npz",
    "semicolons.csv",
]

READING = f"""
fit data/table.npy --target x5 --features x1,x2,x3 --max-degree 3 --json
fit data/no-header.csv --target x5 --features x1,x2,x3 --max-degree 3 --json
fit data/named.npy --target f --max-degree 3 --json
fit data/mixed.parquet --target y --max-degree 3 --json
fit data/spaces.csv --target y --max-degree 2 --json
fit - --target y --features a,b,c --max-degree 3 --json < data/table.csv
fit - --format tsv --target y --features a,b,c --max-degree 3 --json < data/table.tsv
fit data/parts --target y --features a,b,c --max-degree 3 --json
fit data/parts/part-0.csv data/parts/part-2.csv --target y --features a,b,c --max-degree 3 --json
fit data/holes.csv --target y --missing drop --max-degree 3 --json
fit data/wave.csv --target y --differentiate x --order 2 --max-degree 2 --json
fit data/wave.csv --target y --differentiate x --max-degree 2 --json
fit {SMALL} --config settings.toml --json
fit {SMALL} --config settings.toml --max-terms 2 --json
"""

# What the settings file holds: a flag of every kind.
SETTINGS = """max-terms = 4
keep = 7
exclude = ["a", "b"]
criterion = "bic"
quiet = true
terms = "sin(a), exp(-b)"
"""

METHODS = [
    "best",
    "best-subset --max-terms 4",
    "cs-r2",
    "cs-evidence",
    "bsr",
    "ols",
    "ridge",
    "lasso",
    "lars",
    "stlsq",
    "sr3",
    "frols",
    "ssr",
    "miosr --sparsity 4",
    "ensemble",
]

KNOBS = [
    "cs-r2 --prune off",
    "cs-evidence --prune off --max-terms 4",
    "cs-r2 --require a --exclude b --keep 40",
    "cs-evidence --constant free",
    "bsr --require a --exclude b",
    "bsr --constant free",
    "bsr --constant none",
    "best --constant forced",
    "best --constant none",
    "best --require a --exclude b --exclude c^2",
    "best --max-terms 2 --keep 3",
    "best --threads 1",
    "best --weights w",
    "best-subset --max-terms 3 --keep 60 --weights w",
    "ols --constant none",
    "ridge --alpha 0.5",
    "ridge --cv 4 --points 5 --refinements 2",
    "ridge --cv 0 --refit",
    "lasso --alpha 0.02 --tol 1e-6 --max-iter 500",
    "lasso --cv 3 --rule one-se",
    "lasso --alpha 0.02 --weights w --constant free",
    "lars --alpha 0.05",
    "lars --max-iter 5",
    "lars --rule one-se --refit",
    "stlsq --threshold 0.3 --alpha 0.1 --max-iter 7 --normalize",
    "stlsq --threshold 0.3 --refit",
    "stlsq --rule one-se --points 6 --refinements 1",
    "stlsq --cv 0 --constant none",
    "sr3 --lambda 0.1 --nu 0.5 --regulariser l0",
    "sr3 --lambda 0.1 --nu 0.5 --regulariser l1 --tol 1e-8 --max-iter 200",
    "sr3 --lambda 0.1 --regulariser l2 --normalize",
    "frols --sparsity 3 --variant pysindy --alpha 0.01",
    "frols --sparsity 5 --cv 4 --normalize",
    "ssr --variant pysindy --alpha 0.01 --max-iter 9",
    "ssr --variant textbook --normalize --rule one-se",
    "miosr --sparsity 3 --alpha 0.2 --normalize",
    "miosr --sparsity 4 --cv 3",
    "ensemble --base lasso --alpha 0.05 --models 12 --seed 3",
    "ensemble --base sr3 --lambda 0.1 --models 8 --drop-terms 2",
    "ensemble --base stlsq --threshold 0.2 --models 10 --seed 99",
]

CRITERIA = [
    "residual",
    "evidence",
    "bic",
    "ebic",
    "aic",
    "aicc",
    "adjusted-r2",
    "unit-information",
    "hyper-g",
    "zellner-siow",
]

TERMS = f"""
fit {TABLE} --max-degree 2 --terms "sin(a), exp(-b/2), abs(c), a^2*b" --json
fit {TABLE} --terms "a^2*b, c, tanh(a), 1" --only-terms --json
fit {TABLE} --terms "a^2*b, c, sign(a)" --only-terms --constant forced --json
fit {TABLE} --max-power 2 --max-degree 4 --json
fit {SMALL} --size-prior uniform-sizes --json
fit {SMALL} --criterion hyper-g --size-prior uniform-sizes --constant forced --json
fit data/few.csv --target y --features a,b,c --max-degree 4 --json
fit data/few.csv --target y --features a,b,c --method cs-evidence --json
fit data/noise.csv --target y --json
fit data/noise.csv --target y
fit data/proportional.csv --target y --max-degree 2 --json
fit data/wave.csv --target y --terms "sin(2*x), cos(2*x)" --max-degree 3 --json
"""

PAGES = f"""
fit {SMALL}
fit {SMALL} -v --method best-subset --max-terms 3 --color always
discover data/turn.csv --time t --max-degree 2 -v
fit {SMALL} --method cs-r2
fit {SMALL} --method bsr -q
fit {SMALL} --method lasso
fit {SMALL} --method ensemble
fit {SMALL} --method frols
fit {SMALL} --latex
fit data/spaces.csv --target y --max-degree 2 --latex
fit {SMALL} --report page.html
fit {SMALL} --method stlsq --report page.html -q
compare {TINY} --report page.html -q
discover data/turn.csv --time t --max-degree 2 --report page.html -q
discover data/turn.csv --time t --max-degree 2
discover data/turn-noisy.csv --time t --max-degree 3 -q
discover data/lorenz-short.csv --time t --max-degree 2 --latex
discover data/swing.csv --time t --max-degree 2 --terms "sin(x), sign(v)" --code python
discover data/swing.csv --time t --max-degree 2 --terms "sin(x), sign(v)" --code julia
discover data/swing.csv --time t --max-degree 2 --terms "sin(x), sign(v)" --code rust
discover data/swing.csv --time t --method ols --derivative central4 --only-terms
  --terms "v, sin(x), sign(v), sqrt(3+x), 2^x, (4+x)^-1.5" --code python
discover data/swing.csv --time t --method ols --derivative central4 --only-terms
  --terms "v, sin(x), sign(v), sqrt(3+x), 2^x, (4+x)^-1.5" --code julia
discover data/swing.csv --time t --method ols --derivative central4 --only-terms
  --terms "v, sin(x), sign(v), sqrt(3+x), 2^x, (4+x)^-1.5" --code rust
compare {TINY}
"""

FILES = f"""
fit {SMALL} --save m.json --json && predict m.json data/new.csv
fit {SMALL} --method lasso --alpha 0.05 --save m.json && predict m.json data/new.csv
fit {SMALL} --method ensemble --save m.json -q && predict m.json data/new.csv --out p.csv
fit {SMALL} --method miosr --sparsity 3 --save m.json -q && predict m.json data/table.parquet
fit data/wave.csv --target y --differentiate x --order 2 --max-degree 2 --save m.json -q
fit data/spaces.csv --target y --max-degree 2 --save m.json -q && predict m.json data/spaces.csv
discover data/turn.csv --time t --max-degree 2 --save s.json -q
&& simulate s.json --from x=1,y=2 --until 5 --step 0.05
discover data/swing.csv --time t --max-degree 2 --terms "sin(x)" --save s.json -q
&& simulate s.json --from x=1,v=0 --until 9 --step 0.1 --tolerance 1e-10 --out run.csv
discover data/pendulum.csv --time t --order 2 --max-degree 2 --terms "sin(x)" --save s.json -q
&& simulate s.json --from x=2,dx=0 --until 4 --step 0.02 --out run.parquet
&& fit run.parquet --target x --features t --method ols --max-power 1 --json
discover data/henon.csv --discrete --max-degree 2 --save s.json -q
&& simulate s.json --from x=0.1,y=0.1 --until 20 --step 1
discover data/runaway.csv --time t --max-degree 3 --save s.json -q
&& simulate s.json --from x=1 --until 2 --step 0.1
reduce {SMALL} --out all.tri
&& fit all.tri --json
&& fit all.tri --method cs-evidence --json
&& fit all.tri --method bsr
reduce data/parts --target y --features a,b,c --max-degree 3 --out parts.tri -q
&& fit parts.tri --json
reduce {SMALL} --weights w --constant none --out w.tri -q && fit w.tri --json --save m.json
reduce data/parts/part-0.csv --target y --features a,b,c --max-degree 2 --out 0.tri
&& reduce data/parts/part-1.csv --target y --features a,b,c --max-degree 2 --out 1.tri
&& fit 0.tri 1.tri --json
&& fit 1.tri 0.tri --method lasso --alpha 0.05 --json
fit {SMALL} --shard 1/3 --save-part 1.json
&& fit {SMALL} --shard 2/3 --save-part 2.json -q
&& fit {SMALL} --shard 3/3 --save-part 3.json --known 1.json -q
&& merge 3.json 1.json 2.json --json
&& merge 1.json 2.json 3.json --report page.html -q --save m.json
fit {SMALL} --method best-subset --max-terms 4 --shard 1/2 --save-part 1.json -q
&& fit {SMALL} --method best-subset --max-terms 4 --shard 2/2 --save-part 2.json -q
&& merge 1.json 2.json
&& merge 1.json 2.json --latex
fit {SMALL} --method best-subset --max-terms 4 --checkpoint half.json --json
&& fit {SMALL} --method best-subset --max-terms 4 --checkpoint half.json --json
fit {SMALL} --method cs-r2 --checkpoint half.json --json
&& fit {SMALL} --method cs-r2 --checkpoint half.json --json
fit {SMALL} --method cs-evidence --prune off --checkpoint half.json --json
demo
"""

SCHEMES = [
    "auto",
    "weak",
    "forward",
    "trapezoid",
    "central2",
    "central4",
    "central6",
    "central8",
    "pade4",
    "pade6",
    "pade10",
    "savgol",
    "spline",
]

DISCOVER_METHODS = [
    "cs-r2",
    "cs-evidence",
    "bsr",
    "best-subset --max-terms 3",
    "ols",
    "ridge --alpha 0.01",
    "lasso --alpha 0.01",
    "lars --alpha 0.01",
    "stlsq --threshold 0.05",
    "sr3 --lambda 0.05",
    "frols --sparsity 3",
    "ssr",
    "miosr --sparsity 3",
    "ensemble --models 8",
]

DISCOVER = """
discover data/lorenz.csv --time t --max-degree 3 --json
discover data/lorenz.csv --time t --max-degree 2 --method stlsq --threshold 0.1 --json
discover data/lorenz.csv --time t --max-degree 2 --method cs-evidence --derivative central4 --json
discover data/lorenz.csv --time t --method lars --alpha 0.001 --json
discover data/lorenz-noisy.csv --time t --max-degree 2 --json --save s.json
discover data/lorenz-noisy.csv --time t --max-degree 2 --half-width 0.3 --json
discover data/lorenz-short.csv --time t --max-degree 2 --refine --json
discover data/turn-noisy.csv --time t --max-degree 2 --refine --derivative forward --json
discover data/turn.csv data/turn-2.csv --time t --max-degree 2 --json
discover data/turns.csv --time t --trajectory run --max-degree 2 --json
discover data/turn-no-time.csv --dt 0.02 --max-degree 2 --json
discover data/turn.parquet --time t --states x,y --max-degree 2 --json
discover data/turn-uneven.csv --time t --max-degree 2 --json
discover data/turn-uneven.csv --time t --max-degree 2 --derivative spline --json
discover data/turn-gap.csv --time t --max-degree 2 --json
discover data/pendulum.csv --time t --order 2 --max-degree 2 --terms "sin(x), cos(x)" --json
discover data/henon.csv --discrete --max-degree 3 --json
discover data/forced.csv --time t --states x --inputs u --max-degree 2 --json
discover data/driven.csv --time t --time-as-feature --max-degree 2 --json
discover data/turn.csv --time t --max-degree 2 --criterion bic --size-prior uniform-sizes --json
discover data/turn.csv --time t --max-degree 2 --constant forced --require x --exclude x^2 --json
discover data/turn.csv --time t --max-degree 2 --constant none --max-terms 2 --keep 4 --json
discover data/turn.csv --time t --max-degree 2 --threads 1 --json
"""

COMPARE = f"""
compare {TINY} --json
compare {TINY} --methods best,lasso,stlsq,bsr --cv 3 --rule one-se --json --plot-data plot.csv
compare data/few.csv --target y --weights w --max-degree 2 --methods best,cs-r2,cs-evidence --json
compare data/turn.csv --time t --max-degree 2 --json
compare data/turn.csv data/turn-2.csv --time t --max-degree 2 --methods best,stlsq,miosr --json
compare data/henon.csv --discrete --max-degree 2 --methods best,frols --json
"""

WRONG = f"""
fit data/table.csv
fit data/table.csv --target z
fit data/nowhere.csv --target y
fit data/empty.csv --target y
fit data/header-only.csv --target y
fit data/ragged.csv --target y
fit data/holes.csv --target y
fit data/no-table.parquet --target y
fit data/constant.csv --target y --max-degree 2
fit data/table.csv --target y --features a,y
fit data/table.csv --target y --terms "sin(q)"
fit data/table.csv --target y --terms "sin(a" --json
fit data/table.csv --target y --terms "foo(a)"
fit data/table.csv --target y --require q
fit data/table.csv --target y --max-power 40 --max-degree 40
fit data/table.csv --target y --method magic
fit {SMALL} --method ols --exclude a
fit {SMALL} --method best --alpha 0.1
fit {SMALL} --method lasso --threshold 0.1
fit {SMALL} --method lasso --alpha 0.1 --cv 5
fit {SMALL} --method lasso --alpha -1
fit {SMALL} --method stlsq --cv 1
fit {SMALL} --method stlsq --shard 1/2 --save-part p.json
fit {SMALL} --shard 3/2 --save-part p.json
fit {SMALL} --shard 1/2
fit {SMALL} --config data/other.json
fit {SMALL} --method lasso --checkpoint half.json
fit {SMALL} --max-terms 0
fit {SMALL} --max-terms 1 --require a --require b
fit {SMALL} --require a --exclude a
fit {SMALL} --format magic
fit data/table.csv data/parts --target y --differentiate a
discover data/turn.csv
discover data/turn.csv --time s
discover data/turn.csv --time t --derivative magic
discover data/turn.csv --time t --features x
discover data/turn.csv --time t --cv 5
discover data/turn.csv --time t --checkpoint half.json
discover data/turn.csv --time t --order 2 --refine
discover data/pendulum.csv --time t --order 2 --derivative forward
discover data/turn-uneven.csv --time t --derivative pade10
discover data/turn-back.csv --time t
discover data/turn-no-time.csv --dt 0
compare data/table.csv
compare data/table.csv --target y --methods best,ols --alpha 0.1
predict data/other.json data/new.csv
predict data/nowhere.json data/new.csv
simulate data/other.json --from x=1 --until 1 --step 0.1
merge data/other.json
reduce data/table.csv --out t.tri
reduce data/table.csv --target z --out t.tri
"""


def commands() -> list[str]:
    """All commands, in order."""
    asked = "--target y --features a,b,c --max-degree 3 --json"
    made = [f"fit data/{name} {asked}" for name in FORMATS]
    made += _lines(READING)
    made += [f"fit {SMALL} --method {method} --json" for method in METHODS]
    made += [f"fit {SMALL} --method {knobs} --json" for knobs in KNOBS]
    made += [f"fit {SMALL} --criterion {criterion} --json" for criterion in CRITERIA]
    made += _lines(TERMS)
    turn = "discover data/turn.csv --time t --max-degree 2"
    made += [f"{turn} --derivative {scheme} --json" for scheme in SCHEMES]
    noisy = "discover data/turn-noisy.csv --time t --max-degree 2"
    made += [f"{noisy} --method {method} --json" for method in DISCOVER_METHODS]
    made += _lines(DISCOVER) + _lines(COMPARE) + _lines(FILES) + _lines(PAGES) + _lines(WRONG)
    return made


def _lines(text: str) -> list[str]:
    joined = re.sub(r"\n(?=&&|  )", " ", text)
    return [" ".join(line.split()) for line in joined.splitlines() if line]
