"""The numbers that an evaluation runs with, by its options and by `--mini`, and how the report names them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from app.evaluation_request import EvaluationRequest

if TYPE_CHECKING:
    from agents.evaluation.limits import Limits
    from agents.evaluation.report import EvaluationReport


@dataclass(frozen=True, slots=True)
class Numbers:
    """What is run.

    Attributes
    ----------
    sizes
        Documents shown, the papers' k.
    draws
        Of a random method.
    mentions
        Fewest documents of an entity.
    most
        Entities at the most.
    """

    sizes: tuple[int, ...]
    draws: int = 0
    mentions: int = 0
    most: int = 0

    @property
    def limits(self) -> Limits:
        """Which entities are measured."""
        from agents.evaluation.limits import Limits

        return Limits(mentions=self.mentions, most=self.most)


#: Of the whole sets.
WHOLE: Final = {
    "faro": Numbers((2, 3, 5)),
    "orag": Numbers((10, 20, 40, 60), draws=20, mentions=100, most=12),
    "warp": Numbers((20,), draws=100, mentions=100, most=12),
}
#: Of the small ones that come along, where they differ.
MINI: Final = {
    "orag": replace(WHOLE["orag"], draws=10, mentions=60, most=6),
    "warp": replace(WHOLE["warp"], draws=20, mentions=40),
}
_WORDS: Final = {
    "draws": "{} draws of a random method",
    "mentions": "entities of {} documents",
    "most": "{} entities at the most",
}
#: Options that an evaluation reads, by the field of the request; the seed and the data are named by themselves.
_OPTIONS: Final = {
    "faro": ("sizes", "questions", "calibrating", "only", "tau"),
    "orag": ("sizes", "draws", "mentions", "reviews", "extractors"),
    "warp": ("sizes", "draws", "mentions", "reviews", "extractors"),
}
_FLAGS: Final = {"sizes": "-k", "extractors": "--extractor"}


def numbers(request: EvaluationRequest) -> Numbers:
    """Return the numbers of a request: those given, else those of the whole or of the small sets."""
    usual = (MINI if request.mini else {}).get(request.name, WHOLE[request.name])
    return Numbers(
        request.sizes or usual.sizes,
        request.draws or usual.draws,
        request.mentions or usual.mentions,
        usual.most,
    )


def told(request: EvaluationRequest) -> tuple[str, ...]:
    """Return the options that this run was given, and what `--mini` alone changed, as lines of a report."""
    lines = []
    given = [*(["--mini"] if request.mini else []), *_given(request)]
    if given:
        lines.append(f"run with {' '.join(given)}")
    if request.name == "rewriting" and (request.mini or request.data is None):
        lines.append(
            "the pairs are the few that come along, an extract of those that the 500 documents of Re-DocRED give; "
            "--data builds them from all"
        )
    if request.mini and request.name in MINI:
        lines.append("the stars of a lounge are the rounded mean of its author's ratings of seven aspects")
    if request.mini:
        lines.append(
            "--mini: small open sets that come along, whose figures have wide intervals" + _changed(request)
        )
    return tuple(lines)


def named(
    report: EvaluationReport, request: EvaluationRequest, whole: Callable[[], int | None]
) -> EvaluationReport:
    """Return a report that names the options of its run, and calls its corpus an extract where it is one.

    Parameters
    ----------
    whole
        Reviews of the whole set that the corpus is of; asked for where the corpus was built here.
    """
    sources = report.sources
    if request.name in MINI:
        sources = (replace(sources[0], whole=whole()), *sources[1:])
    return replace(report, sources=sources, deviations=(*report.deviations, *told(request)))


def _changed(request: EvaluationRequest) -> str:
    usual, mini = WHOLE.get(request.name), MINI.get(request.name)
    if usual is None or mini is None:
        return ""
    parts = [
        f"{words.format(getattr(mini, field))} in place of {getattr(usual, field)}"
        for field, words in _WORDS.items()
        if getattr(mini, field) != getattr(usual, field) and not getattr(request, field, None)
    ]
    return f"; {', '.join(parts)}" if parts else ""


def _given(request: EvaluationRequest) -> Iterator[str]:
    blank = EvaluationRequest(request.name, request.cache)
    for field in _OPTIONS.get(request.name, ()):
        value: Any = getattr(request, field)
        if value == getattr(blank, field):
            continue
        flag = _FLAGS.get(field, f"--{field}")
        for each in value if isinstance(value, tuple) else (value,):
            yield f"{flag} {each}"


__all__ = ["MINI", "WHOLE", "Numbers", "named", "numbers", "told"]
