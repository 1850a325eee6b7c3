"""Precision and coverage of the calibration on simulated generators with known weights.

Run ``python -m tests.benchmarks.bench_propagation [--runs 400]``. For each generator and k: bias of the estimates, SE
measured over the runs against the one each fit reports, coverage of the 95 % intervals, and the paper's own estimator
(mean answer by intended setting) at equal calls. Then, for each SE that the design notes state calls for: the calls
that the plan asks, and the SE measured with the questions that the stated calls suffice for, over four times as many
runs. Nothing is added to a target but three standard errors of the simulation itself, which are shown. Exit status 1
if a bar is missed.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from agents.fairness.designs import block_size
from agents.fairness.propagation import fit, grid_settings, plan, runs_of
from tests.agents.fairness.generators import Kind, answers, truth
from tests.benchmarks.bars import Bars, stands_on

WEIGHTS = {
    2: np.array([0.35, 0.2]),
    3: np.array([0.3, 0.2, -0.1]),
    5: np.array([0.25, 0.15, 0.1, 0.05, -0.08]),
}
INTERCEPT = -0.1
#: Calls for an SE of one weight that the design notes state for k = 5 (chance in the answers, temperature 0).
STATED = {0.05: (330, 145), 0.03: (920, 400), 0.02: (2070, 900), 0.01: (8300, 3600)}
#: Answers of the simulation that the true weights come from, which has an error of its own.
TRUTH_ANSWERS = 200_000
RUNS = 400
KINDS: tuple[Kind, ...] = ("linear", "hetero", "deterministic")


def published(kind: Kind, k: int, questions: int, rng: np.random.Generator) -> np.ndarray:
    """The paper's estimate: regression of the settings' mean answers on their intended levels."""
    settings = grid_settings(k)
    S = settings.shape[0]
    shown = np.where(rng.random((questions, S, k)) < (settings + 1) / 2, 1.0, -1.0).reshape(-1, k)
    y = answers(kind, np.repeat(np.arange(questions), S), shown, WEIGHTS[k], INTERCEPT, rng)
    mean = y.reshape(questions, S).mean(axis=0)
    return np.asarray(np.linalg.lstsq(np.column_stack((settings, np.ones(S))), mean, rcond=None)[0])


def blocks(
    kind: Kind, k: int, questions: int, runs: int, rng: np.random.Generator, goal: np.ndarray
) -> dict[str, object]:
    """Repeat a calibration by blocks: estimates, reported errors, coverage."""
    estimates, errors, inside = [], [], []
    for _ in range(runs):
        design = runs_of("blocks", k, questions, rng)
        e = 2 * design.probabilities - 1
        result = fit(answers(kind, design.question, e, WEIGHTS[k], INTERCEPT, rng), design.question, e)
        estimates.append(np.append(result.weights, result.intercept))
        errors.append(result.standard_errors)
        inside.append((result.interval[:, 0] <= goal) & (goal <= result.interval[:, 1]))
    found = np.array(estimates)
    return {
        "bias": float(np.abs(found.mean(axis=0) - goal)[:k].max()),
        "spread": float(found.std(axis=0)[:k].mean()),
        "reported": float(np.mean(errors, axis=0)[:k].mean()),
        "coverage": float(np.mean(inside)),
        "calls": design.calls,
        "mse": float(((found - goal)[:, :k] ** 2).mean()),
    }


def judge_generators(runs: int, rng: np.random.Generator, bars: Bars) -> None:
    """Judge bias and coverage for every generator and k."""
    for kind in KINDS:
        for k in (2, 3, 5):
            goal = truth(kind, WEIGHTS[k], INTERCEPT)
            row = blocks(kind, k, 100, runs, rng, goal)
            few = [published(kind, k, 25, rng) for _ in range(max(runs // 4, 50))]
            calls = 25 * grid_settings(k).shape[0]
            mse = float(((np.array(few) - goal)[:, :k] ** 2).mean()) * calls / row["calls"]
            name = f"{kind}, k = {k}"
            known = 0.0 if kind == "linear" else 1 / TRUTH_ANSWERS
            error = float(np.sqrt(row["spread"] ** 2 / runs + known))
            told = f"{row['calls']} calls; SE measured {row['spread']:.4f}, reported {row['reported']:.4f}"
            told += f"; MSE published / blocks at equal calls {mse / row['mse']:.2f}"
            bars.judge(f"{name}: largest bias in its standard errors", row["bias"] / error, "<=", 3.0, told)
            bars.within(f"{name}: 95 % intervals cover", row["coverage"], 0.92, 0.97)


def judge_calls(runs: int, rng: np.random.Generator, bars: Bars) -> None:
    """Judge the plan, and the SE measured at the calls that the design notes state, k = 5."""
    size = block_size(5)
    for error, stated in STATED.items():
        kinds: tuple[tuple[Kind, str, int], ...] = (
            ("hetero", "random", stated[0]),
            ("deterministic", "deterministic", stated[1]),
        )
        for kind, kind_of_answers, calls in kinds:
            planned = plan(5, standard_error=error, answers=kind_of_answers)  # type: ignore[arg-type]
            name = f"{kind}, SE {error:g}"
            bars.judge(f"{name}: calls planned", planned.calls, "<=", calls)
            row = blocks(kind, 5, calls // size, runs, rng, truth(kind, WEIGHTS[5], INTERCEPT))
            # The spread of each of five weights over the runs; they are all but independent.
            simulated = row["spread"] / np.sqrt(2 * runs * 5)
            needed = row["calls"] * (row["spread"] / error) ** 2
            bars.judge(
                f"{name}: measured at the stated calls, less 3 errors of the simulation",
                row["spread"] - 3 * simulated,
                "<=",
                error,
                f"{row['spread']:.5f} +- {simulated:.5f} at {row['calls']} of {calls} calls; {needed:,.0f} are needed",
            )


def main() -> int:
    """Print the figures and judge the bars."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=RUNS)
    runs = parser.parse_args().runs
    rng, bars = np.random.default_rng(11), Bars()
    weights = "; ".join(f"k = {k}: {', '.join(f'{w:g}' for w in found)}" for k, found in WEIGHTS.items())
    note = "" if runs >= RUNS else f"the bars are at {RUNS} runs"
    print(
        stands_on(
            f"simulated generators, weights {weights}, intercept {INTERCEPT:g}",
            11,
            f"blocks, 100 questions, {runs} runs; published = grid with 25 questions and its own estimator",
            *([note] if note else []),
        )
    )
    judge_generators(runs, rng, bars)
    judge_calls(4 * runs, rng, bars)
    return bars.end()


if __name__ == "__main__":
    sys.exit(main())
