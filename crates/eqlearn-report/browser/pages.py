"""Data for the pages that the browser tests open. Usage: pages.py FOLDER"""

import csv
import math
import pathlib
import random
import sys


def write(path, columns):
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(columns)
        out.writerows(zip(*columns.values(), strict=True))


def normal(rng, n):
    return [rng.gauss(0, 1) for _ in range(n)]


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(1)

    x1, x2, x3 = (normal(rng, 95) for _ in range(3))
    law = [
        2 * a * a * c - 3 * b + 0.05 * e
        for a, b, c, e in zip(x1, x2, x3, normal(rng, 95), strict=True)
    ]
    write(folder / "law.csv", {"x1": x1, "x2": x2, "x3": x3, "y": law})

    # Two nearly collinear columns: the data cannot tell which one is the cause.
    x = normal(rng, 60)
    twin = [v + 0.02 * e for v, e in zip(x, normal(rng, 60), strict=True)]
    y = [v + 0.5 * e for v, e in zip(x, normal(rng, 60), strict=True)]
    write(folder / "ambiguous.csv", {"x": x, "twin": twin, "y": y})

    write(folder / "noise.csv", {name: normal(rng, 80) for name in ("a", "b", "y")})

    wide = {f"v{k}": normal(rng, 700) for k in range(500)}
    wide["y"] = [3 * wide["v7"][i] - 2 * wide["v42"][i] + 0.1 * rng.gauss(0, 1) for i in range(700)]
    write(folder / "wide.csv", wide)

    t = [0.01 * i for i in range(100_000)]
    long = [2 * math.sin(v) + 0.3 * v + 0.1 * rng.gauss(0, 1) for v in t]
    write(folder / "long.csv", {"t": t, "y": long})


main()
