"""What every test shares: reproducible hypothesis runs and a seeded generator."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

# The first call of a kernel compiles it, so no deadline; CI draws the same examples every time.
settings.register_profile("default", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("default"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20240229)
