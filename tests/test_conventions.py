"""The rules of the house that a machine can check: import direction, clocks, where SQL lives, names."""

import ast
import re
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

import series_pipelines
from series_pipelines.postgres.migrate import DOMAINS

PACKAGE = Path(series_pipelines.__file__).parent
SQL = PACKAGE.parent / "sql"
MODULES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))

# A room imports only rooms above it in this list, so what is on one line does not import each other.
LAYERS = (
    {"errors"},
    {"core"},
    {"postgres", "messaging", "vendors"},
    {"ingest"},
    {"rollups", "live", "quality", "alerts"},
    {"commands", "venue"},
    {"actions"},
    {"app"},
    {"cli", "api", "defs"},
    {"definitions", "__init__"},
)
# The stations of the heart, in the order in which what is decided, asked and judged passes to where it is stored.
STATIONS = (
    {"ledger", "planning", "budgets"},
    {"pages"},
    {"storing"},
    {"catalogue"},
    {"standing"},
    {"lane"},
    {"refreshing", "proving"},
)
# Rules without a look outside: the standard library, each other, and the plain words of errors, core and contracts.
PURE = (
    "core/*.py",
    "ingest/ledger/cursor.py",
    "ingest/pages/*.py",
    "ingest/planning/*.py",
    *(f"ingest/standing/{name}.py" for name in ("coverage", "lag")),
    "defs/display_rules.py",
    "vendors/contract.py",
)
READ_SETTINGS = {"app", "cli", "api", "defs"}
READ_A_CLOCK = (
    "app/clock.py",
    "app/dev*.py",
    "cli/*",
    "defs/*",
    "postgres/embedded/*",
    "vendors/demo/*",
)
CLOCKS = {
    *(f"time.{name}" for name in ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "sleep")),
    *("datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today", "datetime.date.today"),
}
OUTSIDE = {"asyncio", "glob", "io", "logging", "os", "pathlib", "random", "secrets", "shutil", "socket", "sqlite3"}
OUTSIDE |= {"subprocess", "tempfile", "threading", "time", "urllib.request", "uuid"}

# Where errors of the driver are translated; the embedded server talks to its database before anybody else does.
KNOW_DRIVER_ERRORS = ("postgres/connection.py", "postgres/embedded/*.py", "postgres/failures.py")

# What can't be a named query: it runs before there are any, on another database, or is a session's own setting.
SQL_ALLOWED = {
    "defs/storage.py": r"pg_namespace|create schema",
    "postgres/embedded/*.py": "",
    "postgres/locks.py": r"^select set_config\(",
    "postgres/migrate.py": r"schema_migration|pg_advisory_(un)?lock",
}
STATEMENT = re.compile(
    r"""select\s+(?:[\w.*]+\s*(?:[(,]|$)|\d|[\s\w.,*()]*\bfrom\b)
    | insert\s+into\b | delete\s+from\b | merge\s+into\b | copy\s+[\w.(]
    | update\s+[\w.]+\s+(?:as\s+\w+\s+)?set\b
    | with\s+\w+\s+as\s*\(
    | (?:create|alter|drop|truncate)\s+(?:or\s+replace\s+|temporary\s+|unique\s+)?
      (?:table|schema|index|database|role|function|view|trigger|type|extension)\b
    | (?:notify|listen|lock\s+table|vacuum|analyze)\s+\w+\s*$""",
    re.IGNORECASE | re.VERBOSE,
)


@cache
def parse(module: str) -> ast.Module:
    return ast.parse((PACKAGE / module).read_text(encoding="utf-8"), module)


def find_part(module: str) -> str:
    return module.split("/")[0].removesuffix(".py")


