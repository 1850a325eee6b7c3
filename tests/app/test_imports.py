"""Nothing heavy loads with the command line; answering does not load what it does not need."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = (
    "torch",
    "chromadb",
    "textual",
    "langgraph",
    "openai",
    "vllm",
    "spacy",
    "sklearn",
    "onnxruntime",
    "numpy",
)


def loaded(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint('\\n'.join(sorted(m.split('.')[0] for m in sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.split())


def test_importing_the_command_line_loads_nothing_heavy() -> None:
    assert not loaded("import app.cli.main") & set(HEAVY)


@pytest.mark.parametrize("module", ["agents.graph", "app.service", "app.bootstrap"])
def test_the_graph_loads_neither_models_nor_alembic_nor_plots(module: str) -> None:
    unwanted = {"torch", "openai", "alembic", "ot", "spacy", "sklearn", "textual", "transformers", "chromadb"}
    assert not loaded(f"import {module}") & unwanted


def test_the_graph_does_not_load_scipy_stats() -> None:
    code = "import sys, agents.graph; print('scipy.stats' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "False"
