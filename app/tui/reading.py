"""Where the eye begins: a finished answer is shown from its start."""

from __future__ import annotations

from textual.containers import VerticalScroll

from app.tui.widgets.turn import TurnView


def show_beginning(log: VerticalScroll, view: TurnView) -> None:
    """Scroll to the first line of an answer that is longer than the view, unless the person has scrolled."""
    if not view.is_attached or not log.is_vertical_scroll_end:
        return
    top = view.virtual_region.y
    if view.virtual_region.height <= log.size.height:
        return
    first = view.live.virtual_region.y if view.live is not None else 0
    # The question stays in view with it, unless it fills half of the view itself.
    log.scroll_to(y=top + (first if first > log.size.height // 2 else 0), animate=False, immediate=True)


__all__ = ["show_beginning"]