def list_imports(module: str) -> Iterator[str]:
    """Yield the dotted name of everything a module imports, wherever in it."""
    package = ["series_pipelines", *module.split("/")[:-1]]
    for node in ast.walk(parse(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = package[: len(package) - node.level + 1] if node.level else []
            prefix = ".".join([*origin, *([node.module] if node.module else [])])
            yield from (f"{prefix}.{alias.name}" for alias in node.names)


def list_own_imports(module: str) -> Iterator[str]:
    """Yield the parts of this package that a module imports."""
    for name in list_imports(module):
        if name.split(".")[0] == "series_pipelines":
            yield [*name.split("."), "__init__"][1]


def list_outer_imports(module: str) -> Iterator[str]:
    return (name for name in list_imports(module) if name.split(".")[0] != "series_pipelines")


def find_layer(part: str) -> int:
    return next(index for index, layer in enumerate(LAYERS) if part in layer)


def list_texts(module: str) -> Iterator[str]:
    """Yield the string constants of a module that are not docstrings."""
    tree = parse(module)
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield node.value


def is_sql(text: str) -> bool:
    """Whether a text begins like a statement; one that begins with a capital letter is a sentence."""
    text = text.lstrip()
    return not text.split(" ")[0].istitle() and STATEMENT.match(text) is not None


def list_used_names(module: str) -> Iterator[str]:
    """Yield the dotted names a module uses, as their full names: `sleep` from `time` is `time.sleep`."""
    known: dict[str, str] = {}
    for node in ast.walk(parse(module)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                root = alias.name.split(".")[0]
                known |= {alias.asname: alias.name} if alias.asname else {root: root}
        elif isinstance(node, ast.ImportFrom):
            known |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    for node in ast.walk(parse(module)):
        if isinstance(node, ast.Attribute | ast.Name):
            first, *rest = ast.unparse(node).split(".")
            if first in known:
                yield ".".join([known[first], *rest])


@cache
def read_query_blocks() -> dict[tuple[str, str], str]:
    """Return the text after each `-- name: x` line, by file and name."""
    blocks: dict[tuple[str, str], str] = {}
    for path in sorted(SQL.glob("*/queries/*.sql")):
        head, *parts = re.split(r"^-- name: (.*)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert not head.strip(), f"{path.name} has text before its first named query"
        names = parts[::2]
        assert len(names) == len(set(names)), f"{path.name} names a query twice"
        file = f"{path.parts[-3]}/{path.stem}"
        blocks |= {(file, name): text for name, text in zip(names, parts[1::2], strict=True)}
    return blocks


def list_loaded_queries(module: str) -> Iterator[tuple[str, str]]:
    """Yield (file, name) of each query a module takes out of `load_queries(…)`, directly or through a variable."""
    tree = parse(module)
    loaded: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            files = find_loaded_files(node.value)
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if files:
                loaded |= {ast.unparse(target): files for target in targets}
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            files = find_loaded_files(node.value) or loaded.get(ast.unparse(node.value), set())
            yield from ((file, str(node.slice.value)) for file in files)


def find_loaded_files(node: ast.expr) -> set[str]:
    loads = ("load_queries", "load_table_queries")
    if not (isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in loads):
        return set()
    name = node.args[0]
    return {str(name.value)} if isinstance(name, ast.Constant) else set()


def test_imports_point_one_way() -> None:
    wrong = [
        f"{module} imports {imported}"
        for module in MODULES
        for imported in list_own_imports(module)
        if imported != find_part(module) and find_layer(imported) >= find_layer(find_part(module))
    ]

    assert wrong == []


def test_every_part_has_its_place() -> None:
    assert {find_part(module) for module in MODULES} <= set().union(*LAYERS)


def find_station(dotted: str) -> int | None:
    """Return where a module of the heart stands: `series_pipelines.ingest.lane.fetch` at its lane."""
    match dotted.split("."):
        case ["series_pipelines", "ingest", station, *_]:
            return next((index for index, layer in enumerate(STATIONS) if station in layer), None)
    return None


def test_the_stations_of_the_heart_follow_each_other() -> None:
    wrong = []
    for module in MODULES:
        own, here = module.split("/"), find_station(f"series_pipelines.{module.removesuffix('.py').replace('/', '.')}")
        if len(own) < 3 or own[0] != "ingest" or here is None:
            continue
        for name in list_imports(module):
            there = find_station(name)
            if there is not None and there >= here and name.split(".")[2] != own[1]:
                wrong.append(f"{module} imports {name}")

    assert wrong == []


def test_pure_modules_import_pure_ones_and_do_nothing_outside() -> None:
    pure = [module for module in MODULES if any(fnmatch(module, known) for known in PURE)]
    own = {f"series_pipelines.{module.removesuffix('.py').replace('/', '.')}" for module in pure}
    assert own
    for module in pure:
        for name in list_imports(module):
            if name.split(".")[0] == "series_pipelines":
                known = name.startswith("series_pipelines.errors") or any(
                    f"{name}.".startswith(f"{one}.") for one in own
                )
                assert known, f"{module} imports {name}"
            else:
                assert name.split(".")[0] in sys.stdlib_module_names, f"{module} imports {name}"
                assert not any(f"{name}.".startswith(f"{outside}.") for outside in OUTSIDE), f"{module} imports {name}"


def test_settings_are_read_only_at_the_top() -> None:
    below = [module for module in MODULES if find_part(module) not in READ_SETTINGS]

    assert [module for module in below for name in list_imports(module) if ".app.settings" in name] == []


def test_only_defs_imports_dagster() -> None:
    others = [module for module in MODULES if find_part(module) != "defs"]

    assert [(module, name) for module in others for name in list_outer_imports(module) if "dagster" in name] == []


def test_only_one_room_talks_to_the_driver() -> None:
    others = [module for module in MODULES if find_part(module) != "postgres"]

    assert [(module, name) for module in others for name in list_outer_imports(module) if "psycopg" in name] == []


def test_errors_of_the_driver_are_known_at_one_boundary() -> None:
    others = [module for module in MODULES if not any(fnmatch(module, known) for known in KNOW_DRIVER_ERRORS)]
    is_error = re.compile(r"psycopg\.(?:errors\b|\w*Error\b)")

    assert [(module, name) for module in others for name in list_used_names(module) if is_error.match(name)] == []


def test_time_is_an_argument() -> None:
    others = [module for module in MODULES if not any(fnmatch(module, allowed) for allowed in READ_A_CLOCK)]

    assert [(module, clock) for module in others for clock in CLOCKS & set(list_used_names(module))] == []


def test_sql_lives_in_sql_files() -> None:
    misplaced = [
        (module, text)
        for module in MODULES
        for text in list_texts(module)
        if is_sql(text)
        and not any(fnmatch(module, path) and re.search(pattern, text) for path, pattern in SQL_ALLOWED.items())
    ]

    assert misplaced == []


@pytest.mark.parametrize(
    "text",
    [
        *("select 1", "select * from ohlc_v2", "SELECT max(x) FROM y", "\n  select a, b\n  from c", "select count(*)"),
        *("insert into a values (1)", "update a set b = 1", "UPDATE a AS b SET c = 1", "delete from a where b"),
        *("with a as (select 1) select 2", "create temporary table a (b int)", "copy a (b) from stdin", "drop table a"),
    ],
)
def test_a_statement_is_known_as_sql(text: str) -> None:
    assert is_sql(text)


@pytest.mark.parametrize(
    "text",
    [
        *("Delete events and finished runs", "Select the series from the list", "update", "insert", "selected series"),
        *("with a progress bar", "create", "copying rows", "select", "Copy a file", "update the products", ""),
    ],
)
def test_a_sentence_is_not_sql(text: str) -> None:
    assert not is_sql(text)


def test_every_query_has_a_name_a_description_and_one_statement() -> None:
    assert read_query_blocks()
    for (file, name), text in read_query_blocks().items():
        description, *lines = text.strip().splitlines()
        assert re.fullmatch(r"[a-z][a-z0-9_]*", name), f"{file}.sql: {name!r}"
        assert re.fullmatch(r"-- [A-Z].*\S", description), f"{file}.sql: {name} has no description"
        statement = "\n".join(line for line in lines if not line.startswith("--")).strip()
        assert statement.endswith(";"), f"{file}.sql: {name} does not end"
        assert statement.count(";") == 1, f"{file}.sql: {name} is more than one statement"


def test_every_query_is_loaded_and_every_loaded_query_is_there() -> None:
    loaded = {query for module in MODULES for query in list_loaded_queries(module)}

    assert set(read_query_blocks()) - loaded == set(), "nothing runs these queries"
    assert loaded - set(read_query_blocks()) == set(), "these queries do not exist"


def test_every_module_says_what_lives_in_it() -> None:
    assert [module for module in MODULES if not (ast.get_docstring(parse(module)) or "").strip()] == []


def test_no_module_has_a_name_that_says_nothing() -> None:
    empty = re.compile(r"(?:\w*_)?(?:utils?|helpers?|managers?|base|common|misc)")

    assert [module for module in MODULES for name in Path(module).with_suffix("").parts if empty.fullmatch(name)] == []


def test_every_domain_with_tables_is_migrated_in_the_order_of_the_rooms() -> None:
    domains = [path.parent.name for path in SQL.glob("*/migrations")]

    assert sorted(DOMAINS) == sorted(domains)
    assert list(DOMAINS) == sorted(DOMAINS, key=find_layer)
