"""Options that would be passed over in silence are refused: a run that does less than was asked misleads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from typer.core import TyperCommand

if TYPE_CHECKING:
    from typer import Context

#: Command, option that makes it do one thing only, and the parameters that this takes. The first that is given holds.
MODES: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "ask": {
        "batch": (
            *("question", "method", "k", "attribute", "tau", "soft", "target", "route", "balance"),
            *("enhancement", "both_sides", "seed", "output", "json"),
        ),
    },
    "audit": {"listing": ("json",), "compare": ("answer", "format", "output", "force", "json")},
    "calibrate": {"listing": ("json",)},
    "chat": {"plain": ("thread",)},
    "enrich": {
        "review_import": ("json",),
        "review_file": ("review", "force"),
        "review": ("json",),
        "quality": ("json",),
        "failed": ("json",),
        "agreement": ("json",),
        "dry_run": ("extractor", "refresh", "retry", "split", "no_index", "registry", "json"),
    },
    "entities review": {"apply": ("json",), "output": ("force",)},
    "ingest": {"retry": ("path", "maps", "attributes", "source", "encoding", "json")},
    "probe": {"listing": ("json",)},
}
#: Command, option, and the one without which it means nothing.
NEEDS: Final[dict[str, dict[str, str]]] = {
    "calibrate": {"validate_questions": "validate"},
    "enrich": {"force": "review_file"},
    "probe": {"cpt_pairs": "cpt_model"},
}
#: Command, and pairs of which only one would count.
EXCLUSIVE: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "ask": (("json", "output"),),
    "audit": (("json", "format"),),
    "evaluate": (("json", "markdown"), ("mini", "data")),
    "probe": (
        *(("json", "markdown"), ("bundled", "data"), ("own", "data")),
        *(("dry_run", "json"), ("dry_run", "markdown"), ("dry_run", "output")),
    ),
}
#: Options of `evaluate` that not every evaluation has a use for, and which has.
EVALUATED: Final[dict[str, tuple[str, ...]]] = {
    "k": ("faro", "orag", "warp"),
    "questions": ("faro", "all"),
    "calibrating": ("faro", "all"),
    "only": ("faro", "all"),
    "tau": ("faro", "all"),
    "draws": ("orag", "warp", "all"),
    "mentions": ("orag", "warp", "all"),
    "reviews": ("orag", "warp", "all"),
    "extractor": ("orag", "warp", "all"),
    "markdown": ("extraction", "router", "faro", "orag", "warp", "rewriting"),
    "corpus_name": ("orag", "warp"),
}


class StrictCommand(TyperCommand):
    """A command that refuses what it would pass over."""

    def invoke(self, ctx: Any) -> Any:
        """Check the options that were typed, then run."""
        refuse_ignored(ctx)
        return super().invoke(ctx)


def refuse_ignored(context: Context) -> None:
    """Look at what was typed for a command; defaults and the environment's values may always be passed over.

    Raises
    ------
    UsageError
        An option means nothing beside another one, or without one.
    """
    name = context.command_path.split(" ", 1)[-1]
    root = context.find_root()
    flags = {**_flags(root), **_flags(context)}
    own = _typed(context)
    _modes(MODES.get(name, {}), own, flags)
    for option, needed in NEEDS.get(name, {}).items():
        if option in own and needed not in own:
            _refuse(f"{flags[option]} belongs to {flags[needed]}", f"add {flags[needed]}, or leave it out")
    for one, other in EXCLUSIVE.get(name, ()):
        _either(one, other, own, flags)
    special = {"demo": _demo, "evaluate": _evaluate, "init": _init}.get(name)
    if special is not None:
        special(context, [*own, *_typed(root)], flags)


def _typed(context: Any) -> list[str]:
    """Return the names of the parameters that the command line gave."""
    names = [parameter.name for parameter in context.command.params]
    return [
        name for name in names if getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE"
    ]


def _flags(context: Any) -> dict[str, str]:
    """Return how each parameter is written: its long form where it has one, an argument in capitals."""
    return {
        parameter.name: parameter.name.upper()
        if parameter.param_type_name == "argument"
        else max(parameter.opts, key=len)
        for parameter in context.command.params
    }


def _modes(modes: dict[str, tuple[str, ...]], own: list[str], flags: dict[str, str]) -> None:
    mode = next((each for each in modes if each in own), None)
    if mode is None:
        return
    for option in own:
        if option != mode and option not in modes[mode]:
            _refuse(f"{flags[mode]} takes no {flags[option]}", "leave one of them out")


def _evaluate(context: Context, typed: list[str], flags: dict[str, str]) -> None:
    name = context.params["name"]
    if all(name not in users for users in EVALUATED.values()):
        return
    for option, users in EVALUATED.items():
        if option in typed and name not in users:
            hint = f"leave it out; it is for {', '.join(users)}"
            _refuse(f"`evaluate {name}` takes no {flags[option]}", hint)
    for other in ("data", "mini", "reviews"):
        _either("corpus_name", other, typed, flags)
    if name == "warp" and len(context.params["k"] or ()) > 1:
        _refuse("`evaluate warp` takes one -k", "run it again for another")


def _demo(context: Context, typed: list[str], flags: dict[str, str]) -> None:
    for option in ("workspace", "corpus_name"):
        if option in typed:
            _refuse(f"`demo` takes no {flags[option]}: it makes its own", "--folder says where")


def _init(context: Context, typed: list[str], flags: dict[str, str]) -> None:
    for option in ("workspace", "config"):
        _either("folder", option, typed, flags)


def _either(one: str, other: str, typed: list[str], flags: dict[str, str]) -> None:
    if one in typed and other in typed:
        _refuse(f"{flags[one]} and {flags[other]} exclude each other", "give one of them")


def _refuse(what: str, hint: str) -> None:
    from store.errors import UsageError

    raise UsageError(what, hint)


__all__ = ["EVALUATED", "EXCLUSIVE", "MODES", "NEEDS", "StrictCommand", "refuse_ignored"]
