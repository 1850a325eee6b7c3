"""The mapping's public face: guess it, override it, show it."""

from __future__ import annotations

from store.ingest.columns import FIELDS, Mapping
from store.ingest.guessing import guess
from store.ingest.overrides import Overrides, parse_overrides

__all__ = ["FIELDS", "Mapping", "Overrides", "guess", "parse_overrides"]
