from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import event, inspect, text
from sqlalchemy.orm import Session

import store.database
from store.database import HEAD_REVISION, Database, _alembic_config
from store.errors import (
    ConfigurationError,
    SchemaMismatch,
    ServiceUnreachable,
    StoreError,
    Unwritable,
    WorkspaceBusy,
)
from store.tables import Base, Corpus
from tests.conftest import new_corpus


def tables(database: Database) -> set[str]:
    return set(inspect(database.engine).get_table_names()) - {"alembic_version"}


@contextmanager
def opened(url: str) -> Iterator[Database]:
    found = Database(url)
    try:
        yield found
    finally:
        found.close()


def add(session: Session, first: str) -> None:
    """Execute a statement, then write."""
    session.execute(text(first))
    session.add(Corpus(name="late"))
    session.flush()


def sqlite_file(path: Path, *statements: str) -> str:
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    return f"sqlite:///{path}"


def stamped(path: Path, revision: str) -> str:
    return sqlite_file(
        path,
        "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)",
        f"INSERT INTO alembic_version VALUES ('{revision}')",
    )


def test_head_revision_is_the_newest_script() -> None:
    scripts = ScriptDirectory.from_config(_alembic_config(None))
    assert scripts.get_heads() == [HEAD_REVISION]


def test_down_and_up_again(database: Database) -> None:
    new_corpus(database)
    database.downgrade("base")
    assert tables(database) == set()
    assert database.revision() is None
    database.upgrade()
    assert tables(database) == {table.name for table in Base.metadata.sorted_tables}
    assert database.revision() == HEAD_REVISION
    database.check_revision()
    with database.session() as session:
        assert session.query(Corpus).count() == 0


def test_tables_and_migrations_say_the_same(database: Database) -> None:
    with database.engine.connect() as connection:
        command.check(_alembic_config(connection))


def test_upgrade_of_an_upgraded_database_changes_nothing(database: Database) -> None:
    corpus = new_corpus(database)
    database.upgrade()
    with database.session() as session:
        assert session.get(Corpus, corpus) is not None


def test_upgrade_that_dies_half_way_can_be_repeated(tmp_path: Path) -> None:
    with opened(f"sqlite:///{tmp_path / 'half.db'}") as database:
        seen: list[str] = []

        def die(_c: object, _k: object, statement: str, *_: object) -> None:
            seen.append(statement)
            if "CREATE TABLE documents" in statement:
                raise KeyboardInterrupt

        event.listen(database.engine, "before_cursor_execute", die)
        with pytest.raises(KeyboardInterrupt):
            database.upgrade()
        assert any("CREATE TABLE corpora" in statement for statement in seen)
        event.remove(database.engine, "before_cursor_execute", die)
        assert tables(database) == set()
        database.upgrade()
        database.check_revision()


