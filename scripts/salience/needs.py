"""What some of the tests need beyond Python."""

import unittest


def packages_or_skip():
    """Skips the calling test module where numpy or tokenizers is missing."""
    try:
        import numpy  # noqa: F401
        import tokenizers  # noqa: F401
    except ImportError as missing:
        raise unittest.SkipTest(f"{missing.name} is not there") from missing
