"""The example data of the book: laws of physics with noise, made with fixed seeds.

`python make.py` writes every file that is not a record of facts (planets, pelts, norris), in its
own folder.
"""

import csv
import math
import random
from pathlib import Path

HERE = Path(__file__).parent


def write(name, header, rows):
    """Write a table; numbers keep the digits an instrument would show."""
    with (HERE / name).open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def drag():
    """The force on a square plate in a wind tunnel, and the friction of its bearing."""
    rng = random.Random(1)
    rows = []
    for _ in range(100):
        rho, v, d = rng.uniform(0.8, 1.4), rng.uniform(2, 30), rng.uniform(0.1, 0.5)
        force = 0.585 * rho * v**2 * d**2 + 0.04 * v + rng.gauss(0, 0.1)
        rows.append([f"{rho:.4f}", f"{v:.3f}", f"{d:.4f}", f"{force:.3f}"])
    write("drag.csv", ["rho", "v", "d", "force"], rows)


def braking():
    """Stopping distances: reaction time t and deceleration a give v t + v² / (2 a)."""
    rng = random.Random(2)
    rows = []
    for _ in range(40):
        v, load = rng.uniform(5, 40), rng.uniform(0, 400)
        distance = 0.8 * v + v**2 / (2 * 7.5) + rng.gauss(0, 1.0)
        rows.append([f"{v:.2f}", f"{load:.0f}", f"{distance:.2f}"])
    write("braking.csv", ["speed", "load", "distance"], rows)


def pendulum():
    """Periods of pendulums, with the first amplitude correction; one reading is missing."""
    rng = random.Random(3)
    rows = []
    for i in range(50):
        length, mass, angle = rng.uniform(0.2, 2), rng.uniform(0.05, 1), rng.uniform(0.05, 1.2)
        period = 2 * math.pi * math.sqrt(length / 9.81) * (1 + angle**2 / 16) + rng.gauss(0, 0.004)
        day = "monday" if i < 25 else "tuesday"
        rows.append([day, f"{length:.3f}", f"{mass:.3f}", f"{angle:.3f}", f"{period:.3f}"])
    rows[17][3] = ""
    write("pendulum.csv", ["day", "length", "mass", "angle", "period"], rows)


def resistor():
    """Voltages against currents, each the mean of a number of readings."""
    rng = random.Random(4)
    rows = []
    for i in range(20):
        current, readings = 0.05 * (i + 1), rng.choice([1, 1, 2, 4, 25])
        voltage = 4.7 * current + rng.gauss(0, 0.05 / math.sqrt(readings))
        rows.append([f"{current:.2f}", f"{voltage:.4f}", readings])
    write("resistor.csv", ["current", "voltage", "readings"], rows)


def gas():
    """The pressure of one mole, with the temperature written down twice."""
    rng = random.Random(5)
    rows = []
    for _ in range(40):
        kelvin, litres = round(rng.uniform(250, 400), 1), round(rng.uniform(10, 40), 2)
        pressure = 8.314 * kelvin / litres + rng.gauss(0, 0.3)
        rows.append([f"{kelvin:.1f}", f"{kelvin - 273.15:.2f}", f"{litres:.2f}", f"{pressure:.2f}"])
    write("gas.csv", ["kelvin", "celsius", "litres", "pressure"], rows)


def noise():
    """Two dice and a thermometer: nothing explains anything."""
    rng = random.Random(6)
    rows = [[rng.randint(1, 6), rng.randint(1, 6), f"{rng.gauss(20, 1):.2f}"] for _ in range(60)]
    write("dice.csv", ["first", "second", "temperature"], rows)


def spring():
    """The torque of a pendulum near its rest, where a sine is nearly a line."""
    rng = random.Random(7)
    rows = []
    for _ in range(40):
        angle = rng.uniform(0, 0.3)
        rows.append([f"{angle:.4f}", f"{2.0 * math.sin(angle) + rng.gauss(0, 0.01):.4f}"])
    write("torque.csv", ["angle", "torque"], rows)


