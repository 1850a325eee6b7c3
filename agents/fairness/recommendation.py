"""Which selection mode to use when nobody says: by the number of documents and the measured quality of the labels.

Measured on lounge reviews against ratings that no method sees (``tests/benchmarks/bench_independent_target.py``; 7
entities, 6 questions each, W1 of the chosen reviews' own ratings; labels made better or worse by mixing in the truth or
chance; ``balanced`` on the more relevant half):

=============  =============  =============  =============
label quality  k = 5          k = 10         k = 20
=============  =============  =============  =============
.3             11.5 / 9.8     8.4 / 6.9      7.6 / 5.1 *
.6 (lexical)   8.1 / 8.8      7.2 / 5.9      5.7 / 4.2 *
.7             6.9 / 8.3 *    6.0 / 5.8      4.4 / 3.8
.8             6.9 / 7.0      4.5 / 5.0      3.5 / 3.4
.9             4.8 / 5.7 *    3.6 / 4.1      2.9 / 2.4 *
=============  =============  =============  =============

``exact`` / ``balanced``; a star where the bootstrap over entities, corrected for many comparisons, tells them apart.
The exact choice takes the most relevant of each cell, so what the label does not see comes back with relevance; with
few documents and good labels its exact counts weigh more, with many documents chance does. ``balanced`` pays with
relevance: it keeps .69 / .71 / .74 of plain top-k's, ``exact`` .95 / .96 / .97.

That table was made with VADER's labels. With the product's own (``tests/benchmarks/results``): lounges (quality .7)
7.3 / 8.5 *, 5.9 / 5.7, 4.5 / 4.1; hotels, by the whole review's stars (.4), 8.2 / 8.0, 6.4 / 5.6 *, 5.0 / 4.1 *;
clothing, where labels tell little of the stars (.3), 9.9 / 7.4 *, 7.2 / 5.3 *, 6.0 / 3.7 *, at .94 of plain top-k's
relevance against .60 at k = 5. The thresholds are those of the lounges and fit to nothing else.

Where labels of the corpus were reviewed, their measured quality decides (``agents.fairness.label_rank``): there the
truth is what a reader finds in the text, not what the author would have rated.
"""

from __future__ import annotations

from typing import Literal

from agents.fairness.checks import number, whole

#: Spearman correlation of clause-level lexical labels with the reviewer's own rating of the aspect.
LEXICAL_QUALITY = 0.6


def recommended_method(k: int, label_quality: float | None = None) -> Literal["exact", "balanced"]:
    """Choose between the two modes.

    Parameters
    ----------
    k
        Documents to select, at least 1.
    label_quality
        Spearman correlation of the opinion labels with an independent truth, in [-1, 1]; None when it was not
        measured, which counts as lexical labels.
    """
    whole("k", k, 1)
    quality = LEXICAL_QUALITY if label_quality is None else number("label_quality", label_quality, -1.0, 1.0)
    needed = 0.5 if k <= 7 else 0.75
    return "exact" if k <= 14 and quality >= needed else "balanced"


__all__ = ["LEXICAL_QUALITY", "recommended_method"]
