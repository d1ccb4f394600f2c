-- Budgets in weights, and circuits: while one is open, no request of its budget leaves any process.

alter table rate_budget add column blocked_until timestamptz, add column blocked_why text;
alter table rate_grant add column weight integer not null default 1 check (weight > 0);

drop function reserve_slot(text, integer, integer, integer);

-- Reserve a request of some weight and return how many milliseconds to wait before making it; null, and nothing is
-- spent, when that is longer than the caller's patience. The clock is read after the lock, so grants never go back in
-- time; the window is padded because the request leaves a little later than it was granted.
create function reserve_slot(
    wanted text, capacity integer, window_ms integer, patience_ms integer, needed integer default 1
) returns integer language plpgsql as $$
declare
    period interval := make_interval(secs => (window_ms + 50) / 1000.0);
    moment timestamptz;
    blocked timestamptz;
    slot timestamptz;
    wait_ms integer;
begin
    if needed > capacity then
        raise exception 'a request of weight % never fits into % of budget %', needed, capacity, wanted;
    end if;
    insert into rate_budget (budget) values (wanted) on conflict do nothing;
    select blocked_until into blocked from rate_budget where budget = wanted for update;
    moment := clock_timestamp();
    delete from rate_grant where budget = wanted and granted_at < moment - period;
    -- The newest grant that must leave the window before this request fits into it.
    select granted_at + period into slot from (
        select granted_at, sum(weight) over (order by granted_at desc, grant_id desc) as spent
        from rate_grant where budget = wanted
    ) as newest_first
    where spent + needed > capacity order by granted_at desc limit 1;
    slot := greatest(moment, slot, blocked);
    wait_ms := least(ceil(extract(epoch from slot - moment) * 1000), 2147483647);
    if wait_ms > patience_ms then
        return null;
    end if;
    insert into rate_grant (budget, granted_at, weight) values (wanted, slot, needed);
    return wait_ms;
end
$$;
