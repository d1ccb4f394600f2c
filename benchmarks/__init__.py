"""Speed as ratios: each benchmark times the system and its yardstick side by side, on a Postgres of its own."""
