"""How the terminal app feels: first frame, streaming into a long conversation, opening a session of 1,000 answers.

    python -m tests.benchmarks.bench_tui [--tokens 600] [--earlier 40] [--runs 3]

The first frame is that of a fresh process in a pseudo-terminal, from ``exec`` to the question box on the screen. Lag is
how late a timer of 10 ms comes on the app's loop; echo is the time from a key press until the screen that shows it is
drawn. Wall clock; the load of the machine is printed beside it, as other programs' work counts.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from textual import events
from textual.widgets import Markdown

from app.bootstrap import Parts
from app.settings import Settings
from app.tui.app import EvenhandApp
from app.tui.widgets.prompt import Prompt
from app.tui.widgets.turn import TurnView
from store.database import Database
from store.tables import Corpus, Document, Source
from tests.app.tui.conftest import Script, ScriptedBackstage, add_answers, opened, until

WORDS = (
    "Reviewers ",
    "praise ",
    "the **warm** ",
    "dishes ",
    "[1] ",
    "and ",
    "complain ",
    "of ",
    "queues ",
    "[2].\n",
)


def workspace(answers: int) -> Path:
    """Make a workspace with one conversation of so many answers."""
    folder = Path(tempfile.mkdtemp(prefix="evenhand-bench-"))
    database = Database(f"sqlite:///{folder / 'evenhand.db'}")
    database.upgrade()
    with database.session() as session:
        corpus = Corpus(name="lounges")
        session.add(corpus)
        session.flush()
        source = Source(corpus_id=corpus.id, name="r")
        session.add(source)
        session.flush()
        session.add(
            Document(corpus_id=corpus.id, source_id=source.id, external_id="r", text="x", content_hash="x")
        )
    database.close()
    add_answers(folder, "talk", answers)
    return folder


def first_frame(folder: Path) -> tuple[float, float]:
    """Return seconds of wall clock and of the process's CPU until the question box is on the screen."""
    leader, follower = pty.openpty()
    started = time.perf_counter()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}
    command = [sys.executable, "-m", "app.cli", "--workspace", str(folder), "chat"]
    process = subprocess.Popen(
        command, stdin=follower, stdout=follower, stderr=follower, env=environment, start_new_session=True
    )
    os.close(follower)
    seen = b""
    while b"Enter sends" not in seen:
        if not select.select([leader], [], [], 60)[0]:
            raise SystemExit(f"no first frame: {seen[-500:]!r}")
        seen += os.read(leader, 65536)
    wall = time.perf_counter() - started
    fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    process.send_signal(signal.SIGKILL)
    process.wait()
    os.close(leader)
    return wall, cpu


class Lag:
    """How late a timer of 10 ms comes, in milliseconds."""

    def __init__(self) -> None:
        self.late: list[float] = []
        self._task = asyncio.ensure_future(self._run())

    async def _run(self) -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.01)
            self.late.append(1e3 * (time.perf_counter() - before) - 10)

    def stop(self) -> np.ndarray:
        """Return what was measured."""
        self._task.cancel()
        return np.asarray(self.late)


async def key_to_echo(desk: EvenhandApp, prompt: Prompt) -> float:
    """Return milliseconds from a key press until the screen that shows it is drawn."""
    before, drawn = len(prompt.text), asyncio.Event()
    started = time.perf_counter()
    desk.post_message(events.Key("x", "x"))
    while len(prompt.text) == before:
        await asyncio.sleep(0.001)
    prompt.call_after_refresh(drawn.set)
    await drawn.wait()
    return 1e3 * (time.perf_counter() - started)


