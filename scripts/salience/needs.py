"""What some of the tests need beyond Python."""

import os
import unittest


def packages_or_skip():
    """Skips the calling test module where numpy or tokenizers is missing; fails where WEIR_REQUIRE
    forbids that."""
    try:
        import numpy  # noqa: F401
        import tokenizers  # noqa: F401
    except ImportError as missing:
        required = os.environ.get("WEIR_REQUIRE", "").split(",")
        if "all" in required or "programs" in required:
            raise
        raise unittest.SkipTest(f"{missing.name} is not there") from missing
