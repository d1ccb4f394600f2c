-- name: reserve
-- Reserve one request of a budget; the milliseconds to wait, or null when that is longer than the patience.
select reserve_slot(%(budget)s, %(requests)s, %(window_ms)s, %(patience_ms)s);
