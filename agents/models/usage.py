"""Tokens, seconds and cost, counted by role."""

from __future__ import annotations

from threading import Lock

from store.ports import Role, Usage


class UsageMeter:
    """Adds up what calls used, by role. Safe to share between threads and clients.

    ``seconds`` is the sum over calls, so with concurrent calls it exceeds the time on the wall.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._by_role: dict[Role, Usage] = {}

    def __getstate__(self) -> dict[Role, Usage]:
        return self.by_role()

    def __setstate__(self, state: dict[Role, Usage]) -> None:
        self._lock = Lock()
        self._by_role = dict(state)

    def add(self, role: Role, usage: Usage) -> None:
        """Count one call (or several) for a role."""
        with self._lock:
            self._by_role[role] = self._by_role.get(role, Usage()) + usage

    def by_role(self) -> dict[Role, Usage]:
        """Return a snapshot, one entry a role that was used."""
        with self._lock:
            return dict(self._by_role)

    def total(self) -> Usage:
        """Return the sum over all roles."""
        return sum(self.by_role().values(), Usage())


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text has: a quarter of its UTF-8 bytes, at least one.

    Good to some 20 % for English and on the high side for other scripts; used only for limits and plans, and
    where a server reports no usage.
    """
    return max(1, (len(text.encode("utf-8", "replace")) + 3) // 4)


__all__ = ["UsageMeter", "estimate_tokens"]
