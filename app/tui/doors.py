"""What the chat's keys open: other screens are imported when they are first wanted."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any

from app.tui.turns import Turn
from app.views.safe import line

if TYPE_CHECKING:
    from app.tui.app import EvenhandApp

#: Methods that a question can be asked again with, and what each does.
METHODS: tuple[tuple[str, str], ...] = (
    ("relevance", "without fairness: the most relevant documents"),
    ("exact", "the best of relevance, opinions and author groups"),
    ("exact-w2", "as exact, but far opinions that miss count more"),
    ("exact-weighted", "documents and order at once, by the ranks' weights"),
    ("balanced", "a probability sample of the documents, in proportion"),
    ("faro", "the most relevant whose predicted output bias is right"),
    ("faro-grid", "as faro, by the published grid of prices"),
    ("lp", "as faro, by a linear programme made whole"),
    ("probabilistic", "as faro, each rank's side by a throw"),
    ("mmr", "relevance, and unlike what is chosen already"),
    ("dpp", "a diverse set by determinant"),
    ("kl", "greedy, by divergence from the population"),
    ("js", "greedy, by symmetric divergence"),
    ("opinion-mmr", "relevance, and unlike in opinion"),
    ("w1-greedy", "greedy, by distance to the population"),
    ("w1-mmr", "relevance against distance, one at a time"),
    ("wassrank-ot", "optimal transport to the population"),
    ("stratified", "a sample by opinion"),
    ("random", "any documents on the subject"),
)


def open_audit(desk: EvenhandApp, turn: Turn, ids: Sequence[str]) -> None:
    """Open the audit of an answer."""
    from app.tui.screens.audit import AuditScreen

    if turn.receipt is not None:
        desk.push_screen(AuditScreen(turn.answer_id, ids))


def open_source(desk: EvenhandApp, turn: Turn, number: int) -> None:
    """Open the document behind a citation (0: the first one), its quotes marked."""
    from app.tui.screens.source import SourceScreen

    citations = turn.receipt.citations if turn.receipt is not None else ()
    found = next((each for each in citations if not number or each.number == number), None)
    if found is None:
        desk.notify(
            f"The answer has no source [{number}]." if number else "The answer cites nothing.", markup=False
        )
        return
    spans = [
        (each.start, each.end)
        for each in citations
        if each.document_id == found.document_id and each.start is not None and each.end is not None
    ]
    desk.push_screen(SourceScreen(found.document_id, spans))


def open_explore(desk: EvenhandApp) -> None:
    """Open the corpus for reading."""
    from app.tui.screens.explore import ExploreScreen

    desk.push_screen(ExploreScreen())


def open_ingest(desk: EvenhandApp) -> None:
    """Read a file; the corpora are read again after it."""
    from app.tui.screens.ingest import IngestScreen

    async def read_again() -> None:
        await desk.refresh_corpora()
        desk.chat.on_screen_resume()

    def after(_result: object) -> None:
        in_worker(desk, read_again)

    desk.push_screen(IngestScreen(), after)


def open_sessions(desk: EvenhandApp) -> None:
    """Show the conversations; resume the one that is chosen."""
    from app.tui.screens.sessions import SessionsScreen

    async def choose() -> None:
        thread = await desk.push_screen_wait(SessionsScreen(desk.chat.thread))
        if thread is None:
            return
        if thread == desk.chat.thread:
            found = [each for each in await desk.backstage.call(desk.conversations.all) if each.id == thread]
            desk.chat.title_text = found[0].title if found else desk.chat.title_text
            return
        await desk.chat.stop_and_store()
        await (desk.chat.resume(thread) if thread else desk.chat.new())

    in_worker(desk, choose)


def new_conversation(desk: EvenhandApp) -> None:
    """Start a new conversation."""

    async def start() -> None:
        await desk.chat.stop_and_store()
        await desk.chat.new()

    in_worker(desk, start)


def ask_again(desk: EvenhandApp, turn: Turn, method: str = "") -> None:
    """Ask a question again by another method, beside the first answer."""
    from app.tui.screens.again import AgainScreen
    from app.tui.screens.dialogs import ChooseDialog

    async def ask() -> None:
        chosen: str | None = method or await desk.push_screen_wait(
            ChooseDialog(
                "Ask again with which method?",
                [(name, f"{name:<14} {what}") for name, what in METHODS],
                words=f"{line(turn.question, limit=200)}",
            )
        )
        if chosen:
            desk.push_screen(AgainScreen(turn, chosen))

    if turn.receipt is not None:
        in_worker(desk, ask)


def copy(desk: EvenhandApp, text: str) -> None:
    """Copy to the terminal's clipboard and, where there is one, to the system's."""
    from app.tui.clipboard import native_copy

    desk.copy_to_clipboard(text)

    async def also() -> None:
        tool = await desk.backstage.call(native_copy, text)
        where = f"with {tool}" if tool else "sent to the terminal, which may not take it; F8 saves to a file"
        desk.notify(f"{len(text):,} characters, {where}", title="Copied", markup=False)

    in_worker(desk, also)


def save(desk: EvenhandApp, turn: Turn | None, thread: str) -> None:
    """Save the answer, or the whole conversation, to a file."""
    from app.tui.saving import save_answer, save_conversation
    from app.tui.screens.dialogs import ChooseDialog

    async def choose() -> None:
        if turn is None or not turn.answer_id:
            desk.notify("There is nothing to save yet.", markup=False)
            return
        what = await desk.push_screen_wait(
            ChooseDialog(
                "Save what?",
                [
                    ("answer", "This answer with its receipt"),
                    ("all", "The whole conversation with its receipts"),
                ],
            )
        )
        if what == "answer":
            await save_answer(desk, turn.answer_id)
        elif what == "all":
            await save_conversation(desk, thread)

    in_worker(desk, choose)


def switch_corpus(desk: EvenhandApp) -> None:
    """Talk to another corpus, in a new conversation."""
    from app.tui.screens.dialogs import ChooseDialog

    async def choose() -> None:
        await desk.refresh_corpora()
        choices = [
            (each.name, line(f"{each.name}  ({each.documents:,} documents)", limit=100, ascii=desk.ascii))
            for each in desk.corpora
        ]
        name = await desk.push_screen_wait(ChooseDialog("Which corpus?", choices, current=desk.corpus))
        if name and name != desk.corpus:
            await desk.chat.stop_and_store()
            desk.corpus = name
            await desk.chat.new()

    in_worker(desk, choose)


def switch_model(desk: EvenhandApp) -> None:
    """Let another model of the configured server write, or none."""
    from app.tui.screens.dialogs import ChooseDialog

    async def choose() -> None:
        offered = await desk.backstage.models()
        words = "" if offered else "No model server is configured (`models.base_url` in evenhand.toml)."
        choices = [("", "embedded writer: quotes and counts, no language model")]
        choices += [(name, line(name, limit=100)) for name in offered]
        model = await desk.push_screen_wait(
            ChooseDialog("Who writes the answers?", choices, words=words, current=desk.model)
        )
        if model is not None:
            await desk.chat.stop_and_store()
            await desk.backstage.use_model(model)
            desk.chat.on_screen_resume()

    in_worker(desk, choose)


def switch_method(desk: EvenhandApp) -> None:
    """Choose documents by another method from now on."""
    from app.tui.screens.dialogs import ChooseDialog

    async def choose() -> None:
        choices = [("", f"{'auto':<12} as the settings say")] + [
            (n, f"{n:<14} {what}") for n, what in METHODS
        ]
        chosen = await desk.push_screen_wait(
            ChooseDialog("How shall documents be chosen?", choices, current=desk.chat.method)
        )
        if chosen is not None:
            desk.chat.method = chosen
            desk.chat.on_screen_resume()

    in_worker(desk, choose)


def in_worker(desk: EvenhandApp, task: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run what waits for a person or a thread; an error of ours becomes a notice."""
    from app.tui.streaming import failure_words

    async def run() -> None:
        try:
            await task()
        except Exception as error:  # noqa: BLE001 - shown to the person; the app goes on
            desk.notify(line(failure_words(error), limit=600), severity="error", markup=False, timeout=10)

    desk.run_worker(run(), exit_on_error=False)


__all__ = [
    "METHODS",
    "ask_again",
    "copy",
    "in_worker",
    "new_conversation",
    "open_audit",
    "open_explore",
    "open_ingest",
    "open_sessions",
    "open_source",
    "save",
    "switch_corpus",
    "switch_method",
    "switch_model",
]
