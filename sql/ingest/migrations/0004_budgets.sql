-- Budgets in weights, and circuits: while one is open, no request of its budget leaves any process.

alter table rate_budget add column blocked_until timestamptz, add column blocked_why text;

-- A request that waits for its turn, is on its way, or was answered within the window.
create table rate_request (
    request_id bigint generated always as identity primary key,
    budget text collate "C" not null references rate_budget,
    weight integer not null check (weight > 0),
    phase text not null check (phase in ('waiting', 'sent', 'answered')),
    since timestamptz not null
) with (fillfactor = 50);
create index rate_request_budget on rate_request (budget);
comment on column rate_request.since is 'when its phase began; of one that waits, when its turn is expected';

-- Ask for a request of some weight, again with its ticket after the wait: no wait means that it may leave now. It
-- counts from then on until one window after its answer, so it does not matter how late it reaches the exchange: the
-- exchange counts it somewhere between. Turns are taken in the order of asking. No ticket, and nothing is spent, when
-- the wait is longer than the caller's patience; blocked_ms and reason are set when a circuit is why.
-- The clock is read after the lock, so time never goes back. What its process left behind is forgotten: a turn nobody
-- came back for after 2 s, an answer nobody told of after 30 s.
create function take_turn(
    wanted text, capacity integer, window_ms integer, patience_ms integer, needed integer,
    inout ticket bigint, out wait_ms integer, out blocked_ms bigint, out reason text
) language plpgsql as $$
declare
    period interval := make_interval(secs => (window_ms + 5) / 1000.0);
    moment timestamptz;
    blocked timestamptz;
    turn timestamptz;
begin
    select blocked_until, blocked_why into blocked, reason from rate_budget where budget = wanted for update;
    if not found then
        insert into rate_budget (budget) values (wanted) on conflict do nothing;
        select blocked_until, blocked_why into blocked, reason from rate_budget where budget = wanted for update;
    end if;
    moment := clock_timestamp();
    delete from rate_request where budget = wanted and since < moment - case phase
        when 'answered' then period when 'sent' then period + interval '30 s' else interval '2 s' end;
    -- All that is not answered may still reach the exchange now. The last of them, and of the answered ones, that must
    -- leave the window before this one fits into it.
    select free into turn from (
        select request_id, free, sum(weight) over (order by free desc, request_id desc) as spent
        from (
            select request_id, weight,
                period + case phase when 'answered' then since else greatest(since, moment) end as free
            from rate_request
            where budget = wanted and (phase <> 'waiting' or ticket is null or request_id < ticket)
        ) as counted
    ) as newest_first
    where spent + needed > capacity order by free desc, request_id desc limit 1;
    turn := greatest(moment, turn, blocked);
    wait_ms := least(ceil(extract(epoch from turn - moment) * 1000), 2147483647);
    -- A circuit is waited for only if it closes within a lane's shortest pause.
    if blocked > moment + interval '5 s' then
        blocked_ms := ceil(extract(epoch from blocked - moment) * 1000);
    end if;
    if wait_ms > patience_ms or blocked_ms is not null then
        delete from rate_request where request_id = ticket;
        ticket := null;
        return;
    end if;
    update rate_request set phase = case wait_ms when 0 then 'sent' else 'waiting' end, since = turn
    where request_id = ticket;
    if not found then
        insert into rate_request (budget, weight, phase, since)
        values (wanted, needed, case wait_ms when 0 then 'sent' else 'waiting' end, turn)
        returning request_id into ticket;
    end if;
end
$$;
