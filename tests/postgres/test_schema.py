"""schema.sql of each domain says what its migrations make."""

import os

import pytest

from tests.support.databases import ADMIN_URL, Server
from tests.support.schema import find_file, read_schemas


@pytest.mark.skipif(ADMIN_URL in os.environ, reason="dumps differ between versions: made by our own server")
def test_each_schema_is_what_its_migrations_make(postgres: Server) -> None:
    for domain, text in read_schemas(postgres).items():
        assert find_file(domain).read_text(encoding="utf-8") == text, "run `make schema`"
