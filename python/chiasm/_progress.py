"""How far long work is: a bar in terminals and notebooks, plain calls for programs."""

from __future__ import annotations

import sys
from typing import Callable, Optional, Union

Listener = Callable[[str, Optional[str], Optional[int], Optional[int]], None]


class _Line:
    """One line on standard error that is written over and over, or tqdm's bar where that is installed."""

    def __init__(self) -> None:
        self._bar = None
        self._work = None

    def __call__(self, work: str, unit: Optional[str], done: Optional[int], total: Optional[int]) -> None:
        if unit is None:
            self._close()
            print(work, file=sys.stderr)
            return
        if self._work != (work, total):
            self._close()
            self._work = (work, total)
            try:
                from tqdm.auto import tqdm
            except ImportError:
                self._bar = None
            else:
                self._bar = tqdm(desc=work, unit=f" {unit}", total=total, leave=False)
        if self._bar is not None:
            self._bar.update((done or 0) - self._bar.n)
            return
        of = f" of {total}" if total else ""
        print(f"\r{work}: {done}{of} {unit}\033[K", end="", file=sys.stderr, flush=True)

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._work is not None:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
        self._bar = self._work = None


def _notebook() -> bool:
    return "ipykernel" in sys.modules


def listener(progress: Union[bool, Listener]) -> Optional[Listener]:
    """What is told: a function of one's own, a bar where a person looks, or nobody."""
    if callable(progress):
        return progress
    if progress and (sys.stderr.isatty() or _notebook()):
        return _Line()
    return None
