-- Request budgets shared by all processes: one row a budget to lock, one row a grant inside its window.

create table rate_budget (
    budget text collate "C" primary key
);

create table rate_grant (
    budget text collate "C" not null references rate_budget,
    granted_at timestamptz not null,
    grant_id bigint generated always as identity,
    primary key (budget, granted_at, grant_id)
);

-- Reserve one request and return how many milliseconds to wait before making it; null, and nothing is spent, when that
-- is longer than the caller's patience. The clock is read after the lock, so grants never go back in time; the window
-- is padded because the request leaves a little later than it was granted.
create function reserve_slot(wanted text, requests integer, window_ms integer, patience_ms integer)
returns integer language plpgsql as $$
declare
    period interval := make_interval(secs => (window_ms + 50) / 1000.0);
    moment timestamptz;
    slot timestamptz;
    wait_ms integer;
begin
    insert into rate_budget (budget) values (wanted) on conflict do nothing;
    perform from rate_budget where budget = wanted for update;
    moment := clock_timestamp();
    delete from rate_grant where budget = wanted and granted_at < moment - period;
    select granted_at + period into slot from rate_grant
        where budget = wanted order by granted_at desc offset requests - 1 limit 1;
    slot := greatest(moment, coalesce(slot, moment));
    wait_ms := ceil(extract(epoch from slot - moment) * 1000);
    if wait_ms > patience_ms then
        return null;
    end if;
    insert into rate_grant (budget, granted_at) values (wanted, slot);
    return wait_ms;
end
$$;
