"""Where a model may read and write. A model is data, not a program: it stays in its folders.

Everything here raises OSError or ValueError for what a file system refuses; who calls knows the
place in the model that names the file.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader, BufferedWriter
from pathlib import Path


class OutsideError(Exception):
    """A path leads out of the folders of the model."""


@dataclass(frozen=True, slots=True)
class Folders:
    """The folders that the paths of a model are relative to, and that it does not leave.

    Parameters
    ----------
    sources : tuple of pathlib.Path
        A file that is read is looked up in these, in this order.
    target : pathlib.Path
        What is written goes here.
    allow_outside : bool
        Whether a path may lead out of all of these.
    """

    sources: tuple[Path, ...]
    target: Path
    allow_outside: bool = False

    @classmethod
    def of_model(
        cls,
        path: Path,
        input_path: str | Path | None = None,
        output_path: str | Path | None = None,
        *,
        allow_outside: bool = False,
    ) -> Folders:
        """Return DxDispatch's: the input path, the model's folder, the current one."""
        named = () if input_path is None else (Path(input_path),)
        target = Path() if output_path is None else Path(output_path)
        return cls((*named, path.parent, Path()), target, allow_outside)

    def find(self, name: str) -> Path | None:
        """Return the first file of this name, links followed, or None if there is none.

        Raises
        ------
        OutsideError
            If the name leads outside wherever it does not lead to a file.
        """
        leads_outside = False
        for folder in self.sources:
            path = self._inside(folder / name)
            if path is None:
                leads_outside = True
                continue
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                path.stat()
                return path
        if leads_outside:
            raise OutsideError
        return None

    def place(self, name: str) -> Path:
        """Return the file that is written for this name, links followed.

        Raises
        ------
        OutsideError
            If the name leads outside.
        """
        path = self._inside(self.target / name)
        if path is None:
            raise OutsideError
        return path

    def _inside(self, path: Path) -> Path | None:
        real = Path(os.path.realpath(path))
        roots = (Path(os.path.realpath(folder)) for folder in (*self.sources, self.target))
        if self.allow_outside or any(real.is_relative_to(root) for root in roots):
            return real
        return None


@contextlib.contextmanager
def open_file(path: Path) -> Iterator[BufferedReader]:
    """Open a regular file for reading: opening a FIFO waits for a writer, a device never ends."""
    _refuse_special(path.stat())
    # What is there may have changed since: it is looked at again, and meanwhile nothing waits.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        _refuse_special(os.fstat(file.fileno()))
        yield file


@contextlib.contextmanager
def replace_file(path: Path) -> Iterator[BufferedWriter]:
    """Open a file for writing that becomes `path` at the end, or leaves no trace if that fails.

    Missing folders are made. The file has the permissions that it would have if `path` itself had
    been opened: those it had, or those of a new file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        old = path.stat()
    except FileNotFoundError:
        old = None
    if old is not None:
        _refuse_special(old)
        os.close(os.open(path, os.O_WRONLY))  # refuses what a plain open refuses
    # A name of its own length: that of `path` may be as long as a name can be.
    beside = path.parent / f".dmlc-{secrets.token_hex(8)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    file = os.fdopen(os.open(beside, flags, 0o666), "wb")
    try:
        with file:
            yield file
        if old is not None:
            beside.chmod(stat.S_IMODE(old.st_mode))
        beside.replace(path)
    except BaseException:  # an interrupt leaves no trace either
        with contextlib.suppress(OSError):
            beside.unlink()
        raise


def _refuse_special(status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode):
        raise ValueError("it is not a regular file")
