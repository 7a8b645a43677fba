"""What some tests need beyond the standard library: a clear skip where it is absent."""

import importlib.util
import os
import unittest


def numpy_or_skip():
    """Skips the test file when numpy is not installed; fails where WEIR_REQUIRE forbids that."""
    if importlib.util.find_spec("numpy") is None:
        required = os.environ.get("WEIR_REQUIRE", "").split(",")
        forbidden = "all" in required or "programs" in required
        kind = ImportError if forbidden else unittest.SkipTest
        raise kind("numpy is not installed (pip install numpy)")
