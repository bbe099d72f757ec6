"""Draws the figures of the book that explain an idea: `python book/figures.py` writes them."""

import itertools
import math
import random
from pathlib import Path

HERE = Path(__file__).parent / "src"
WIDTH, PANEL, GAP, LEFT = 640, 130, 34, 16
STYLE = """\
text { font: 13px sans-serif; fill: #444; }
.true { fill: none; stroke: #2a78d6; stroke-width: 2; }
.samples { fill: #777; }
.test { fill: #2a78d6; fill-opacity: 0.12; stroke: #2a78d6; stroke-opacity: 0.6; }
.one { fill: #e07b39; fill-opacity: 0.35; stroke: #e07b39; }
.difference { fill: none; stroke: #c33; stroke-width: 1; }
.axis { stroke: #bbb; }
"""


def place(values, low, high, top):
    """Heights within a panel."""
    return [top + PANEL * (1 - (value - low) / (high - low)) for value in values]


def path(xs, ys, kind, *, closed=False):
    """A line through points."""
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys, strict=True))
    shape = "polygon" if closed else "polyline"
    return f'<{shape} class="{kind}" points="{points}"/>'


def bump(t, centre, half_width):
    """A test function: zero with its derivatives at both ends."""
    u = (t - centre) / half_width
    return (1 - u * u) ** 4 if abs(u) < 1 else 0.0


def weak_form():
    """A noisy record, its differences, and the test functions of the weak form."""
    rng = random.Random(7)
    count, step = 161, 0.05
    times = [i * step for i in range(count)]
    xs = [LEFT + (WIDTH - 2 * LEFT) * t / times[-1] for t in times]
    clean = [math.sin(2 * t) * math.exp(-0.12 * t) for t in times]
    noisy = [value + rng.gauss(0, 0.05) for value in clean]
    slope = [(b - a) / step for a, b in itertools.pairwise(noisy)]
    true_slope = [
        (2 * math.cos(2 * t) - 0.12 * math.sin(2 * t)) * math.exp(-0.12 * t) for t in times
    ]
    tops = [GAP + (PANEL + GAP) * i for i in range(3)]
    parts = [f'<text x="{LEFT}" y="{tops[0] - 10}">the record: x(t) with noise</text>']
    for x, y in zip(xs, place(noisy, -1.1, 1.1, tops[0]), strict=True):
        parts.append(f'<circle class="samples" cx="{x:.1f}" cy="{y:.1f}" r="1.8"/>')
    parts.append(path(xs, place(clean, -1.1, 1.1, tops[0]), "true"))

    parts.append(
        f'<text x="{LEFT}" y="{tops[1] - 10}">its derivative by differences (red): '
        "the noise divided by the time step</text>"
    )
    middle = [(a + b) / 2 for a, b in itertools.pairwise(xs)]
    parts.append(path(middle, place(slope, -5, 5, tops[1]), "difference"))
    parts.append(path(xs, place(true_slope, -5, 5, tops[1]), "true"))

    parts.append(
        f'<text x="{LEFT}" y="{tops[2] - 10}">the weak form: '
        "one row of the regression for each test function φ</text>"
    )
    half_width, base = 1.0, tops[2] + PANEL
    centres = [half_width + 0.5 * i for i in range(13)]
    for i, centre in enumerate(centres):
        inside = [j for j, t in enumerate(times) if abs(t - centre) <= half_width]
        ys = [base - 0.9 * PANEL * bump(times[j], centre, half_width) for j in inside]
        kind = "one" if i == 6 else "test"
        parts.append(path([xs[j] for j in inside], ys, kind, closed=True))
    parts.append(f'<line class="axis" x1="{LEFT}" x2="{WIDTH - LEFT}" y1="{base}" y2="{base}"/>')
    height = base + 12
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img" '
        'aria-label="A noisy record, its noisy differences, and overlapping test functions">'
    )
    return "\n".join([head, f"<style>\n{STYLE}</style>", *parts, "</svg>"]) + "\n"


FIGURES = {"weak-form.svg": weak_form}

if __name__ == "__main__":
    for name, draw in FIGURES.items():
        (HERE / name).write_text(draw())
