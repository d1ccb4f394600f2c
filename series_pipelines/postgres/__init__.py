"""How we talk to Postgres: connections, queries, locks, migrations, and the server that comes with us."""
