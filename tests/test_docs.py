"""The pages are true where a machine can tell: links, paths, functions, settings, and how long the README is."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import series_pipelines
from series_pipelines.app.settings import Settings

PACKAGE = Path(series_pipelines.__file__).resolve().parent
PROJECT = PACKAGE.parent
FOLDERS = (".github", "docs")
PAGES = sorted(
    path.relative_to(PROJECT).as_posix()
    for path in (*PROJECT.glob("*.md"), *(page for folder in FOLDERS for page in (PROJECT / folder).rglob("*.md")))
)
# What was true when it was written stays there.
HISTORY = ("CHANGELOG.md",)
ROOMS = {path.name for path in PACKAGE.iterdir() if path.is_dir()}
ROOTS = ("", "series_pipelines/")
LONGEST_README = 250

CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
A_PATH = re.compile(r"\.?\w[\w-]*(?:/\.?\w[\w.-]*)+/?|\w[\w-]*\.(?:md|toml|yaml|yml|lock|py|sql)")
A_MODULE = re.compile(r"\w+(?:\.\w+)+")
A_FUNCTION = re.compile(r"(?:\w+\.)*(\w+)\(\)")
SQL_FUNCTION = re.compile(r"create (?:or replace )?function (?:public\.)?(\w+)", re.IGNORECASE)
# What somebody who reads the page would write.
ELSEWHERE = {"my_vendor.py", "production.yaml", "vendors.toml"}


def read(page: str) -> str:
    return (PROJECT / page).read_text(encoding="utf-8")


def read_text(page: str) -> str:
    """Return a page without its blocks of code."""
    return FENCE.sub("", read(page))


def list_code(page: str) -> list[str]:
    """Return what stands in backticks."""
    return CODE.findall(read_text(page))


def list_links(page: str) -> list[str]:
    """Return where links and images of a page lead."""
    return LINK.findall(CODE.sub("", read_text(page)))


@cache
def list_anchors(page: str) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and mkdocs make them."""
    headings = HEADING.findall(read_text(page))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def leads_somewhere(page: str, target: str) -> bool:
    """Whether a link leads out, or to a file of ours, and there to a heading if it names one."""
    if re.match(r"[a-z]+:", target):
        return True
    path, _, anchor = target.partition("#")
    found = ((PROJECT / page).parent / path if path else PROJECT / page).resolve()
    return found.exists() and (not anchor or anchor in list_anchors(found.relative_to(PROJECT).as_posix()))


@cache
def list_functions() -> frozenset[str]:
    """Return the name of every function and class of ours, in Python and in SQL."""
    names = {
        node.name
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    for path in (PROJECT / "sql").rglob("*.sql"):
        names.update(SQL_FUNCTION.findall(path.read_text(encoding="utf-8")))
    return frozenset(names)


def is_there(path: str) -> bool:
    """Whether a path is of a file or folder of ours; a file that is named alone may stand in any folder."""
    if any((PROJECT / root / path).exists() for root in ROOTS):
        return True
    return "/" not in path and any(
        any((PROJECT / folder).rglob(path)) for folder in ("series_pipelines", "sql", "tests")
    )


def is_ours(path: str) -> bool:
    """Whether what looks like a path would be one of ours: its first part is a folder of ours, or it has none."""
    first = path.split("/")[0]
    return "/" not in path or first in ROOMS or (PROJECT / first).is_dir()


def find_module(dotted: str) -> bool:
    """Whether a dotted name is of a module of ours, or of something in one."""
    parts = dotted.removeprefix("series_pipelines.").split(".")
    for count in range(len(parts), 0, -1):
        path = PACKAGE.joinpath(*parts[:count])
        file = path.with_suffix(".py") if path.with_suffix(".py").is_file() else path / "__init__.py"
        if file.is_file():
            rest = parts[count:]
            return not rest or re.search(rf"\b{rest[0]}\b", file.read_text(encoding="utf-8")) is not None
    return False


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: str) -> None:
    assert [target for target in list_links(page) if not leads_somewhere(page, target)] == []


@pytest.mark.parametrize("page", [page for page in PAGES if page not in HISTORY])
def test_every_path_that_is_named_is_there(page: str) -> None:
    paths = [code for code in list_code(page) if A_PATH.fullmatch(code) and code not in ELSEWHERE and is_ours(code)]

    assert [path for path in paths if not is_there(path)] == []


@pytest.mark.parametrize("page", [page for page in PAGES if page not in HISTORY])
def test_every_module_that_is_named_is_there(page: str) -> None:
    named = [code for code in list_code(page) if A_MODULE.fullmatch(code)]
    ours = [name for name in named if name.split(".")[0] in ROOMS | {"series_pipelines"} and name not in ELSEWHERE]

    assert [name for name in ours if not find_module(name) and not is_there(name)] == []


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("docs/") or page == "CONTRIBUTING.md"])
def test_every_function_that_is_named_is_there(page: str) -> None:
    named = {match[1]: code for code in list_code(page) if (match := A_FUNCTION.fullmatch(code))}

    # `name()` in CONTRIBUTING says how functions are written.
    assert sorted(named.keys() - list_functions() - {"name", "single_run"}) == []


def test_the_readme_is_short_and_says_how_to_begin() -> None:
    lines = read("README.md").splitlines()

    assert len(lines) < LONGEST_README
    assert {"make dev", "make test"} <= {line.split("  ")[0] for line in lines}


def test_every_setting_is_on_its_page() -> None:
    rows = re.findall(r"^\| `(\w+)` \|.*\| (.*) \|$", read("docs/settings.md"), re.MULTILINE)
    told = {f"SERIES_{name.upper()}": field.description for name, field in Settings.model_fields.items()}

    assert dict(rows) == told


def test_pre_commit_runs_what_make_lint_runs() -> None:
    recipe = re.search(r"^lint:.*\n((?:\t.*\n)+)", read("Makefile"), re.MULTILINE)
    assert recipe is not None
    wanted = [line.strip().replace("$(VENV)", ".venv") for line in recipe[1].splitlines()]

    assert re.findall(r"entry: (.*)", read(".pre-commit-config.yaml")) == wanted


def test_every_page_is_in_the_navigation() -> None:
    pages = {page.removeprefix("docs/") for page in PAGES if page.startswith("docs/")}

    assert set(re.findall(r"[\w/-]+\.md", read("mkdocs.yml"))) == pages
