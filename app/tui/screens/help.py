"""Help from the bindings that are live on the screen it was called from."""

from __future__ import annotations

from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen, Screen
from textual.widgets import Footer, Static

#: Keys of text fields that everybody knows, or that would fill the page.
_SKIPPED = (
    "app.command_palette",
    "screen.",
    "up",
    "down",
    "left",
    "right",
    "home",
    "end",
    "pageup",
    "pagedown",
)


#: What ASCII mode does to text that has no ASCII form.
ASCII_WORDS = (
    "In ASCII mode a character without an ASCII form stands as its code, such as \\U0001f355, "
    "or as ? where there is no room."
)


def _own_actions(kind: type) -> set[str]:
    """Return the actions that our own classes bind: what every text field and list can do needs no page."""
    found: set[str] = set()
    for each in kind.__mro__:
        if each.__module__.startswith("app."):
            bound = each.__dict__.get("BINDINGS", ())
            found.update(binding.action for binding in bound if isinstance(binding, Binding))
    return found


class HelpScreen(ModalScreen[None]):
    """A page of keys."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,f1", "dismiss_help", "Close", id="help.close"),
    ]

    def __init__(self, rows: list[tuple[str, str]], about: str = "") -> None:
        super().__init__()
        self._rows = rows
        self._about = about

    @classmethod
    def of(cls, screen: Screen[Any]) -> HelpScreen:
        """Return the help of a screen as it is now."""
        rows: dict[str, list[str]] = {}
        app = screen.app
        for active in screen.active_bindings.values():
            binding = active.binding
            if binding.system or not binding.description:
                continue
            if active.node is not app and binding.action not in _own_actions(type(active.node)):
                continue
            keys = rows.setdefault(active.tooltip or binding.description, [])
            key = app.get_key_display(binding)
            if key not in keys:
                keys.append(key)
        listed = list(getattr(screen.focused, "HELP_KEYS", ()))
        listed += [(" ".join(keys), text) for text, keys in rows.items()]
        about = getattr(screen, "HELP_WORDS", "")
        if getattr(app, "ascii", False):
            about = f"{about} {ASCII_WORDS}".strip()
        return cls(listed, about)

    def compose(self) -> ComposeResult:
        """List the keys and what they do."""
        width = max((len(keys) for keys, _ in self._rows), default=0)
        text = "\n".join(f"{keys:<{width}}  {what}" for keys, what in self._rows)
        with Vertical(classes="dialog"):
            yield Static("Keys that work here", classes="dialog-title")
            with VerticalScroll(classes="dialog-body"):
                if self._about:
                    yield Static(self._about, markup=False, classes="dialog-words")
                yield Static(text, markup=False)
        yield Footer()

    def action_dismiss_help(self) -> None:
        """Close the help."""
        self.dismiss()


__all__ = ["HelpScreen"]
