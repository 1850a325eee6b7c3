"""Retriever-bias probes (Goyal et al., "Masking or Mitigating?"): which enhancement helps which retriever, measured.

Owns the pairs (``build_pairs`` from facts of Re-DocRED or of a corpus, ``bundled_pairs``), the retrievers that can
be diagnosed (``DenseRetriever``, ``BM25Retriever``, ``HybridRetriever``, or any ``Retriever``), the statistics and
verdicts, the recommendation, and continual pretraining (``agents.probes.cpt``, extra ``cpt``), which trains on a
pair's own document and so belongs in the laboratory. May import ``agents.models``, ``agents.enhancement``, ``store``
and ``prompts``.

For other evaluations::

    report = await agents.probes.run(bundled_pairs(), [DenseRetriever(embedder)], source="bundled pairs", chat=chat)
    tables = agents.probes.tables.tables(report)         # agents.evaluation.report.Table, published figures beside ours
    text = app.views.probes.probe_text(report)           # or probe_markdown(report)
"""

from agents.probes.corpus import corpus_facts
from agents.probes.facts import Fact
from agents.probes.files import bundled_pairs, parse_pairs, write_pairs
from agents.probes.generation import ENHANCEMENTS, PRETRAINED, Condition, PassageWriter
from agents.probes.pairs import BIASES, Bias, ProbePair, build_pairs
from agents.probes.redocred import find_redocred, redocred_facts
from agents.probes.report import Diagnosis, Finding, ProbeReport, Recommendation
from agents.probes.retrievers import BM25Retriever, DenseRetriever, HybridRetriever, ProbeQuery, Retriever
from agents.probes.runner import run

__all__ = [
    "BIASES",
    "ENHANCEMENTS",
    "PRETRAINED",
    "BM25Retriever",
    "Bias",
    "Condition",
    "DenseRetriever",
    "Diagnosis",
    "Fact",
    "Finding",
    "HybridRetriever",
    "PassageWriter",
    "ProbePair",
    "ProbeQuery",
    "ProbeReport",
    "Recommendation",
    "Retriever",
    "build_pairs",
    "bundled_pairs",
    "corpus_facts",
    "find_redocred",
    "parse_pairs",
    "redocred_facts",
    "run",
    "write_pairs",
]
