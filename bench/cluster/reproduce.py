"""The paper's experiments on the workers of an engine: each runs one shard of the scenarios.

Usage: reproduce.py [--engine loky] [--shards 8] [--command eqlearn] [--out DIR] polynomials --quick

All workers must see the output folder. Other arguments are passed on to `eqlearn reproduce`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

import joblib

import eqlearn


def run_shard(command: list[str], number: int, shards: int) -> str:
    """Run one shard with the command of the worker."""
    asked = [*command, "--shard", f"{number}/{shards}", "--threads", "1", "--quiet"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", default="loky")
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument(
        "--command", default="eqlearn", help="the eqlearn command, as workers find it"
    )
    parser.add_argument("--out", default="reproduction")
    flags, rest = parser.parse_known_args()
    command = [flags.command, "reproduce", *rest, "--out", flags.out]
    with eqlearn.engine(flags.engine):
        numbers = range(1, flags.shards + 1)
        tasks = (joblib.delayed(run_shard)(command, number, flags.shards) for number in numbers)
        for number, trouble in zip(numbers, joblib.Parallel(batch_size=1)(tasks), strict=True):
            if trouble:
                print(f"shard {number}: {trouble.strip()}", file=sys.stderr)
    # What a shard did not finish is run here.
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
