"""What tests share: a Postgres, a market on a clock that moves, vendors that misbehave."""
