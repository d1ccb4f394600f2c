-- Turns asked for in one call with what was answered meanwhile, and without sorting a window that has room.

create or replace function take_turn(
    wanted text, capacity integer, window_ms integer, patience_ms integer, needed integer,
    inout ticket bigint, out wait_ms integer, out blocked_ms bigint, out reason text
) language plpgsql as $$
declare
    period interval := make_interval(secs => (window_ms + 5) / 1000.0);
    moment timestamptz;
    blocked timestamptz;
    turn timestamptz;
    taken bigint;
begin
    select blocked_until, blocked_why into blocked, reason from rate_budget where budget = wanted for update;
    if not found then
        insert into rate_budget (budget) values (wanted) on conflict do nothing;
        select blocked_until, blocked_why into blocked, reason from rate_budget where budget = wanted for update;
    end if;
    moment := clock_timestamp();
    delete from rate_request where budget = wanted and since < moment - case phase
        when 'answered' then period when 'sent' then period + interval '30 s' else interval '2 s' end;
    select sum(weight) into taken from rate_request
    where budget = wanted and (phase <> 'waiting' or ticket is null or request_id < ticket);
    if taken + needed > capacity then
        -- All that is not answered may still reach the exchange now. The last of them, and of the answered ones, that
        -- must leave the window before this one fits into it.
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
    end if;
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

-- First settle what was answered, then ask.
create function settle_and_take(
    tickets bigint[], ages_ms bigint[], wanted text, capacity integer, window_ms integer, patience_ms integer,
    needed integer, inout ticket bigint, out wait_ms integer, out blocked_ms bigint, out reason text
) language plpgsql as $$
begin
    if tickets <> '{}' then
        update rate_request set phase = 'answered', since = clock_timestamp() - make_interval(secs => age_ms / 1000.0)
        from unnest(tickets, ages_ms) as answered (told, age_ms)
        where request_id = told;
    end if;
    select turn.ticket, turn.wait_ms, turn.blocked_ms, turn.reason
    into settle_and_take.ticket, settle_and_take.wait_ms, settle_and_take.blocked_ms, settle_and_take.reason
    from take_turn(wanted, capacity, window_ms, patience_ms, needed, ticket) as turn;
end
$$;
