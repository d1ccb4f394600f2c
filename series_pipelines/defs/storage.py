"""Dagster's own storage, in a schema beside the series: one database to run, to back up and to lose.

`dagster.yaml` names this class and nothing else, so it holds no address and no secret, and every process that
Dagster starts finds the same database as the series do.
"""

from typing import Any, Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from dagster._config.config_schema import UserConfigSchema
from dagster._serdes import ConfigurableClassData
from dagster_postgres.storage import DagsterPostgresStorage

from series_pipelines.app.database import find_database
from series_pipelines.app.settings import load_settings
from series_pipelines.errors import InvalidInput
from series_pipelines.postgres.connection import connect, translated_errors

DAGSTER_SCHEMA: Final = "dagster"


class SeriesDagsterStorage(DagsterPostgresStorage):
    """dagster-postgres on the series' database."""

    @classmethod
    def config_type(cls) -> UserConfigSchema:
        return {}

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData | None, config_value: Any) -> "SeriesDagsterStorage":
        if config_value:
            raise InvalidInput("SeriesDagsterStorage takes no config: its database is that of the series")
        return cls(postgres_url=_name_driver(find_dagster_database()), inst_data=inst_data)


def find_dagster_database() -> str:
    """Return the URL of Dagster's schema, made if it is not there."""
    url = find_database(load_settings())
    with translated_errors(), connect(url, purpose="dagster schema", autocommit=True) as conn:
        row = conn.execute("select 1 from pg_namespace where nspname = %s", [DAGSTER_SCHEMA]).fetchone()
        if row is None:
            conn.execute("create schema if not exists dagster")
    return add_search_path(url, DAGSTER_SCHEMA)


def add_search_path(url: str, schema: str) -> str:
    """Return the URL with sessions that work in the schema."""
    parts = urlsplit(url)
    query = [(key, value) for key, value in parse_qsl(parts.query) if key != "options"]
    given = dict(parse_qsl(parts.query)).get("options", "")
    query.append(("options", f"{given} -csearch_path={schema}".strip()))
    return urlunsplit(parts._replace(query=urlencode(query, quote_via=quote)))


def _name_driver(url: str) -> str:
    # SQLAlchemy 2.1 takes psycopg 3 by default, whose server-side parameters break dagster-postgres' NOTIFY.
    return urlunsplit(urlsplit(url)._replace(scheme="postgresql+psycopg2"))
