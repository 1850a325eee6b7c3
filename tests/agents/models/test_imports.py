from __future__ import annotations

import subprocess
import sys


def test_importing_the_models_loads_no_heavy_library() -> None:
    modules = "chat, structured, embeddings, extractor, generator, llm_router, probe, small_server, endpoints, settings"
    code = (
        f"import sys; from agents.models import {modules}; import agents.enhancement; "
        "heavy = {'openai', 'httpx', 'httpx2', 'torch', 'chromadb', 'langgraph', 'spacy', 'xllamacpp', 'ot'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
