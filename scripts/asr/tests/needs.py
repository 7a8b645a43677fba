"""What some tests need beyond the standard library: a clear skip where it is absent."""

import importlib.util
import unittest


def numpy_or_skip():
    """Skips the test file when numpy is not installed."""
    if importlib.util.find_spec("numpy") is None:
        raise unittest.SkipTest("numpy is not installed (pip install numpy)")
