-- name: read_clock
-- The database's time now, not when the transaction began.
select (date_part('epoch', clock_timestamp()) * 1000)::bigint;
