"""The Postgres that comes with us: its folder, its guard, its roles."""
