-- name: take_turn
-- Settle what was answered and ask for a request of some weight: its ticket, the milliseconds to wait, and for how long
-- and why it is blocked.
select ticket, wait_ms, blocked_ms, reason
from settle_and_take(
    %(tickets)s, %(ages_ms)s, %(budget)s, %(capacity)s, %(window_ms)s, %(patience_ms)s, %(weight)s, %(ticket)s
);

-- name: settle
-- Requests have been answered, or never will be: their windows run since then.
update rate_request set phase = 'answered', since = clock_timestamp() - make_interval(secs => age_ms / 1000.0)
from unnest(%(tickets)s::bigint[], %(ages_ms)s::bigint[]) as answered (ticket, age_ms)
where request_id = ticket;

-- name: block
-- Let no request of a budget leave for a while; a longer block stands.
insert into rate_budget (budget, blocked_until, blocked_why)
values (%(budget)s, clock_timestamp() + make_interval(secs => %(for_ms)s / 1000.0), %(why)s)
on conflict (budget) do update set blocked_until = excluded.blocked_until, blocked_why = excluded.blocked_why
where rate_budget.blocked_until is null or rate_budget.blocked_until < excluded.blocked_until;

-- name: block_for_window
-- Let no request of a budget leave until the fixed window of this length that runs now is over.
insert into rate_budget (budget, blocked_until, blocked_why)
values (%(budget)s, to_timestamp((floor(extract(epoch from clock_timestamp()) * 1000 / %(window_ms)s) + 1)
                                 * %(window_ms)s / 1000.0), %(why)s)
on conflict (budget) do update set blocked_until = excluded.blocked_until, blocked_why = excluded.blocked_why
where rate_budget.blocked_until is null or rate_budget.blocked_until < excluded.blocked_until;
