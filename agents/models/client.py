"""The openai library's client, tamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from agents.models.connections import async_client_class, client_class
from agents.models.settings import EndpointSettings

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI


def open_client(settings: EndpointSettings) -> AsyncOpenAI:
    """Return the library's client, without retries of its own and without anything from the environment."""
    import openai

    options = _options(settings)
    client = async_client_class()(trust_env=not _is_local(settings), timeout=options["timeout"])
    return openai.AsyncOpenAI(**options, http_client=client)


def open_sync_client(settings: EndpointSettings) -> OpenAI:
    """Return the synchronous client, otherwise as :func:`open_client`."""
    import openai

    options = _options(settings)
    client = client_class()(trust_env=not _is_local(settings), timeout=options["timeout"])
    return openai.OpenAI(**options, http_client=client)


def _options(settings: EndpointSettings) -> dict[str, Any]:
    import openai

    return {
        "base_url": settings.base_url,
        # The library would fall back to OPENAI_* variables, and send one server's key to another.
        "api_key": settings.key() or "none",
        "admin_api_key": "",
        "organization": "",
        "project": "",
        "timeout": openai.Timeout(settings.timeouts.total, connect=settings.timeouts.connect),
        "max_retries": 0,
    }


def _is_local(settings: EndpointSettings) -> bool:
    # A proxy of the environment has no business between this machine and itself.
    host = urlsplit(settings.base_url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


__all__ = ["open_client", "open_sync_client"]
