"""What reviewed labels change in an answer: how good the labels are, and shares corrected for their errors."""

from __future__ import annotations

from collections.abc import Sequence

from agents.context import RagContext
from agents.fairness.label_rank import rank_correlation
from agents.fairness.quality import (
    MIN_REVIEWS,
    Corrected,
    Interval,
    LabelQuality,
    Reviews,
    assess,
    corrected_shares,
    spread_over_bins,
)
from store.receipt import Estimate
from store.reviews import ReviewStore


def read_reviews(store: ReviewStore, corpus_id: int, extractor: str) -> Reviews:
    """Return the reviewed labels of a corpus as the arithmetic takes them."""
    found = store.labels(corpus_id, extractor)
    return Reviews(found.bins, found.truths, found.entities, found.population)


def quality_words(quality: LabelQuality | None) -> str:
    """Say in one line how good the labels are; empty where none was reviewed."""
    if quality is None:
        return ""
    if not quality.enough:
        return f"too few reviews to correct anything ({quality.n} of {MIN_REVIEWS} labels)"
    return f"accuracy {_interval(quality.accuracy)} on {quality.n:,} reviewed labels"


def label_quality(context: RagContext) -> str:
    """Return ``quality_words`` of the labels that the answer uses."""
    reviews = _reviews(context)
    return quality_words(None if reviews is None else assess(reviews))


def measured_quality(context: RagContext) -> float | None:
    """Return the labels' rank correlation with what reviewers read; None without enough reviews."""
    reviews = _reviews(context)
    if reviews is None or len(reviews) < MIN_REVIEWS:
        return None
    key = (context.corpus.id, context.corpus.revision, "rank correlation", context.extractor)
    return context.memo.get(key, lambda: rank_correlation(reviews))


def corrected(context: RagContext, counts: Sequence[int], entity_ids: Sequence[int]) -> Corrected | None:
    """Return the corrected shares of a population with these seven counts; None without enough reviews."""
    reviews = _reviews(context)
    if reviews is None or len(reviews) < MIN_REVIEWS:
        return None
    key = (context.corpus.id, context.corpus.revision, "corrected", tuple(counts), tuple(entity_ids))
    return context.memo.get(
        key, lambda: corrected_shares(reviews, counts, entity_ids, seed=context.settings.seed)
    )


def corrected_bins(
    context: RagContext, counts: Sequence[int], entity_ids: Sequence[int]
) -> tuple[Estimate, ...]:
    """Return the seven corrected shares for the receipt; none without enough reviews."""
    found = corrected(context, counts, entity_ids)
    if found is None:
        return ()
    own = f", {found.own:,} of them on this" if found.own else ""
    method = f"{found.n:,} reviewed labels{own}; each sign's share spread over its bins as labelled"
    return tuple(
        Estimate(value=each.value, low=each.low, high=each.high, method=method)
        for each in spread_over_bins(found, counts)
    )


def corrected_sentence(found: Corrected | None) -> str:
    """Say the corrected shares of both sides in one sentence with a space before it; empty for None."""
    if found is None:
        return ""
    negative, _, positive = found.shares
    return f" Corrected for labelling errors: {_range(positive)} positive, {_range(negative)} negative."


def _reviews(context: RagContext) -> Reviews | None:
    corpus, extractor = context.corpus, context.extractor

    def read() -> Reviews | None:
        # Most corpora have none; then not even their labels are counted.
        if not context.reviews.count(corpus.id, extractor):
            return None
        return read_reviews(context.reviews, corpus.id, extractor)

    return context.memo.get((corpus.id, corpus.revision, "reviews", extractor), read)


def _range(share: Interval) -> str:
    low, high = round(100 * share.low), round(100 * share.high)
    return f"{low} %" if low == high else f"{low}-{high} %"


def _interval(share: Interval) -> str:
    value, low, high = (f"{x:.2f}".removeprefix("0") for x in (share.value, share.low, share.high))
    return f"{value} [{low}, {high}]"


__all__ = [
    "corrected",
    "corrected_bins",
    "corrected_sentence",
    "label_quality",
    "measured_quality",
    "quality_words",
    "read_reviews",
]