async def streaming(tokens: int, earlier: int) -> None:
    """Stream 100 tokens a second below earlier answers while somebody types."""
    folder = workspace(earlier)
    pieces = [WORDS[n % len(WORDS)] for n in range(tokens)]
    script = Script(pieces=pieces, gap=0.01)
    backstage = ScriptedBackstage(lambda: Parts(Settings(workspace=str(folder))), script)
    desk = EvenhandApp(backstage, thread="talk")
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        while (older := desk.chat.query("Older")) and len(desk.chat.query(TurnView)) < earlier:
            before = len(desk.chat.query(TurnView))
            older.first().action_load()
            await until(lambda before=before: len(desk.chat.query(TurnView)) > before, pilot)
        mounted = len(desk.chat.query(TurnView))
        prompt = desk.chat.query_one(Prompt)
        desk.chat.ask("What about the food?")
        await until(lambda: desk.chat.streaming, pilot)
        lag, echoes, started = Lag(), [], time.perf_counter()
        while desk.chat.streaming:
            echoes.append(await key_to_echo(desk, prompt))
            await asyncio.sleep(0.15)
        seconds = time.perf_counter() - started
        late = lag.stop()
        sent, turn = "".join(pieces), desk.chat.turns[-1]
        await pilot.pause()
        equal = turn.text == sent == desk.chat.query(Markdown).last().source
    backstage.close()
    print(
        f"streaming: {tokens} tokens in {seconds:.1f} s below {mounted} answers; text equal to what was sent: {equal}\n"
        f"  key to echo  p50 {np.percentile(echoes, 50):6.1f}  p95 {np.percentile(echoes, 95):6.1f}  max "
        f"{max(echoes):6.1f} ms of {len(echoes)} keys   bar p95 < 50\n"
        f"  loop lag     p50 {np.percentile(late, 50):6.1f}  p99 {np.percentile(late, 99):6.1f}  max "
        f"{late.max():6.1f} ms   bar p99 < 250"
    )


async def opening(answers: int) -> None:
    """Open a conversation of many answers."""
    folder = workspace(answers)
    backstage = ScriptedBackstage(lambda: Parts(Settings(workspace=str(folder))), Script())
    desk = EvenhandApp(backstage)
    async with desk.run_test(size=(80, 24)) as pilot:
        await opened(desk, pilot)
        drawn = asyncio.Event()
        started, cpu = time.perf_counter(), time.process_time()
        await desk.chat.resume("talk")
        desk.chat.call_after_refresh(drawn.set)
        await drawn.wait()
        wall, cpu = time.perf_counter() - started, time.process_time() - cpu
    backstage.close()
    print(f"opening a session of {answers:,} answers: {wall:.2f} s wall, {cpu:.2f} s CPU   bar < 1 s")


async def imports(folder: Path) -> None:
    """Open the real service behind the app: how late the loop is meanwhile."""
    from app.backstage import Backstage

    backstage = Backstage(lambda: Parts(Settings(workspace=str(folder))))
    desk = EvenhandApp(backstage)
    begin, desk.reopen = desk.reopen, lambda: None  # type: ignore[method-assign]
    async with desk.run_test(size=(80, 24)) as pilot:
        await pilot.pause(0.5)
        lag, started = Lag(), time.perf_counter()
        begin()
        await opened(desk, pilot)
        # The app has begun to load it; this waits for the same imports.
        await backstage.call(backstage.warm)
        late = lag.stop()
        seconds = time.perf_counter() - started
    backstage.close()
    print(
        f"opening the service and loading the agent behind it ({seconds:.1f} s): loop lag p50 "
        f"{np.percentile(late, 50):.1f}  p99 {np.percentile(late, 99):.1f}  max {late.max():.1f} ms   bar max < 100"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=600)
    parser.add_argument("--earlier", type=int, default=40)
    parser.add_argument("--answers", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--imports", metavar="WORKSPACE", type=Path, help="only the lag of the imports, once")
    arguments = parser.parse_args()
    # As the command line sets it.
    gc.set_threshold(100_000, 50, 50)
    if arguments.imports:
        asyncio.run(imports(arguments.imports))
        return
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    folder = workspace(1)
    frames = [first_frame(folder) for _ in range(arguments.runs)]
    told = ", ".join(f"{wall:.2f} ({cpu:.2f} CPU)" for wall, cpu in frames)
    print(f"first frame of a fresh process: {told} s   bar < 1.0 s")
    # What is imported can be measured once a process.
    subprocess.run([sys.executable, "-m", "tests.benchmarks.bench_tui", "--imports", str(folder)], check=True)
    asyncio.run(opening(arguments.answers))
    asyncio.run(streaming(arguments.tokens, arguments.earlier))


if __name__ == "__main__":
    main()
