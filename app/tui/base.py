"""What our screens have in common: the app by its own type, and the widths at which they change."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, TypeVar, cast

from textual import events
from textual.screen import ModalScreen, Screen
from textual.widgets import Static

if TYPE_CHECKING:
    from app.tui.app import EvenhandApp

T = TypeVar("T")

#: Classes that a screen has from this many columns or rows on.
WIDTHS = [(0, "-narrow"), (120, "-wide")]
HEIGHTS = [(0, "-short"), (20, "-tall")]
#: Columns and rows that every screen can be used with.
SMALLEST = (60, 16)


class BaseScreen(Screen[T]):
    """A screen of this app."""

    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS
    #: Whether the screen is of no use below ``SMALLEST``, and says so.
    ROOMY: ClassVar[bool] = False

    async def _on_resize(self, event: events.Resize) -> None:
        """Say where a screen of panels has no room for them."""
        width, height = event.size
        small = self.ROOMY and (width < SMALLEST[0] or height < SMALLEST[1])
        found = self.query("#too-small")
        if small and not found:
            words = f"too small: at least {SMALLEST[0]}x{SMALLEST[1]}"
            await self.mount(Static(words, id="too-small", markup=False), before=0)
        elif found and not small:
            await found.remove()

    @property
    def desk(self) -> EvenhandApp:
        """The app, with the service and what else the screens share."""
        return cast("EvenhandApp", self.app)


class BaseModal(ModalScreen[T]):
    """A modal screen of this app."""

    @property
    def desk(self) -> EvenhandApp:
        """The app, with the service and what else the screens share."""
        return cast("EvenhandApp", self.app)


__all__ = ["HEIGHTS", "SMALLEST", "WIDTHS", "BaseModal", "BaseScreen"]
