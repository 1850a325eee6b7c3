"""The composition root: settings become live adapters, adapters become the service's parts. Loads late and lazily."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.settings import Settings, workspace_root
from store.errors import UsageError
from store.workspace import Workspace

if TYPE_CHECKING:
    from agents.context import RagContext
    from agents.models.chat import Attempt, OpenAIChat
    from agents.models.endpoints import ChatModels
    from agents.models.settings import ModelsSettings
    from store.answers import AnswerStore
    from store.database import Database
    from store.indexing import Indexer
    from store.opinions import OpinionStore
    from store.ports import Embedder, OpinionExtractor, Role
    from store.registry import RegistryStore
    from store.repository import CorpusRecord, Repository
    from store.reviews import ReviewStore
    from store.search import Searcher
    from store.vectors import ChromaStore


class Parts:
    """Everything that is built once a process, on first use.

    Parameters
    ----------
    settings
        The settings.
    project
        The project file that they came from, if any: the workspace lies beside it.
    """

    def __init__(self, settings: Settings, project: Path | None = None) -> None:
        self.settings = settings
        self.project = project
        self._models: ChatModels | None = None
        #: The models as configured, kept while another choice is in force.
        self._configured: ModelsSettings | None = None

    @cached_property
    def workspace(self) -> Workspace:
        """The workspace folder."""
        return Workspace(workspace_root(self.settings, self.project), self.settings.store.database_url)

    @cached_property
    def database(self) -> Database:
        """The database, at the schema that this program knows.

        Raises
        ------
        UsageError
            There is no workspace yet.
        SchemaMismatch
            The schema is older or newer.
        """
        if not self.workspace.exists():
            raise UsageError(
                f"there is no workspace at {self.workspace.root}",
                "run `evenhand init`, or `evenhand demo` to try it out",
            )
        database = self._open_database()
        database.check_revision()
        return database

    def create(self) -> bool:
        """Create the workspace and its database, or bring nothing about where it exists; returns whether it was new."""
        existed = self.workspace.exists()
        self.workspace.create()
        database = self._open_database()
        if database.revision() is None:
            with self.workspace.writing(self.settings.store.lock_timeout):
                database.upgrade()
        database.check_revision()
        database.close()
        return not existed

    def upgrade(self) -> tuple[str | None, str | None]:
        """Migrate the database forward; returns the revision before and after."""
        self.workspace.create()
        database = self._open_database()
        before = database.revision()
        with self.workspace.writing(self.settings.store.lock_timeout):
            database.upgrade()
        after = database.revision()
        database.close()
        return before, after

    @cached_property
    def repository(self) -> Repository:
        """Corpora, documents, sources."""
        from store.repository import Repository

        return Repository(self.database)

    @cached_property
    def registry(self) -> RegistryStore:
        """Entities."""
        from store.registry import RegistryStore

        return RegistryStore(self.database)

    @cached_property
    def opinions(self) -> OpinionStore:
        """Opinions and populations."""
        from store.opinions import OpinionStore

        return OpinionStore(self.database)

    @cached_property
    def reviews(self) -> ReviewStore:
        """Verdicts on labels."""
        from store.reviews import ReviewStore

        return ReviewStore(self.database)

    @cached_property
    def answers(self) -> AnswerStore:
        """Answers and conversations."""
        from store.answers import AnswerStore

        return AnswerStore(self.database)

    @cached_property
    def embedder(self) -> Embedder:
        """The sentence embedder that the settings name."""
        chosen = self.settings.store.embedder
        if chosen.kind == "endpoint":
            from agents.models.embeddings import OpenAIEmbedder
            from store.errors import ConfigurationError

            if self.settings.models.embedder is None:
                raise ConfigurationError(
                    "`store.embedder.kind` is `endpoint`, and `models.embedder` is not set",
                    "give `models.embedder.base_url` and `models.embedder.model`",
                )
            return OpenAIEmbedder(self.settings.models.embedder)
        from store.embedders import load_embedder

        return load_embedder(chosen)

    @cached_property
    def chroma(self) -> ChromaStore:
        """The vector store."""
        from store.vectors import ChromaStore

        return ChromaStore(self.workspace.chroma_path, self.settings.store.chroma_url)

    @cached_property
    def indexer(self) -> Indexer:
        """Keeps Chroma and BM25 equal to SQL."""
        from store.indexing import Indexer

        return Indexer(self.database, self.workspace, self.chroma, self.embedder)

    @cached_property
    def searcher(self) -> Searcher:
        """Finds documents."""
        from store.search import Searcher

        store = self.settings.store
        return Searcher(
            self.database,
            self.workspace,
            self.chroma,
            self.embedder,
            store.memory_limit_mb,
            store.exact_below,
        )

    def extractor(self, kind: str = "") -> OpinionExtractor:
        """Return the opinion extractor of that kind (``lexical`` or ``llm``)."""
        if (kind or self.settings.enrich.extractor) == "llm":
            from agents.models.bridge import extractor_of

            return extractor_of(self.chat("extractor"), cache_folder=self.workspace.model_cache_path)
        from store.enrich.lexical import LexicalExtractor

        return LexicalExtractor()

    def chat(self, role: Role) -> OpenAIChat | None:
        """Return the chat model of a role, or None when none is configured."""
        from pydantic import ValidationError

        from store.errors import ConfigurationError

        try:
            if self.settings.models.for_role(role) is None:
                return None
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(str(part) for part in first["loc"])
            raise ConfigurationError(f"setting `models.{name}` is wrong: {first['msg']}") from None
        if self._models is None:
            from agents.models.endpoints import ChatModels
            from agents.models.quirks import QuirkBook

            # What a server refuses is not found out again by every process.
            root = self.workspace.root
            quirks = QuirkBook(root / "model-quirks.json" if root.is_dir() else None)
            self._models = ChatModels(self.settings.models, quirks=quirks)
        return self._models.for_role(role)

    @property
    def waiting(self) -> Attempt | None:
        """The call of a model that is waited for now, None when none is."""
        return None if self._models is None else self._models.waiting

    def context(self, corpus: CorpusRecord, memo: Any = None) -> RagContext:
        """Return what one run of the graph may use."""
        from agents.context import Memo, RagContext
        from store.calibrations import CalibrationStore

        return RagContext(
            corpus=corpus,
            settings=self.settings.agent,
            repository=self.repository,
            registry=self.registry,
            opinions=self.opinions,
            searcher=self.searcher,
            answers=self.answers,
            calibrations=CalibrationStore(self.database),
            reviews=self.reviews,
            chat=self.chat,
            memo=memo or Memo(),
        )

    async def use_model(self, model: str) -> None:
        """Let another model of the configured server write answers; an empty name, none: the embedded writer.

        Raises
        ------
        UsageError
            A model is named and no server is configured.
        """
        from agents.models.settings import EndpointOverride

        configured = self._configured or self.settings.models
        if model and configured.for_role("generator") is None:
            raise UsageError("no model server is configured", "set `models.base_url` in evenhand.toml")
        if model:
            own = configured.generator or EndpointOverride()
            change: dict[str, Any] = {"generator": own.model_copy(update={"model": model})}
        else:
            change = {name: None for name in type(configured).model_fields if name != "embedder"}
        if self._models is not None:
            await self._models.aclose()
            self._models = None
        self._configured = configured
        self.settings = self.settings.model_copy(update={"models": configured.model_copy(update=change)})

    async def offered_models(self) -> list[str]:
        """Return the names of the models that the configured server offers, none without a server.

        Raises
        ------
        ApplicationError
            The server does not answer.
        """
        from agents.models.endpoints import ChatModels

        models = ChatModels(self._configured or self.settings.models)
        try:
            chat = models.for_role("generator")
            return [] if chat is None else [str(each.get("id")) for each in await chat.list_models()]
        finally:
            await models.aclose()

    async def aclose(self) -> None:
        """Close what is open, connections to models included."""
        if self._models is not None:
            await self._models.aclose()
        self.close()

    def close(self) -> None:
        """Close the database and the vector store, if they were opened."""
        if self._models is not None:
            self._models.quirks.save()
        if "chroma" in self.__dict__:
            self.chroma.close()
        if "database" in self.__dict__:
            self.database.close()

    def _open_database(self) -> Database:
        from store.database import Database

        return Database(self.workspace.database_url)


__all__ = ["Parts"]
