"""dmlc among the libraries that ``threadpoolctl`` shows and limits: importing this module is all.

>>> import threadpoolctl
>>> import dmlc.compat.threadpoolctl
>>> with threadpoolctl.threadpool_limits(1):
...     dmlc.get_num_threads()
1
>>> [info["user_api"] for info in threadpoolctl.threadpool_info() if info["prefix"] == "_dmlc."]
['dmlc']

``import dmlc`` does the same where threadpoolctl is imported already. Without it threadpoolctl limits dmlc too, as dmlc
takes as many threads as OpenMP says, but for what `dmlc.set_num_threads` set.

Limits are for the calling thread alone, as those of OpenMP are. ``user_api`` is ``"dmlc"``:
``threadpool_limits({"dmlc": 1})`` limits nothing else.
"""

# Where threadpoolctl is not installed its types are unknown.
# mypy: disable-error-code="import-not-found,import-untyped,misc"

from __future__ import annotations

from threadpoolctl import LibController, register

from dmlc import _dmlc, runtime

__all__ = ["Controller"]


class _Threads(int):
    """A number of threads that knows whether it was the calling thread's own."""

    own: int


class Controller(LibController):
    """What threadpoolctl asks and tells."""

    user_api = "dmlc"
    internal_api = "dmlc"
    filename_prefixes = ("_dmlc.",)
    check_symbols = ("PyInit__dmlc",)

    def get_num_threads(self) -> int:
        """Return how many threads an operator called from this thread may use."""
        threads = _Threads(runtime.get_num_threads())
        threads.own = _dmlc.set_thread_threads(0)
        _dmlc.set_thread_threads(threads.own)
        return threads

    def set_num_threads(self, num_threads: int) -> None:
        """Limit the calling thread, or give it back what `get_num_threads` said.

        At the end of every limit, one of other libraries too, threadpoolctl sets what it found before. A thread that
        had no number of its own has none again: the process' number and OpenMP's hold for it as they did.
        """
        own = num_threads.own if isinstance(num_threads, _Threads) else max(num_threads, 1)
        _dmlc.set_thread_threads(own)

    def get_version(self) -> str:
        """Return dmlc's version."""
        return _dmlc.version()


register(Controller)