def test_upgrade_loads_alembic_and_questions_do_not(sqlite_template: Path) -> None:
    program = (
        "import sys; from store.database import Database; d = Database(sys.argv[1]); d.check_revision();"
        "assert 'alembic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program, f"sqlite:///{sqlite_template}"], check=True, timeout=60)


@pytest.mark.parametrize(
    ("revision", "message", "hint"),
    [
        ("0000", "has schema 0000, this program needs 0001", "run `evenhand db upgrade`"),
        ("9999", "has schema 9999, newer than this program's 0001", "install a newer evenhand"),
        (
            "1975ea83b712",
            "belongs to another program (its schema is '1975ea83b712')",
            "correct `database_url`",
        ),
    ],
)
def test_other_schemas_are_refused(tmp_path: Path, revision: str, message: str, hint: str) -> None:
    with opened(stamped(tmp_path / "other.db", revision)) as database:
        with pytest.raises(SchemaMismatch, match=re.escape(message)) as caught:
            database.check_revision()
        assert caught.value.hint.startswith(hint)
        assert str(tmp_path) in caught.value.message
        if revision != "0000":
            with pytest.raises(SchemaMismatch, match=re.escape(message)):
                database.upgrade()


def test_a_database_without_our_tables(tmp_path: Path) -> None:
    with opened(sqlite_file(tmp_path / "shop.db", "CREATE TABLE orders (id INTEGER)")) as database:
        with pytest.raises(SchemaMismatch, match="no Evenhand tables in") as caught:
            database.check_revision()
        assert caught.value.hint == "run `evenhand db upgrade`"
        with pytest.raises(SchemaMismatch, match="no such table: corpora"), database.session() as session:
            session.query(Corpus).all()


def test_a_foreign_table_in_the_way_stops_the_upgrade_and_stays(tmp_path: Path) -> None:
    with opened(sqlite_file(tmp_path / "shop.db", "CREATE TABLE documents (id INTEGER)")) as database:
        with pytest.raises(StoreError, match="table documents already exists"):
            database.upgrade()
        assert tables(database) == {"documents"}


def test_postgres_without_our_tables(postgres_url: str) -> None:
    with (
        opened(postgres_url) as database,
        pytest.raises(SchemaMismatch, match=r"no Evenhand tables in .*nowhere"),
        database.session() as session,
    ):
        session.execute(text("SELECT * FROM nowhere"))


@pytest.mark.parametrize("damage", ["not a database", "inside"])
def test_damaged_file(tmp_path: Path, sqlite_template: Path, damage: str) -> None:
    path = tmp_path / "damaged.db"
    raw = bytearray(sqlite_template.read_bytes())
    if damage == "inside":
        raw[4096:] = b"\xff" * (len(raw) - 4096)
        path.write_bytes(raw)
    else:
        path.write_bytes(b"this is a letter to my aunt" * 100)
    with opened(f"sqlite:///{path}") as database:
        with pytest.raises(StoreError, match=r"the database sqlite:///.* is damaged \(.*\)") as caught:
            database.check_revision()
        assert caught.value.hint == "restore it from a backup, or start a new workspace"
        with pytest.raises(StoreError, match="is damaged"):
            database.upgrade()


def test_read_only_file(sqlite_database: Database) -> None:
    @event.listens_for(sqlite_database.engine, "checkout")
    def _forbid(connection: sqlite3.Connection, *_: object) -> None:
        connection.execute("PRAGMA query_only=ON")

    with pytest.raises(
        Unwritable, match=r"cannot write the database .* \(attempt to write a readonly"
    ) as caught:
        new_corpus(sqlite_database)
    assert caught.value.hint == "check the folder's permissions"


def test_a_folder_where_the_file_should_be(tmp_path: Path) -> None:
    (tmp_path / "evenhand.db").mkdir()
    with (
        opened(f"sqlite:///{tmp_path / 'evenhand.db'}") as database,
        pytest.raises(StoreError, match="unable to open database file") as caught,
    ):
        database.revision()
    assert caught.value.hint == "check the folder's permissions"


def test_full_disk(sqlite_database: Database) -> None:
    @event.listens_for(sqlite_database.engine, "checkout")
    def _limit(connection: sqlite3.Connection, *_: object) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count={pages}")

    with (
        pytest.raises(Unwritable, match="database or disk is full") as caught,
        sqlite_database.session() as session,
    ):
        session.add_all(Corpus(name=f"{n}", settings={"x": "y" * 4000}) for n in range(200))
    assert caught.value.hint == "free some disk space and run again"


def test_locked_file(tmp_path: Path, sqlite_database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store.database, "BUSY_TIMEOUT_SECONDS", 0.2)
    with opened(sqlite_database.url) as second, sqlite_database.session() as session:
        session.add(Corpus(name="first"))
        session.flush()
        with pytest.raises(WorkspaceBusy, match="is locked by another process") as caught:
            new_corpus(second, "second")
        assert caught.value.retryable
        assert caught.value.hint == "wait for it to finish and run again"
        with pytest.raises(WorkspaceBusy):
            second.upgrade()


def test_locked_table_of_a_server(postgres_url: str) -> None:
    with opened(postgres_url) as first, opened(postgres_url) as second, first.session() as holder:
        holder.execute(text("LOCK TABLE corpora IN EXCLUSIVE MODE"))
        with pytest.raises(WorkspaceBusy, match="is locked by another process"), second.session() as session:
            add(session, "SET LOCAL lock_timeout = '100ms'")


def test_server_that_refuses_writes(postgres_url: str) -> None:
    with (
        opened(postgres_url) as database,
        pytest.raises(Unwritable, match="cannot write the database") as caught,
        database.session() as session,
    ):
        add(session, "SET TRANSACTION READ ONLY")
    assert caught.value.hint == "connect to a server that accepts writes"


def test_server_that_does_not_answer_and_a_password_that_is_not_shown() -> None:
    with opened("postgresql+psycopg://me:secret@127.0.0.1:1/db?connect_timeout=2") as database:
        with pytest.raises(ServiceUnreachable, match="does not answer") as caught:
            database.check_revision()
        assert caught.value.exit_code == 3
        assert "secret" not in str(caught.value)
        with pytest.raises(ServiceUnreachable):
            database.upgrade()


def test_no_such_database_on_the_server(postgres_url: str) -> None:
    with (
        opened(postgres_url + "_absent") as database,
        pytest.raises(ServiceUnreachable, match="does not exist"),
    ):
        database.revision()


@pytest.mark.parametrize(
    "url", ["nonsense", "oracle9://me:secret@host/db", "mysql+nodriver://me:secret@host/db", ""]
)
def test_urls_that_cannot_be_used(url: str) -> None:
    with pytest.raises(ConfigurationError, match="`database_url` cannot be used") as caught:
        Database(url)
    assert "secret" not in str(caught.value)


def test_a_failed_session_leaves_nothing(database: Database) -> None:
    def fail(session: Session) -> None:
        add(session, "SELECT 1")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), database.session() as session:
        fail(session)
    with database.session() as session:
        assert session.query(Corpus).count() == 0


