"""Every environment name, in one place. Read only by `cli`, `defs` and the modules that serve both."""

import os
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from series_pipelines.core.duration import LONGEST_WORK_SECONDS
from series_pipelines.core.times import parse_time
from series_pipelines.errors import InvalidInput


class Settings(BaseSettings):
    """What can be set; the description is what the table of docs/settings.md says."""

    model_config = SettingsConfigDict(
        env_prefix="SERIES_", env_ignore_empty=True, extra="ignore", frozen=True, hide_input_in_errors=True
    )

    home: Path = Field(Path(".series"), description="where the embedded Postgres and Dagster keep their files")
    database_url: SecretStr | None = Field(
        None, description="a Postgres 14 or newer to use instead of the embedded one; run `series migrate` once"
    )
    owner_url: SecretStr | None = Field(
        None,
        description="the same database as the role that owns its tables, for `series migrate` and `series cursors "
        "archive`; without it `SERIES_DATABASE_URL` does both, and protects the ledger against accidents only",
    )
    vendors: Annotated[tuple[str, ...] | None, NoDecode] = Field(
        None,
        description="vendors to load besides those of the file, by entry point name or module:factory, separated by "
        "commas; `demo` if there is no file either",
    )
    vendors_file: Path | None = Field(None, description="the `vendors.toml` with exchanges and remote vendors")
    sensors: bool = Field(False, description="whether sensors start switched on; `series dev` does so")
    shift_seconds: int = Field(120, ge=1, le=3600, description="how long one lane works its capability")
    backfill_seconds: int = Field(
        3600, ge=1, le=LONGEST_WORK_SECONDS, description="the longest a person's backfill run works"
    )
    recheck_days: int = Field(7, ge=1, le=365, description="how long a proven start of history stands unverified")
    clock_tolerance_seconds: int = Field(
        600, ge=1, le=86_400, description="how far a vendor's clock may stand from ours and the database's"
    )
    under_dev: bool = Field(False, description="set by `series dev` for what it starts; never by you")
    ui_port: int = Field(3000, ge=0, le=65535, description="the port `series dev` asks for; 0 takes any free one")
    event_days: int = Field(
        7, ge=1, le=36_500, description="how long Dagster's events and finished runs are kept for display"
    )
    demo_seed: int = Field(1, description="the demo market's seed")
    demo_epoch: datetime | None = Field(
        None,
        description="the day before which the demo's products were listed; its first day of use if not set",
    )
    demo_products: int = Field(60, ge=4, le=20_000, description="how many products the demo vendors have")
    demo_latency_ms: int = Field(20, ge=0, le=3_600_000, description="how long a demo vendor takes to answer")
    demo_error_rate: float = Field(0.0, ge=0, le=1, description="the share of demo requests that fail in some way")

    @field_validator("owner_url")
    @classmethod
    def _need_database(cls, value: Any, known: ValidationInfo) -> Any:
        if value is not None and known.data.get("database_url") is None:
            raise ValueError("set SERIES_DATABASE_URL too, to the role that writes")
        return value

    @field_validator("vendors", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("demo_epoch", mode="before")
    @classmethod
    def _read_time(cls, value: Any) -> Any:
        try:
            return datetime.fromtimestamp(parse_time(value) / 1000, UTC) if isinstance(value, str) else value
        except InvalidInput as error:
            raise ValueError("it is not a time: expected one like 2026-01-31") from error

    @property
    def vendor_options(self) -> dict[str, dict[str, Any]]:
        """What each vendor's factory is given."""
        demo: dict[str, Any] = {
            "seed": self.demo_seed,
            "products": self.demo_products,
            "latency_ms": self.demo_latency_ms,
            "error_rate": self.demo_error_rate,
        }
        return {"demo": demo}


def read_secret(name: str) -> str | None:
    """Return a secret that `vendors.toml` names, or that an exchange's keys go by; None when it is not set."""
    return os.environ.get(name) or None


@cache
def load_settings() -> Settings:
    """Read the environment; what is wrong in it is said by name, without its value."""
    try:
        return Settings()
    except ValidationError as error:
        problems = "; ".join(
            f"SERIES_{'_'.join(str(part) for part in problem['loc']).upper()}: "
            f"{problem['msg'].removeprefix('Value error, ')}"
            for problem in error.errors()
        )
        raise InvalidInput(f"the environment can't be read: {problems}") from error
