"""``python -m dmlc`` is the command ``dmlc``."""

from __future__ import annotations

import sys

from dmlc.cli import main

if __name__ == "__main__":
    sys.exit(main())
