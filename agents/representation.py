"""Whether the documents that an answer cites stand for the target: which views are missing among them, and why."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.context import RagContext
from agents.fairness.distance import histogram, w1_bins
from agents.pools import OpinionPool
from agents.state import RagState
from agents.voices import quotable_voices
from store.records import BINS

#: A side's share that is nearer than this to its due is not what is missing: views within a side are.
_SIDE_GAP = 0.05
_SIDES = {"negative": slice(0, 3), "neutral or mixed": slice(3, 4), "positive": slice(4, 7)}


@dataclass(frozen=True, slots=True)
class Shortfall:
    """What to say where the documents cited are too far from the target.

    ``mendable`` says whether the documents chosen are near enough, so that other citations of them could be.
    """

    message: str
    mendable: bool


def shortfall(context: RagContext, state: RagState, pool: OpinionPool, extractive: bool) -> Shortfall | None:
    """Hold the documents cited against the target; None where they are within ``agent.tolerance`` or there are none.

    Parameters
    ----------
    extractive
        Whether the embedded writer wrote the answer: then the reason is looked for in what it could quote.
    """
    stance = dict(zip(pool.stances.document_ids.tolist(), pool.stances.scores.tolist(), strict=True))
    cited = dict.fromkeys(c["document_id"] for c in state["citations"] if c["document_id"] in stance)
    tolerance = context.settings.tolerance
    shares = histogram([stance[document] for document in cited])
    if not cited or (away := w1_bins(shares, pool.target)) <= tolerance:
        return None
    name, part = _missing(shares, pool.target)
    goal = "the population" if pool.target_name.startswith("proportional") else "the target"
    message = (
        f"{name} views are under-represented: {100 * shares[part].sum():.0f} % of the documents cited, "
        f"{100 * pool.target[part].sum():.0f} % of {goal} (W1 {away:.1f}, tolerated {tolerance:g})"
    )
    chosen = [document for document in state["chosen"] if document in stance]
    given = w1_bins(histogram([stance[document] for document in chosen]), pool.target)
    if given > tolerance:
        return Shortfall(f"{message}; {_of_the_choice(state, len(chosen), given, tolerance)}", mendable=False)
    if not extractive:
        return Shortfall(
            f"{message}: cite more of the documents with such views, in proportion", mendable=True
        )
    held = sum(_within(stance[document], part) for document in chosen)
    quotable = sum(_within(each.stance, part) for each in quotable_voices(context, state, pool))
    if quotable < held:
        why = f"of the {held} chosen documents with such views {quotable} have words that can be quoted"
    else:
        most = int(state["options"].get("voices", context.settings.voices))
        quotes = f"{most} quote{'s' * (most != 1)} at the most"
        why = f"{len(cited)} of {len(chosen)} chosen documents are cited, in {quotes}"
    return Shortfall(f"{message}; {why}", mendable=False)


def _missing(shares: NDArray[np.float64], target: NDArray[np.float64]) -> tuple[str, slice]:
    """Return the side that falls short most, or the bin where the sides have their due, with its place."""
    gaps = {name: float((target - shares)[part].sum()) for name, part in _SIDES.items()}
    side = max(gaps, key=lambda name: gaps[name])
    if gaps[side] >= _SIDE_GAP:
        return side, _SIDES[side]
    place = int((target - shares).argmax())
    return f"{BINS[place]:+d}", slice(place, place + 1)


def _of_the_choice(state: RagState, chosen: int, away: float, tolerance: float) -> str:
    floor = state["selection"]["floor"]
    some = f"{chosen} document{'s' * (chosen != 1)}"
    if floor > tolerance:
        return f"{some} cannot come nearer than {floor:.1f}: ask for more (-k, agent.k)"
    return f"the {some} chosen by `{state['selection']['method']}` {'is' if chosen == 1 else 'are'} {away:.1f} from it"


def _within(stance: int, part: slice) -> bool:
    return (stance + 30) // 10 in range(part.start, part.stop)


__all__ = ["Shortfall", "shortfall"]