def hall():
    """A voltage that is a product, with as much noise as signal."""
    rng = random.Random(8)
    rows = []
    for _ in range(60):
        field, current = rng.uniform(0, 1), rng.uniform(0, 1)
        voltage = 0.3 * field * current + 0.05 * current + rng.gauss(0, 0.1)
        rows.append([f"{field:.3f}", f"{current:.3f}", f"{voltage:.4f}"])
    write("hall.csv", ["field", "current", "voltage"], rows)


def wave():
    """A sine with an offset, sampled every 0.02."""
    rows = [[f"{0.02 * i:.2f}", f"{2 * math.sin(3 * 0.02 * i) + 0.5:.6f}"] for i in range(200)]
    write("wave.csv", ["x", "y"], rows)


def follow(f, start, step, rows, substeps=20):
    """Integrate dx/dt = f(x) by the classical Runge-Kutta method."""
    states, h = [list(start)], step / substeps
    x = list(start)
    for _ in range(rows - 1):
        for _ in range(substeps):
            k1 = f(x)
            k2 = f([a + 0.5 * h * b for a, b in zip(x, k1, strict=True)])
            k3 = f([a + 0.5 * h * b for a, b in zip(x, k2, strict=True)])
            k4 = f([a + h * b for a, b in zip(x, k3, strict=True)])
            x = [
                a + h / 6 * (p + 2 * q + 2 * r + s)
                for a, p, q, r, s in zip(x, k1, k2, k3, k4, strict=True)
            ]
        states.append(x)
    return states


def oscillator():
    """A van der Pol oscillator, read with noise."""
    rng = random.Random(9)
    states = follow(lambda x: [x[1], 1.5 * (1 - x[0] ** 2) * x[1] - x[0]], [2.0, 0.0], 0.05, 500)
    rows = [
        [f"{0.05 * i:.2f}", f"{x + rng.gauss(0, 0.02):.4f}", f"{y + rng.gauss(0, 0.02):.4f}"]
        for i, (x, y) in enumerate(states)
    ]
    write("oscillator.csv", ["t", "x", "y"], rows)


def swing():
    """The angle alone of a damped pendulum."""
    rng = random.Random(3)
    states = follow(lambda x: [x[1], -9.0 * math.sin(x[0]) - 0.3 * x[1]], [2.0, 0.0], 0.02, 500)
    rows = [
        [f"{0.02 * i:.2f}", f"{x + rng.gauss(0, 0.001):.5f}"] for i, (x, _) in enumerate(states)
    ]
    write("swing.csv", ["t", "x"], rows)


def logistic():
    """A population from year to year."""
    x, rows = 0.2, []
    rng = random.Random(11)
    for _ in range(80):
        rows.append([f"{x + rng.gauss(0, 1e-5):.6f}"])
        x = 3.7 * x * (1 - x)
    write("population.csv", ["n"], rows)


def enzyme():
    """An enzyme uses up its substrate, from three concentrations at the start."""
    rng = random.Random(7)
    rows = []
    for run, start in enumerate((2.0, 1.0, 0.5), 1):
        states = follow(lambda x: [-x[0] / (0.5 + x[0])], [start], 0.04, 100)
        for i, (s,) in enumerate(states):
            rows.append([run, f"{0.04 * i:.2f}", f"{s + rng.gauss(0, 0.01):.4f}"])
    write("enzyme.csv", ["run", "t", "S"], rows)


def wires():
    """How far wires of one material stretch, by their length: force times length over E A."""
    rng = random.Random(14)
    rows = []
    for wire, length in [("red", 0.5), ("blue", 0.8), ("green", 1.2), ("black", 2.0)]:
        for _ in range(15):
            force = rng.uniform(5, 60)
            stretch = 0.021 * force * length + rng.gauss(0, 0.01)
            rows.append([wire, f"{length:.1f}", f"{force:.2f}", f"{stretch:.3f}"])
    write("wires.csv", ["wire", "length", "force", "stretch"], rows)


for make in (
    drag,
    braking,
    pendulum,
    resistor,
    gas,
    noise,
    spring,
    hall,
    wave,
    oscillator,
    swing,
    logistic,
    enzyme,
    wires,
):
    make()
