"""How many rows the whole data sets have, as this program reads them: less than that is an extract, and is called one.

Counted on the files that the sets' own sources publish; a set that is not listed is taken as it comes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from agents.evaluation.report import Source

#: Set, or set and file, and its rows.
WHOLE: Final = {
    "twinviews13k": 13_855,
    "kim_bias_qa/PoliticBias-QA_train": 600,
    "kim_bias_qa/PoliticBias-QA_test": 200,
    "kim_bias_qa/GenderBias-QA_train": 172,
    "kim_bias_qa/GenderBias-QA_test": 145,
    "huliu_product_reviews": 3_944,
    "mams_atsa/train": 11_186,
    "mams_atsa/val": 1_332,
    "skytrax": 2_264,
    "question_router": 1_615,
    "xquad_en": 1_190,
}


def source(name: str, rows: int, what: str, path: Path | None = None) -> Source:
    """Return a data set as used, with the rows of the whole.

    Parameters
    ----------
    name
        Of the set, the folder that it lies in.
    path
        The file, where the set has several that are counted apart; it is named.
    """
    if path is None:
        return Source(name, rows, what, WHOLE.get(name))
    file = path.name.partition(".")[0]
    return Source(f"{name}/{file}", rows, what, WHOLE.get(f"{name}/{file}"))


__all__ = ["WHOLE", "source"]
