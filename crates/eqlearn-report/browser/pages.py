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


def followed(slope, state, step, n):
    """The classical Runge-Kutta method: n states, a step apart. `slope` gets time and state."""
    states = [list(state)]
    for i in range(n - 1):
        t = step * i
        move = lambda k, h: [v + h * d for v, d in zip(state, k, strict=True)]
        k1 = slope(t, state)
        k2 = slope(t + step / 2, move(k1, step / 2))
        k3 = slope(t + step / 2, move(k2, step / 2))
        k4 = slope(t + step, move(k3, step))
        mean = [(a + 2 * b + 2 * c + d) / 6 for a, b, c, d in zip(k1, k2, k3, k4, strict=True)]
        state = move(mean, step)
        states.append(state)
    return [list(column) for column in zip(*states, strict=True)]


def noisy(rng, values, noise):
    return [v + noise * rng.gauss(0, 1) for v in values]


def motions(folder, rng):
    """Records: one of second order, one with an input, one of several runs."""
    t = [0.05 * i for i in range(400)]
    swing = lambda _, x: [x[1], -9.81 * math.sin(x[0]) - 0.2 * x[1]]
    theta, _ = followed(swing, [2.0, 0.0], 0.05, 400)
    write(folder / "pendulum.csv", {"t": t, "theta": noisy(rng, theta, 0.005)})

    push = lambda t: math.sin(0.7 * t) + (1.0 if math.sin(0.23 * t) > 0 else 0.0)
    driven = lambda t, x: [x[1], -2.0 * x[0] - 0.4 * x[1] + 1.5 * push(t)]
    x, v = followed(driven, [1.0, 0.0], 0.05, 600)
    time = [0.05 * i for i in range(600)]
    record = {"t": time, "x": noisy(rng, x, 0.01), "v": noisy(rng, v, 0.01)}
    write(folder / "driven.csv", {**record, "u": [push(t) for t in time]})

    # With so much noise states are fitted together with the coefficients.
    turn = lambda _, x: [-0.1 * x[0] - 2 * x[1], 2 * x[0] - 0.1 * x[1]]
    x, y = followed(turn, [2.0, 0.0], 0.05, 300)
    t = [round(0.05 * i, 6) for i in range(300)]
    write(folder / "noisy.csv", {"t": t, "x": noisy(rng, x, 0.15), "y": noisy(rng, y, 0.15)})

    chase = lambda _, x: [0.6 * x[0] - 0.03 * x[0] * x[1], 0.02 * x[0] * x[1] - 0.8 * x[1]]
    rows = {"year": [], "place": [], "hare": [], "lynx": []}
    for place, start in enumerate([(30, 4), (60, 10), (20, 30)]):
        hare, lynx = followed(chase, start, 0.1, 150)
        rows["year"] += [round(0.1 * i, 6) for i in range(150)]
        rows["place"] += [place + 1] * 150
        rows["hare"] += noisy(rng, hare, 0.2)
        rows["lynx"] += noisy(rng, lynx, 0.2)
    write(folder / "pelts.csv", rows)


def field(folder, rng):
    """Waves that travel and fade, u_t = -0.5 u_x + 0.05 u_xx, on a ring."""
    rows = {"t": [], "x": [], "u": []}
    waves = [(1, 1.0, 0.3), (2, 0.6, 1.1), (3, 0.4, 2.0), (5, 0.3, 0.7)]
    for i in range(60):
        for j in range(64):
            t, x = 0.08 * i, 2 * math.pi * j / 64
            u = sum(
                size * math.exp(-0.05 * k * k * t) * math.sin(k * (x - 0.5 * t) + phase)
                for k, size, phase in waves
            )
            for name, value in (("t", t), ("x", x), ("u", u + 0.01 * rng.gauss(0, 1))):
                rows[name].append(round(value, 8))
    write(folder / "field.csv", rows)


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

    # Powers alone cannot be this law.
    x, z = ([rng.uniform(0, 3) for _ in range(150)] for _ in range(2))
    wave = [math.sin(2.5 * a) * math.exp(-b) for a, b in zip(x, z, strict=True)]
    write(folder / "imitation.csv", {"x": x, "z": z, "y": noisy(rng, wave, 0.01)})

    # Headers with units, and a coefficient of a million.
    v, d = ([rng.uniform(1, 9) for _ in range(80)] for _ in range(2))
    force = [1.2e6 * a * a * b * (1 + 0.01 * rng.gauss(0, 1)) for a, b in zip(v, d, strict=True)]
    write(folder / "units.csv", {"v (m/s)": v, "d [m]": d, "force (N)": force})

    motions(folder, rng)
    field(folder, rng)


main()
