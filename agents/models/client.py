"""The openai library's client, tamed."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from agents.models.settings import EndpointSettings

if TYPE_CHECKING:
    from openai import AsyncOpenAI


def open_client(settings: EndpointSettings) -> AsyncOpenAI:
    """Return the library's client, without retries of its own and without anything from the environment."""
    import openai

    timeouts = settings.timeouts
    timeout = openai.Timeout(timeouts.total, connect=timeouts.connect)
    host = urlsplit(settings.base_url).hostname or ""
    # A proxy of the environment has no business between this machine and itself.
    local = host in ("localhost", "::1") or host.startswith("127.")
    return openai.AsyncOpenAI(
        base_url=settings.base_url,
        # The library would fall back to OPENAI_* variables, and send one server's key to another.
        api_key=settings.key() or "none",
        admin_api_key="",
        organization="",
        project="",
        timeout=timeout,
        max_retries=0,
        http_client=openai.DefaultAsyncHttpxClient(trust_env=not local, timeout=timeout),
    )


__all__ = ["open_client"]
