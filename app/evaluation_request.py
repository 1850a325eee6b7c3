"""What may be asked of the evaluations, and what cannot be run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from store.errors import UsageError

#: The evaluations by name, and what each measures.
EVALUATIONS = {
    "orag": "opinion and author coverage by knowledge base, and what answers make of it (O-RAG, tables 2 to 4)",
    "warp": "coverage of opinions by selection method (WARP, table 1)",
    "faro": "output bias, refusal, relevance and time under |Rb| <= tau (FARO, tables 2 to 4)",
    "rewriting": "retriever bias by query enhancement (Masking or Mitigating, tables 1 to 4)",
    "extraction": "opinions, targets and features against labels and ratings that others gave",
    "router": "facts, views, both and counts told apart",
}
ALL = "all"
#: Evaluations that a corpus of the workspace serves.
ON_CORPUS = ("orag", "warp")
#: Data sets that each evaluation reads, for the fingerprint of the data.
SETS = {
    "extraction": ("huliu_product_reviews", "mams_atsa", "skytrax"),
    "router": ("question_router", "xquad_en"),
    "faro": ("kim_bias_qa", "twinviews13k"),
    "orag": ("datafiniti_hotels",),
    "warp": ("datafiniti_hotels",),
    "rewriting": ("redocred",),
}
#: Seconds that each takes on the bundled data on two cores: the time left is reckoned from their proportion.
WEIGHTS = {"extraction": 10.0, "router": 5.0, "faro": 15.0, "orag": 90.0, "warp": 15.0, "rewriting": 15.0}
#: The same on the whole sets, with no model configured.
WHOLE_WEIGHTS = {
    "orag": 300.0,
    "warp": 60.0,
    "faro": 300.0,
    "rewriting": 250.0,
    "extraction": 150.0,
    "router": 15.0,
}
#: Hotel reviews that `all` draws where nobody says.
REVIEWS = 1_200


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """What to measure. Fields that an evaluation has no use for are not read.

    Attributes
    ----------
    name
        One of ``EVALUATIONS``, or ``all``.
    data
        Folder of the data sets; None for the bundled ones, or for a corpus of the workspace.
    mini
        On the bundled data.
    sizes
        Documents shown, the papers' k; empty for each paper's own.
    corpus
        Corpus of the workspace, where neither ``data`` nor ``mini`` is given.
    extractors
        ``lexical``, ``llm``: O-RAG's sigma by extractor.
    """

    name: str
    cache: Path
    data: Path | None = None
    mini: bool = False
    seed: int = 0
    sizes: tuple[int, ...] = ()
    questions: int = 200
    calibrating: int = 50
    only: str = ""
    tau: float = 0.1
    draws: int | None = None
    mentions: int | None = None
    reviews: int | None = None
    corpus: str = ""
    extractors: tuple[str, ...] = ("lexical",)


def check(request: EvaluationRequest) -> None:
    """Refuse a request that cannot be run.

    Raises
    ------
    UsageError
        Names what is wrong and what to do.
    """
    from agents.evaluation.faro import SETS as FARO_SETS

    name, data = request.name, request.data
    if name != ALL and name not in EVALUATIONS:
        raise UsageError(f"there is no evaluation `{name}`", f"there are {', '.join([*EVALUATIONS, ALL])}")
    if data is not None and not data.is_dir():
        raise UsageError(f"--data: there is no folder {data}", "give the folder that holds the data sets")
    if data is None and not request.mini and name not in (*ON_CORPUS, "rewriting"):
        raise UsageError(f"`evaluate {name}` needs data sets", "give their folder by --data DIR, or --mini")
    if request.only and request.only not in FARO_SETS:
        raise UsageError(f"--only is `{request.only}`", f"use {' or '.join(FARO_SETS)}")
    if name == "faro" and request.sizes and max(request.sizes) > 10:
        raise UsageError("a question of faro has 20 candidates", "use -k 10 or less")


__all__ = [
    "ALL",
    "EVALUATIONS",
    "ON_CORPUS",
    "REVIEWS",
    "SETS",
    "WEIGHTS",
    "WHOLE_WEIGHTS",
    "EvaluationRequest",
    "check",
]
