"""Verification of a written answer against its documents and its population: pure functions.

What is checked, each with its own kind of finding:

- every citation names a document that was given (``invented citation``);
- every quote stands in the document cited for it (``altered quote``, ``misattributed quote``);
- stated shares are the true ones (``wrong share``);
- the answer's own distribution of views (its cited claims, one voice a cited document) against the population:
  ``one-sided``, ``reversed majority``, ``missing minority``, ``distribution``; its W1 distance, and the amplification
  ``W1(answer) - W1(retrieved)``: what the writing added to what was retrieved.

Few voices cannot match every share, so each rule counts what the number of voices could have shown.
"""

from agents.verification.checking import claim_texts, verify
from agents.verification.records import Claim, Classify, Distance, Finding, FindingKind, Read, Verification

__all__ = [
    "Claim",
    "Classify",
    "Distance",
    "Finding",
    "FindingKind",
    "Read",
    "Verification",
    "claim_texts",
    "verify",
]
