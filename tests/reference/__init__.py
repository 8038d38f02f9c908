"""The slow twins by their short name: they stand in the package, `dmlc vectors` judges by them."""

from __future__ import annotations

from pathlib import Path

from dmlc import reference

__path__ = [*__path__, str(Path(reference.__file__).parent)]