def test_two_processes_that_upgrade_at_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'shared.db'}"
    program = (
        "import sys; from store.database import Database; d = Database(sys.argv[1]); d.upgrade(); d.close()"
    )
    running = [subprocess.Popen([sys.executable, "-c", program, url]) for _ in range(2)]
    assert [process.wait(timeout=120) for process in running] == [0, 0]
    with opened(url) as database:
        database.check_revision()
        assert tables(database) == {table.name for table in Base.metadata.sorted_tables}


def test_a_first_connection_waits_for_one_that_writes(tmp_path: Path) -> None:
    path = tmp_path / "evenhand.db"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE t (x)")
    other.execute("BEGIN IMMEDIATE")
    other.execute("INSERT INTO t VALUES (1)")
    with pytest.raises(sqlite3.OperationalError, match="locked"), closing(sqlite3.connect(path)) as plain:
        plain.execute("PRAGMA journal_mode=WAL")  # SQLite itself does not wait
    threading.Timer(0.3, lambda: other.execute("COMMIT")).start()
    with opened(f"sqlite:///{path}") as database, database.engine.connect() as connection:
        assert connection.execute(text("PRAGMA journal_mode")).scalar_one() == "wal"
    other.close()


def test_a_killed_writer_s_log_without_its_index_is_said_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "evenhand.db"
    with opened(f"sqlite:///{path}") as first:
        first.upgrade()
        new_corpus(first, "kept")
        kept = {name: path.with_name(name).read_bytes() for name in ("evenhand.db", "evenhand.db-wal")}
    copy = tmp_path / "copy"
    copy.mkdir()
    for name, content in kept.items():
        (copy / name).write_bytes(content)
    assert kept["evenhand.db-wal"]
    monkeypatch.setattr(store.database, "can_write", lambda _: False)
    with pytest.raises(StoreError, match=r"changes in evenhand\.db-wal that cannot be read") as caught:
        Database(f"sqlite:///{copy / 'evenhand.db'}")
    assert caught.value.hint == "copy the workspace to a folder that can be written"


@pytest.mark.parametrize("logged", [False, True])
def test_a_database_that_may_not_be_written_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, logged: bool
) -> None:
    url = f"sqlite:///{tmp_path / 'a b?.db'}"
    with opened(url.replace("?", "%3F")) as first:
        first.upgrade()
        new_corpus(first, "kept")
        if not logged:
            first.close()
        monkeypatch.setattr(store.database, "can_write", lambda _: False)
        with opened(url.replace("?", "%3F")) as database:
            database.check_revision()
            with database.session() as session:
                assert session.query(Corpus).one().name == "kept"
            with (
                pytest.raises(Unwritable, match=r"cannot write the database .*readonly"),
                database.session() as session,
            ):
                session.add(Corpus(name="late"))
