"""The chat models of a configuration: one client an endpoint, shared by the roles that use it."""

from __future__ import annotations

from agents.models.cache import Cache
from agents.models.chat import Attempt, OpenAIChat
from agents.models.quirks import QuirkBook
from agents.models.settings import EndpointSettings, ModelsSettings
from agents.models.usage import UsageMeter
from store.ports import Role


class ChatModels:
    """Chat models by role. Roles with equal settings share a client, and with it the limits of its server."""

    def __init__(
        self,
        settings: ModelsSettings,
        *,
        meter: UsageMeter | None = None,
        quirks: QuirkBook | None = None,
        cache: Cache | None = None,
    ) -> None:
        self._settings = settings
        self.meter = meter if meter is not None else UsageMeter()
        self.quirks = quirks if quirks is not None else QuirkBook()
        self._cache = cache
        self._clients: list[tuple[EndpointSettings, OpenAIChat]] = []

    def for_role(self, role: Role) -> OpenAIChat | None:
        """Return the chat model of a role, or None when none is configured. Raises ConfigurationError."""
        endpoint = self._settings.for_role(role)
        if endpoint is None:
            return None
        for known, chat in self._clients:
            if known == endpoint:
                return chat
        chat = OpenAIChat(endpoint, meter=self.meter, quirks=self.quirks, cache=self._cache)
        self._clients.append((endpoint, chat))
        return chat

    @property
    def waiting(self) -> Attempt | None:
        """The call that is waited for now, None when none is."""
        return next((chat.waiting for _, chat in self._clients if chat.waiting is not None), None)

    async def aclose(self) -> None:
        """Close every connection, and keep what was learnt of the servers."""
        for _, chat in self._clients:
            await chat.aclose()
        self.quirks.save()


__all__ = ["ChatModels"]
