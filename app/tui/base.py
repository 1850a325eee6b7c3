"""What our screens have in common: the app by its own type, and the widths at which they change."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

from textual.screen import ModalScreen, Screen

if TYPE_CHECKING:
    from app.tui.app import EvenhandApp

T = TypeVar("T")

#: Classes that a screen has from this many columns or rows on.
WIDTHS = [(0, "-narrow"), (120, "-wide")]
HEIGHTS = [(0, "-short"), (20, "-tall")]


class BaseScreen(Screen[T]):
    """A screen of this app."""

    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS

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


__all__ = ["HEIGHTS", "WIDTHS", "BaseModal", "BaseScreen"]
