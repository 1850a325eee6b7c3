"""The keys at the foot: where there is no room for all of them, help and quit stay."""

from __future__ import annotations

from textual import events
from textual.screen import Screen
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

#: Actions whose keys are never left out.
KEPT = frozenset({"help", "quit", "app.help", "app.quit"})


class KeysFooter(Footer):
    """Textual's footer, which hides the keys that do not fit, from the right, but never help and quit."""

    def on_resize(self, event: events.Resize) -> None:
        """Fit to another width."""
        self._fit(event.size.width)

    def bindings_changed(self, screen: Screen[object]) -> None:
        """Fit what is offered now."""
        super().bindings_changed(screen)
        self.call_after_refresh(self.call_after_refresh, lambda: self._fit(self.size.width))

    def _fit(self, width: int) -> None:
        keys = [each for each in self.query(FooterKey) if each.parent is self]
        for each in keys:
            each.display = True
        others = [each for each in keys if each.action not in KEPT and not each.has_class("-command-palette")]
        needed = sum(_width(each) for each in keys)
        while needed > width and others:
            left_out = others.pop()
            left_out.display = False
            needed -= _width(left_out)
        palette = [each for each in keys if each.has_class("-command-palette")]
        if needed > width:
            for each in palette:
                each.display = False


def _width(key: FooterKey) -> int:
    # One blank on both sides of the key and behind its words; the palette has a border and a blank besides.
    return key.render().cell_len + (2 if key.has_class("-command-palette") else 0)


__all__ = ["KEPT", "KeysFooter"]
