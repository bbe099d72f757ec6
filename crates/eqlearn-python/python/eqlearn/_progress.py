"""A progress bar where people would see one: tqdm, if it is installed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Tell = Callable[[str, int, int], None]

# Work shorter than this shows no bar.
_DELAY = 1.0


@contextmanager
def watching(wish: bool | Tell | None) -> Iterator[Tell | None]:
    """What the native library tells its progress to.

    `wish` is True, False, a function of (stage, done, total), or None: a bar if somebody is there
    to see it.
    """
    if callable(wish):
        yield wish
        return
    if wish is None:
        wish = _is_seen()
    if not wish:
        yield None
        return
    bar = _Bar()
    try:
        yield bar.tell
    finally:
        bar.close()


def _is_seen() -> bool:
    return "ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty())


class _Bar:
    """One bar per stage."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._stage = ""

    def tell(self, stage: str, done: int, total: int) -> None:
        if stage != self._stage:
            self.close()
            self._stage = stage
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            # Counts of subsets go far beyond what a bar can show one by one.
            self._bar = tqdm(
                desc=stage,
                total=float(total) if total else None,
                unit_scale=True,
                delay=_DELAY,
                leave=False,
            )
        if self._bar is not None:
            self._bar.update(float(done) - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
