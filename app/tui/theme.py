"""Our two themes; every difference that they make is also one of shape or words."""

from textual.theme import Theme

DARK = Theme(
    name="evenhand-dark",
    primary="#7aa2c8",
    secondary="#c8a86b",
    accent="#c8a86b",
    warning="#e0b050",
    error="#e07a6a",
    success="#7fb58a",
    foreground="#dcdfe4",
    background="#15181c",
    surface="#1b1f24",
    panel="#242a31",
    dark=True,
    variables={"block-cursor-text-style": "none", "footer-key-foreground": "#c8a86b"},
)
LIGHT = Theme(
    name="evenhand-light",
    primary="#2f5d86",
    secondary="#7a5b16",
    accent="#7a5b16",
    warning="#8a5a00",
    error="#a3301f",
    success="#2f6b3e",
    foreground="#1d2329",
    background="#fafaf7",
    surface="#f1f1ec",
    panel="#e4e4dd",
    dark=False,
    variables={"block-cursor-text-style": "none", "footer-key-foreground": "#7a5b16"},
)

__all__ = ["DARK", "LIGHT"]
