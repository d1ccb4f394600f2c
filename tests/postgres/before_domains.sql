-- A database as the last version before domains made it, with a series of bars and one of rates: test_migrate upgrades it.
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;

CREATE SCHEMA ledger_archive;

COMMENT ON SCHEMA ledger_archive IS 'months of ing_cursor_event that no replay needs any more, as they were';

CREATE FUNCTION public.archive_ledger_partition(gone regclass, moment timestamp with time zone, OUT archived text, OUT events bigint, OUT copied bigint, OUT carried bigint) RETURNS record
    LANGUAGE plpgsql
    AS $_$
declare
    name text := (select relname from pg_class where oid = gone);
    part regclass;
    last_id bigint;
begin
    execute format('alter table ing_cursor_event detach partition %s', gone);
    -- Detaching takes the parent's triggers away.
    execute format(
        'create trigger refuse_change before update or delete on %s for each row execute function refuse_change()', gone
    );
    execute format('alter table %s enable always trigger refuse_change', gone);
    execute format('select count(*), max(event_id) from %s', gone) into events, last_id;
    archived := name;
    if to_regclass('ledger_archive.' || name) is not null then
        archived := name || '_' || last_id;
        execute format('alter table %s rename to %I', gone, archived);
        for part in select indexrelid from pg_index where indrelid = gone loop
            execute format('alter index %s rename to %I', part, archived || '_' || part::oid);
        end loop;
    end if;
    execute format('alter table %s set schema ledger_archive', gone);
    if name = 'ing_cursor_event_default' then
        create table ing_cursor_event_default partition of ing_cursor_event default;
        perform protect_ledger('ing_cursor_event_default');
    end if;
    execute format($copy$
        insert into ing_cursor_event (
            event_id, namespace_id, prev_position, new_position, prev_token, new_token, recorded_at, window_from,
            window_to, page_number, row_count, table_name, series_id, operation, namespace_scope, namespace_key,
            direction, cursor_type, reason, cap_key, run_id, lane, request, idempotent_key
        )
        select past.event_id, past.namespace_id, prev_position, new_position, prev_token, new_token, $1, window_from,
               window_to, page_number, row_count, table_name, series_id, operation, namespace_scope, namespace_key, direction,
               cursor_type, reason, cap_key, run_id, lane, request, 'carried/' || idempotent_key
        from (select namespace_id, max(event_id) as last_id from %1$s group by namespace_id) as ended
        cross join lateral (
            select min(event_id) as first_id from ing_cursor_event where namespace_id = ended.namespace_id
        ) as staying
        join %1$s as past on past.namespace_id = ended.namespace_id and past.event_id > staying.first_id
        where ended.last_id > staying.first_id and past.reason <> 'no-forward'
    $copy$, gone) using moment;
    get diagnostics copied = row_count;
    execute format($carry$
        insert into ing_cursor_event (
            namespace_id, prev_position, new_position, prev_token, new_token, recorded_at, table_name, series_id,
            operation, namespace_scope, namespace_key, direction, cursor_type, reason, request, idempotent_key
        )
        select last.namespace_id, ended.position, ended.position, last.new_token, last.new_token, $1, table_name,
               series_id, operation, namespace_scope, namespace_key, direction, cursor_type, 'no-forward', 'carried from ' || $2,
               format('carried/%%s/%%s', $2, last.namespace_id)
        from (
            select namespace_id, max(event_id) as last_id, max(new_position) as high, min(new_position) as low
            from %1$s where new_position is not null or new_token is not null group by namespace_id
        ) as value
        join %1$s as last on last.namespace_id = value.namespace_id and last.event_id = value.last_id
        cross join lateral (select case direction when 'FORWARD' then high else low end as position) as ended
        where not exists (
            select from ing_cursor_event as staying
            where staying.namespace_id = value.namespace_id
              and (staying.reason <> 'no-forward' or staying.new_position = ended.position
                   or staying.new_token = last.new_token)
        )
        -- Sorting makes it look for all of them before it appends the first.
        order by value.last_id
    $carry$, gone) using moment, archived;
    get diagnostics carried = row_count;
end
$_$;

CREATE FUNCTION public.ensure_ledger_month(moment timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    AS $$
declare
    first timestamptz := date_trunc('month', moment at time zone 'UTC') at time zone 'UTC';
    next timestamptz := (date_trunc('month', moment at time zone 'UTC') + interval '1 month') at time zone 'UTC';
    name text := 'ing_cursor_event_' || to_char(moment at time zone 'UTC', 'YYYY_MM');
begin
    if to_regclass(name) is not null then
        return;
    end if;
    -- One at a time; who waited looks again.
    perform pg_advisory_xact_lock(hashtextextended('ensure_ledger_month', 0));
    if to_regclass(name) is not null
       or exists (select from ing_cursor_event_default where recorded_at >= first and recorded_at < next) then
        return;
    end if;
    execute format(
        'create table %I partition of ing_cursor_event for values from (%L) to (%L)', name, first, next
    );
    perform protect_ledger(name::regclass);
end
$$;

CREATE FUNCTION public.find_namespace_id(table_name text, series_id text, operation text, scope text, namespace_key text) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $$
    select hashtextextended(
        table_name || chr(31) || series_id || chr(31) || operation || chr(31) || scope || chr(31) || namespace_key, 0
    )
$$;

CREATE FUNCTION public.protect_ledger(partition_name regclass) RETURNS void
    LANGUAGE plpgsql
    AS $$
begin
    execute format('create trigger refuse_truncate before truncate on %s execute function refuse_change()', partition_name);
    execute format('alter table %s enable always trigger refuse_truncate', partition_name);
    execute format('alter table %s enable always trigger refuse_change', partition_name);
end
$$;

CREATE FUNCTION public.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    raise exception 'the ledger is append-only: % of % is refused', tg_op, tg_table_name
        using errcode = 'insufficient_privilege';
end
$$;

CREATE FUNCTION public.reserve_slot(wanted text, requests integer, window_ms integer, patience_ms integer) RETURNS integer
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION public.settle_and_take(tickets bigint[], ages_ms bigint[], wanted text, capacity integer, window_ms integer, patience_ms integer, needed integer, INOUT ticket bigint, OUT wait_ms integer, OUT blocked_ms bigint, OUT reason text) RETURNS record
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION public.take_turn(wanted text, capacity integer, window_ms integer, patience_ms integer, needed integer, INOUT ticket bigint, OUT wait_ms integer, OUT blocked_ms bigint, OUT reason text) RETURNS record
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION public.touch_updated_at() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
    new.updated_at := now();
    return new;
end
$$;

CREATE TABLE public.capability_state (
    cap_key text NOT NULL COLLATE pg_catalog."C",
    vendor text NOT NULL,
    method text NOT NULL,
    table_name text NOT NULL COLLATE pg_catalog."C",
    product_prefix text NOT NULL COLLATE pg_catalog."C",
    direction text NOT NULL,
    durations text[] NOT NULL,
    grace_ms integer DEFAULT 0 NOT NULL,
    active boolean DEFAULT true NOT NULL,
    backoff_ms integer DEFAULT 0 NOT NULL,
    next_eligible_at timestamp with time zone,
    last_error text,
    last_error_at timestamp with time zone,
    last_success_at timestamp with time zone,
    head_backlog integer DEFAULT 0 NOT NULL,
    head_backlog_at timestamp with time zone,
    page_rows integer,
    pages_per_minute real,
    CONSTRAINT capability_state_direction_check CHECK ((direction = ANY (ARRAY['backward'::text, 'forward'::text]))),
    CONSTRAINT capability_state_page_rows_check CHECK ((page_rows > 1))
);

CREATE TABLE public.coverage_evidence (
    series_id text NOT NULL COLLATE pg_catalog."C",
    table_name text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    start_time timestamp with time zone NOT NULL,
    end_time timestamp with time zone NOT NULL,
    request text NOT NULL,
    response_digest text NOT NULL,
    observed_at timestamp with time zone NOT NULL,
    confirmed_at timestamp with time zone NOT NULL,
    confirmations integer DEFAULT 1 NOT NULL,
    CONSTRAINT coverage_evidence_check CHECK ((start_time < end_time)),
    CONSTRAINT coverage_evidence_confirmations_check CHECK ((confirmations > 0)),
    CONSTRAINT coverage_evidence_kind_check CHECK ((kind = ANY (ARRAY['verified_empty'::text, 'outage'::text, 'pre_listing'::text, 'beyond_retention'::text, 'post_delisting'::text, 'quarantined'::text])))
);

COMMENT ON COLUMN public.coverage_evidence.observed_at IS 'when the vendor first said so';

COMMENT ON COLUMN public.coverage_evidence.confirmed_at IS 'when it last said so; answers close together count as one';

CREATE TABLE public.ing_cursor (
    namespace_id bigint NOT NULL,
    "position" bigint,
    version bigint DEFAULT 1 NOT NULL,
    updated_at timestamp with time zone DEFAULT now() CONSTRAINT ing_cursor_updated_at_not_null1 NOT NULL,
    table_name text CONSTRAINT ing_cursor_table_name_not_null1 NOT NULL COLLATE pg_catalog."C",
    series_id text CONSTRAINT ing_cursor_series_id_not_null1 NOT NULL COLLATE pg_catalog."C",
    operation text CONSTRAINT ing_cursor_operation_not_null1 NOT NULL COLLATE pg_catalog."C",
    namespace_scope text NOT NULL COLLATE pg_catalog."C",
    namespace_key text NOT NULL COLLATE pg_catalog."C",
    direction text NOT NULL COLLATE pg_catalog."C",
    cursor_type text NOT NULL COLLATE pg_catalog."C",
    token text,
    CONSTRAINT has_value CHECK ((((cursor_type = 'TOKEN'::text) = (token IS NOT NULL)) AND ((token IS NULL) = ("position" IS NOT NULL)))),
    CONSTRAINT namespace_matrix CHECK (((cursor_type = ANY (ARRAY['TIME'::text, 'ID'::text, 'TOKEN'::text])) AND (((operation = 'HARVEST'::text) AND (namespace_scope = ANY (ARRAY['GLOBAL'::text, 'EXPR'::text])) AND (direction = 'FORWARD'::text)) OR ((operation = 'BACKFILL'::text) AND (namespace_scope = 'CUSTOM'::text) AND (direction = 'BACKFILL'::text)) OR ((operation = 'UPDATE'::text) AND (namespace_scope = 'CUSTOM'::text) AND (direction = 'FORWARD'::text)))))
)
WITH (fillfactor='70');

CREATE SEQUENCE public.ing_cursor_event_id
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE public.ing_cursor_event (
    event_id bigint DEFAULT nextval('public.ing_cursor_event_id'::regclass) CONSTRAINT ing_cursor_event_event_id_not_null1 NOT NULL,
    namespace_id bigint NOT NULL,
    prev_position bigint,
    new_position bigint,
    recorded_at timestamp with time zone CONSTRAINT ing_cursor_event_recorded_at_not_null1 NOT NULL,
    window_from timestamp with time zone,
    window_to timestamp with time zone,
    page_number integer,
    row_count integer,
    table_name text CONSTRAINT ing_cursor_event_table_name_not_null1 NOT NULL COLLATE pg_catalog."C",
    series_id text CONSTRAINT ing_cursor_event_series_id_not_null1 NOT NULL COLLATE pg_catalog."C",
    operation text CONSTRAINT ing_cursor_event_operation_not_null1 NOT NULL COLLATE pg_catalog."C",
    namespace_scope text NOT NULL COLLATE pg_catalog."C",
    namespace_key text NOT NULL COLLATE pg_catalog."C",
    direction text CONSTRAINT ing_cursor_event_direction_not_null1 NOT NULL COLLATE pg_catalog."C",
    cursor_type text NOT NULL COLLATE pg_catalog."C",
    reason text CONSTRAINT ing_cursor_event_reason_not_null1 NOT NULL COLLATE pg_catalog."C",
    prev_token text,
    new_token text,
    cap_key text COLLATE pg_catalog."C",
    run_id text,
    lane text,
    request text,
    idempotent_key text NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT ing_cursor_event_reason_check1 CHECK ((reason = ANY (ARRAY['advanced'::text, 'no-forward'::text, 'token'::text]))),
    CONSTRAINT namespace_matrix CHECK (((cursor_type = ANY (ARRAY['TIME'::text, 'ID'::text, 'TOKEN'::text])) AND (((operation = 'HARVEST'::text) AND (namespace_scope = ANY (ARRAY['GLOBAL'::text, 'EXPR'::text])) AND (direction = 'FORWARD'::text)) OR ((operation = 'BACKFILL'::text) AND (namespace_scope = 'CUSTOM'::text) AND (direction = 'BACKFILL'::text)) OR ((operation = 'UPDATE'::text) AND (namespace_scope = 'CUSTOM'::text) AND (direction = 'FORWARD'::text))))),
    CONSTRAINT no_step_back CHECK ((
CASE reason
    WHEN 'advanced'::text THEN ((cursor_type <> 'TOKEN'::text) AND (new_position IS NOT NULL) AND ((prev_position IS NULL) OR ((direction = 'FORWARD'::text) AND (new_position > prev_position)) OR ((direction = 'BACKFILL'::text) AND (new_position < prev_position))))
    WHEN 'token'::text THEN ((cursor_type = 'TOKEN'::text) AND (new_token IS NOT NULL) AND (new_position IS NULL))
    ELSE ((NOT (new_position IS DISTINCT FROM prev_position)) AND (NOT (new_token IS DISTINCT FROM prev_token)))
END IS TRUE)),
    CONSTRAINT window_is_half_open CHECK ((window_from < window_to))
)
PARTITION BY RANGE (recorded_at);

COMMENT ON TABLE public.ing_cursor_event IS 'append-only: no update, delete or truncate succeeds; old months are archived whole';

COMMENT ON COLUMN public.ing_cursor_event.new_position IS 'epoch milliseconds (TIME) or an id (ID); tokens can''t be compared';

COMMENT ON COLUMN public.ing_cursor_event.recorded_at IS 'when the page was answered, so that a retried commit says the same';

COMMENT ON COLUMN public.ing_cursor_event.idempotent_key IS 'the same for every attempt to record one page';

CREATE TABLE public.ing_cursor_event_2026_11 (
    event_id bigint DEFAULT nextval('public.ing_cursor_event_id'::regclass) CONSTRAINT ing_cursor_event_event_id_not_null1 NOT NULL,
    namespace_id bigint CONSTRAINT ing_cursor_event_namespace_id_not_null NOT NULL,
    prev_position bigint,
    new_position bigint,
    recorded_at timestamp with time zone CONSTRAINT ing_cursor_event_recorded_at_not_null1 NOT NULL,
    window_from timestamp with time zone,
    window_to timestamp with time zone,
    page_number integer,
    row_count integer,
    table_name text CONSTRAINT ing_cursor_event_table_name_not_null1 NOT NULL COLLATE pg_catalog."C",
    series_id text CONSTRAINT ing_cursor_event_series_id_not_null1 NOT NULL COLLATE pg_catalog."C",
    operation text CONSTRAINT ing_cursor_event_operation_not_null1 NOT NULL COLLATE pg_catalog."C",
    namespace_scope text CONSTRAINT ing_cursor_event_namespace_scope_not_null NOT NULL COLLATE pg_catalog."C",
    namespace_key text CONSTRAINT ing_cursor_event_namespace_key_not_null NOT NULL COLLATE pg_catalog."C",
    direction text CONSTRAINT ing_cursor_event_direction_not_null1 NOT NULL COLLATE pg_catalog."C",
    cursor_type text CONSTRAINT ing_cursor_event_cursor_type_not_null NOT NULL COLLATE pg_catalog."C",
    reason text CONSTRAINT ing_cursor_event_reason_not_null1 NOT NULL COLLATE pg_catalog."C",
    prev_token text,
    new_token text,
    cap_key text COLLATE pg_catalog."C",
    run_id text,
    lane text,
    request text,
    idempotent_key text CONSTRAINT ing_cursor_event_idempotent_key_not_null NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT ing_cursor_event_reason_check1 CHECK ((reason = ANY (ARRAY['advanced'::text, 'no-forward'::text, 'token'::text]))),
    CONSTRAINT namespace_matrix CHECK (((cursor_type = ANY (ARRAY['TIME'::text, 'ID'::text, 'TOKEN'::text])) AND (((operation = 'HARVEST'::text) AND (namespace_scope = ANY (ARRAY['GLOBAL'::text, 'EXPR'::text])) AND (direction = 'FORWARD'::text)) OR ((operation = 'BACKFILL'::text) AND (namespace_scope = 'CUSTOM'::text) AND (direction = 'BACKFILL'::text)) OR ((operation = 'UPDATE'::text) AND (namespace_scope = 'CUSTOM'::text) AND (direction = 'FORWARD'::text))))),
    CONSTRAINT no_step_back CHECK ((
CASE reason
    WHEN 'advanced'::text THEN ((cursor_type <> 'TOKEN'::text) AND (new_position IS NOT NULL) AND ((prev_position IS NULL) OR ((direction = 'FORWARD'::text) AND (new_position > prev_position)) OR ((direction = 'BACKFILL'::text) AND (new_position < prev_position))))
    WHEN 'token'::text THEN ((cursor_type = 'TOKEN'::text) AND (new_token IS NOT NULL) AND (new_position IS NULL))
    ELSE ((NOT (new_position IS DISTINCT FROM prev_position)) AND (NOT (new_token IS DISTINCT FROM prev_token)))
END IS TRUE)),
    CONSTRAINT window_is_half_open CHECK ((window_from < window_to))
);

CREATE TABLE public.ing_cursor_event_2026_12 (
    event_id bigint DEFAULT nextval('public.ing_cursor_event_id'::regclass) CONSTRAINT ing_cursor_event_event_id_not_null1 NOT NULL,
    namespace_id bigint CONSTRAINT ing_cursor_event_namespace_id_not_null NOT NULL,
    prev_position bigint,
    new_position bigint,
    recorded_at timestamp with time zone CONSTRAINT ing_cursor_event_recorded_at_not_null1 NOT NULL,
    window_from timestamp with time zone,
    window_to timestamp with time zone,
    page_number integer,
    row_count integer,
    table_name text CONSTRAINT ing_cursor_event_table_name_not_null1 NOT NULL COLLATE pg_catalog."C",
    series_id text CONSTRAINT ing_cursor_event_series_id_not_null1 NOT NULL COLLATE pg_catalog."C",
    operation text CONSTRAINT ing_cursor_event_operation_not_null1 NOT NULL COLLATE pg_catalog."C",
    namespace_scope text CONSTRAINT ing_cursor_event_namespace_scope_not_null NOT NULL COLLATE pg_catalog."C",
    namespace_key text CONSTRAINT ing_cursor_event_namespace_key_not_null NOT NULL COLLATE pg_catalog."C",
    direction text CONSTRAINT ing_cursor_event_direction_not_null1 NOT NULL COLLATE pg_catalog."C",
    cursor_type text CONSTRAINT ing_cursor_event_cursor_type_not_null NOT NULL COLLATE pg_catalog."C",
    reason text CONSTRAINT ing_cursor_event_reason_not_null1 NOT NULL COLLATE pg_catalog."C",
    prev_token text,
    new_token text,
    cap_key text COLLATE pg_catalog."C",
    run_id text,
    lane text,
    request text,
    idempotent_key text CONSTRAINT ing_cursor_event_idempotent_key_not_null NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT ing_cursor_event_reason_check1 CHECK ((reason = ANY (ARRAY['advanced'::text, 'no-forward'::text, 'token'::text]))),
    CONSTRAINT namespace_matrix CHECK (((cursor_type = ANY (ARRAY['TIME'::text, 'ID'::text, 'TOKEN'::text])) AND (((operation = 'HARVEST'::text) AND (namespace_scope = ANY (ARRAY['GLOBAL'::text, 'EXPR'::text])) AND (direction = 'FORWARD'::text)) OR ((operation = 'BACKFILL'::text) AND (namespace_scope = 'CUSTOM'::text) AND (direction = 'BACKFILL'::text)) OR ((operation = 'UPDATE'::text) AND (namespace_scope = 'CUSTOM'::text) AND (direction = 'FORWARD'::text))))),
    CONSTRAINT no_step_back CHECK ((
CASE reason
    WHEN 'advanced'::text THEN ((cursor_type <> 'TOKEN'::text) AND (new_position IS NOT NULL) AND ((prev_position IS NULL) OR ((direction = 'FORWARD'::text) AND (new_position > prev_position)) OR ((direction = 'BACKFILL'::text) AND (new_position < prev_position))))
    WHEN 'token'::text THEN ((cursor_type = 'TOKEN'::text) AND (new_token IS NOT NULL) AND (new_position IS NULL))
    ELSE ((NOT (new_position IS DISTINCT FROM prev_position)) AND (NOT (new_token IS DISTINCT FROM prev_token)))
END IS TRUE)),
    CONSTRAINT window_is_half_open CHECK ((window_from < window_to))
);

CREATE TABLE public.ing_cursor_event_default (
    event_id bigint DEFAULT nextval('public.ing_cursor_event_id'::regclass) CONSTRAINT ing_cursor_event_event_id_not_null1 NOT NULL,
    namespace_id bigint CONSTRAINT ing_cursor_event_namespace_id_not_null NOT NULL,
    prev_position bigint,
    new_position bigint,
    recorded_at timestamp with time zone CONSTRAINT ing_cursor_event_recorded_at_not_null1 NOT NULL,
    window_from timestamp with time zone,
    window_to timestamp with time zone,
    page_number integer,
    row_count integer,
    table_name text CONSTRAINT ing_cursor_event_table_name_not_null1 NOT NULL COLLATE pg_catalog."C",
    series_id text CONSTRAINT ing_cursor_event_series_id_not_null1 NOT NULL COLLATE pg_catalog."C",
    operation text CONSTRAINT ing_cursor_event_operation_not_null1 NOT NULL COLLATE pg_catalog."C",
    namespace_scope text CONSTRAINT ing_cursor_event_namespace_scope_not_null NOT NULL COLLATE pg_catalog."C",
    namespace_key text CONSTRAINT ing_cursor_event_namespace_key_not_null NOT NULL COLLATE pg_catalog."C",
    direction text CONSTRAINT ing_cursor_event_direction_not_null1 NOT NULL COLLATE pg_catalog."C",
    cursor_type text CONSTRAINT ing_cursor_event_cursor_type_not_null NOT NULL COLLATE pg_catalog."C",
    reason text CONSTRAINT ing_cursor_event_reason_not_null1 NOT NULL COLLATE pg_catalog."C",
    prev_token text,
    new_token text,
    cap_key text COLLATE pg_catalog."C",
    run_id text,
    lane text,
    request text,
    idempotent_key text CONSTRAINT ing_cursor_event_idempotent_key_not_null NOT NULL COLLATE pg_catalog."C",
    CONSTRAINT ing_cursor_event_reason_check1 CHECK ((reason = ANY (ARRAY['advanced'::text, 'no-forward'::text, 'token'::text]))),
    CONSTRAINT namespace_matrix CHECK (((cursor_type = ANY (ARRAY['TIME'::text, 'ID'::text, 'TOKEN'::text])) AND (((operation = 'HARVEST'::text) AND (namespace_scope = ANY (ARRAY['GLOBAL'::text, 'EXPR'::text])) AND (direction = 'FORWARD'::text)) OR ((operation = 'BACKFILL'::text) AND (namespace_scope = 'CUSTOM'::text) AND (direction = 'BACKFILL'::text)) OR ((operation = 'UPDATE'::text) AND (namespace_scope = 'CUSTOM'::text) AND (direction = 'FORWARD'::text))))),
    CONSTRAINT no_step_back CHECK ((
CASE reason
    WHEN 'advanced'::text THEN ((cursor_type <> 'TOKEN'::text) AND (new_position IS NOT NULL) AND ((prev_position IS NULL) OR ((direction = 'FORWARD'::text) AND (new_position > prev_position)) OR ((direction = 'BACKFILL'::text) AND (new_position < prev_position))))
    WHEN 'token'::text THEN ((cursor_type = 'TOKEN'::text) AND (new_token IS NOT NULL) AND (new_position IS NULL))
    ELSE ((NOT (new_position IS DISTINCT FROM prev_position)) AND (NOT (new_token IS DISTINCT FROM prev_token)))
END IS TRUE)),
    CONSTRAINT window_is_half_open CHECK ((window_from < window_to))
);

CREATE TABLE public.interest_rate (
    series_id text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    long_rate numeric NOT NULL,
    short_rate numeric NOT NULL,
    settlement_price numeric,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.ohlc_v2 (
    series_id text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    closed_at timestamp with time zone NOT NULL,
    open numeric NOT NULL,
    high numeric NOT NULL,
    low numeric NOT NULL,
    close numeric NOT NULL,
    volume numeric,
    open_interest numeric,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.product (
    product_id text NOT NULL COLLATE pg_catalog."C",
    vendor text NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    base_currency text DEFAULT ''::text NOT NULL,
    quote_currency text DEFAULT ''::text NOT NULL,
    price_step numeric,
    volume_step numeric,
    value_scale numeric,
    allow_long boolean DEFAULT true NOT NULL,
    allow_short boolean DEFAULT true NOT NULL,
    no_interest_rate boolean DEFAULT false NOT NULL,
    market_id text DEFAULT ''::text NOT NULL,
    listed_at timestamp with time zone,
    delisted_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT product_product_id_check CHECK ((product_id <> ''::text))
);

CREATE TABLE public.rate_budget (
    budget text NOT NULL COLLATE pg_catalog."C",
    blocked_until timestamp with time zone,
    blocked_why text
);

CREATE TABLE public.rate_grant (
    budget text NOT NULL COLLATE pg_catalog."C",
    granted_at timestamp with time zone NOT NULL,
    grant_id bigint NOT NULL
);

ALTER TABLE public.rate_grant ALTER COLUMN grant_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.rate_grant_grant_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.rate_request (
    request_id bigint NOT NULL,
    budget text NOT NULL COLLATE pg_catalog."C",
    weight integer NOT NULL,
    phase text NOT NULL,
    since timestamp with time zone NOT NULL,
    CONSTRAINT rate_request_phase_check CHECK ((phase = ANY (ARRAY['waiting'::text, 'sent'::text, 'answered'::text]))),
    CONSTRAINT rate_request_weight_check CHECK ((weight > 0))
)
WITH (fillfactor='50');

COMMENT ON COLUMN public.rate_request.since IS 'when its phase began; of one that waits, when its turn is expected';

ALTER TABLE public.rate_request ALTER COLUMN request_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.rate_request_request_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.refresh_campaign (
    campaign_id text NOT NULL COLLATE pg_catalog."C",
    table_name text NOT NULL COLLATE pg_catalog."C",
    series_ids text[] NOT NULL,
    window_from timestamp with time zone NOT NULL,
    window_to timestamp with time zone NOT NULL,
    begun_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    revisions_after bigint NOT NULL,
    revisions_until bigint,
    CONSTRAINT refresh_campaign_check CHECK ((window_from < window_to)),
    CONSTRAINT refresh_campaign_check1 CHECK (((finished_at IS NULL) = (revisions_until IS NULL))),
    CONSTRAINT refresh_campaign_series_ids_check CHECK ((cardinality(series_ids) > 0))
);

COMMENT ON COLUMN public.refresh_campaign.revisions_after IS 'the last revision before it began: what follows was seen since';

CREATE TABLE public.row_revision (
    revision_id bigint NOT NULL,
    table_name text NOT NULL COLLATE pg_catalog."C",
    series_id text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    old_value jsonb NOT NULL,
    new_value jsonb NOT NULL,
    seen_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE public.row_revision ALTER COLUMN revision_id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.row_revision_revision_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.schema_migration (
    name text NOT NULL,
    digest text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.series_data_range (
    series_id text NOT NULL COLLATE pg_catalog."C",
    table_name text NOT NULL COLLATE pg_catalog."C",
    start_time timestamp with time zone NOT NULL,
    end_time timestamp with time zone NOT NULL,
    CONSTRAINT series_data_range_check CHECK ((start_time < end_time))
);

CREATE VIEW public.series_coverage AS
 SELECT series_id,
    table_name,
    min(start_time) AS start_time,
    max(end_time) AS end_time,
    max(covered_until) FILTER (WHERE (covered_until < start_time)) AS gap_start,
    max(start_time) FILTER (WHERE (covered_until < start_time)) AS gap_end
   FROM ( SELECT series_data_range.series_id,
            series_data_range.table_name,
            series_data_range.start_time,
            series_data_range.end_time,
            max(series_data_range.end_time) OVER (PARTITION BY series_data_range.series_id, series_data_range.table_name ORDER BY series_data_range.start_time ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS covered_until
           FROM public.series_data_range) ordered
  GROUP BY series_id, table_name;

CREATE VIEW public.series_open_gap AS
 SELECT series_id,
    table_name,
    max(covered_until) FILTER (WHERE (covered_until < start_time)) AS gap_start,
    max(start_time) FILTER (WHERE (covered_until < start_time)) AS gap_end
   FROM ( SELECT accounted.series_id,
            accounted.table_name,
            accounted.start_time,
            max(accounted.end_time) OVER (PARTITION BY accounted.series_id, accounted.table_name ORDER BY accounted.start_time ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS covered_until
           FROM ( SELECT coverage_evidence.series_id,
                    coverage_evidence.table_name,
                    coverage_evidence.start_time,
                    coverage_evidence.end_time
                   FROM public.coverage_evidence
                  WHERE ((coverage_evidence.kind = 'outage'::text) AND (coverage_evidence.confirmations >= 2))
                UNION ALL
                 SELECT stored.series_id,
                    stored.table_name,
                    stored.start_time,
                    stored.end_time
                   FROM public.series_data_range stored
                  WHERE (EXISTS ( SELECT
                           FROM public.coverage_evidence known
                          WHERE ((known.series_id = stored.series_id) AND (known.table_name = stored.table_name) AND (known.kind = 'outage'::text) AND (known.confirmations >= 2))))) accounted) ordered
  GROUP BY series_id, table_name;

CREATE TABLE public.series_state (
    series_id text NOT NULL COLLATE pg_catalog."C",
    table_name text NOT NULL COLLATE pg_catalog."C",
    product_id text NOT NULL COLLATE pg_catalog."C",
    cap_key text NOT NULL COLLATE pg_catalog."C",
    active boolean DEFAULT true NOT NULL,
    head_attempted_at timestamp with time zone,
    head_eligible_at timestamp with time zone,
    head_misses integer DEFAULT 0 NOT NULL,
    tail_attempted_at timestamp with time zone,
    tail_eligible_at timestamp with time zone,
    tail_misses integer DEFAULT 0 NOT NULL,
    gap_eligible_at timestamp with time zone,
    gap_misses integer DEFAULT 0 NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    last_window_ms bigint,
    floor_time timestamp with time zone,
    floor_kind text,
    last_error text,
    last_success_at timestamp with time zone,
    shown_at timestamp with time zone,
    interval_ms bigint,
    floor_grounds text[] DEFAULT '{}'::text[] NOT NULL,
    nothing_earlier_at timestamp with time zone,
    recheck_at timestamp with time zone,
    CONSTRAINT series_state_floor_kind_check CHECK ((floor_kind = ANY (ARRAY['listing'::text, 'retention'::text]))),
    CONSTRAINT series_state_interval_ms_check CHECK ((interval_ms > 0))
)
WITH (fillfactor='70');

COMMENT ON COLUMN public.series_state.shown_at IS 'when Dagster last got a partition event of this series; display only';

COMMENT ON COLUMN public.series_state.interval_ms IS 'the shortest time between the newest rates seen; null for bars';

COMMENT ON COLUMN public.series_state.floor_grounds IS 'what speaks for the start of the stored history being the start of all';

COMMENT ON COLUMN public.series_state.nothing_earlier_at IS 'when the vendor first answered that nothing is earlier';

COMMENT ON COLUMN public.series_state.recheck_at IS 'when the floor is to be verified again';

ALTER TABLE ONLY public.ing_cursor_event ATTACH PARTITION public.ing_cursor_event_2026_11 FOR VALUES FROM ('2026-11-01 00:00:00+00') TO ('2026-12-01 00:00:00+00');

ALTER TABLE ONLY public.ing_cursor_event ATTACH PARTITION public.ing_cursor_event_2026_12 FOR VALUES FROM ('2026-12-01 00:00:00+00') TO ('2027-01-01 00:00:00+00');

ALTER TABLE ONLY public.ing_cursor_event ATTACH PARTITION public.ing_cursor_event_default DEFAULT;

INSERT INTO public.capability_state VALUES
	('IngestInterestRate/DEMO%2FMARGIN%2F/forward', 'demo-b', 'IngestInterestRate', 'interest_rate', 'DEMO/MARGIN/', 'forward', '{}', 0, true, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL),
	('IngestOHLC/DEMO%2FSPOT%2F/forward', 'demo-b', 'IngestOHLC', 'ohlc_v2', 'DEMO/SPOT/', 'forward', '{PT1M,PT5M,PT15M,PT1H,PT4H,P1D}', 1000, true, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL),
	('IngestOHLC/DEMO%2FSWAP%2F/backward', 'demo-a', 'IngestOHLC', 'ohlc_v2', 'DEMO/SWAP/', 'backward', '{PT1M,PT5M,PT15M,PT1H,PT4H,P1D}', 1000, true, 0, NULL, NULL, NULL, '2026-11-19 05:38:06.501+00', 0, NULL, NULL, NULL),
	('IngestInterestRate/DEMO%2FSWAP%2F/backward', 'demo-a', 'IngestInterestRate', 'interest_rate', 'DEMO/SWAP/', 'backward', '{}', 0, true, 0, NULL, NULL, NULL, '2026-11-19 05:38:06.658+00', 0, NULL, NULL, NULL);

INSERT INTO public.ing_cursor VALUES
	(7627385343207618108, 1795060800000, 1, '2026-11-19 05:38:06.509446+00', 'ohlc_v2', 'DEMO/SWAP/BTC-USDT/PT4H', 'HARVEST', 'GLOBAL', '', 'FORWARD', 'TIME', NULL),
	(-7076070619603889113, 1786449600000, 1, '2026-11-19 05:38:06.56466+00', 'ohlc_v2', 'DEMO/SWAP/BTC-USDT/PT4H', 'BACKFILL', 'CUSTOM', 'history', 'BACKFILL', 'TIME', NULL),
	(4454833431591150254, 1795046400001, 1, '2026-11-19 05:38:06.661412+00', 'interest_rate', 'DEMO/SWAP/BTC-USDT', 'HARVEST', 'GLOBAL', '', 'FORWARD', 'TIME', NULL),
	(801278947830364514, 1789344000000, 1, '2026-11-19 05:38:06.709+00', 'interest_rate', 'DEMO/SWAP/BTC-USDT', 'BACKFILL', 'CUSTOM', 'history', 'BACKFILL', 'TIME', NULL);

INSERT INTO public.ing_cursor_event_2026_11 VALUES
	(1, 7627385343207618108, NULL, 1795060800000, '2026-11-19 05:38:06.501+00', '2026-09-30 08:00:00+00', '2026-11-19 04:00:00+00', 1, 299, 'ohlc_v2', 'DEMO/SWAP/BTC-USDT/PT4H', 'HARVEST', 'GLOBAL', '', 'FORWARD', 'TIME', 'advanced', NULL, NULL, 'IngestOHLC/DEMO%2FSWAP%2F/backward', NULL, '6988723b34e14b44a171fc50aca1a733', 'head backward 1795066686470', '6988723b34e14b44a171fc50aca1a733/1'),
	(2, -7076070619603889113, NULL, 1786449600000, '2026-11-19 05:38:06.564+00', '2026-08-11 12:00:00+00', '2026-09-30 12:00:00+00', 2, 300, 'ohlc_v2', 'DEMO/SWAP/BTC-USDT/PT4H', 'BACKFILL', 'CUSTOM', 'history', 'BACKFILL', 'TIME', 'advanced', NULL, NULL, 'IngestOHLC/DEMO%2FSWAP%2F/backward', NULL, '6988723b34e14b44a171fc50aca1a733', 'start backward 1790758800000', '6988723b34e14b44a171fc50aca1a733/2'),
	(3, 4454833431591150254, NULL, 1795046400001, '2026-11-19 05:38:06.658+00', '2026-10-17 00:00:00+00', '2026-11-19 00:00:00.001+00', 1, 100, 'interest_rate', 'DEMO/SWAP/BTC-USDT', 'HARVEST', 'GLOBAL', '', 'FORWARD', 'TIME', 'advanced', NULL, NULL, 'IngestInterestRate/DEMO%2FSWAP%2F/backward', NULL, '726879d051334156b967fca574497cad', 'head backward 1795066686626', '726879d051334156b967fca574497cad/1'),
	(4, 801278947830364514, NULL, 1789344000000, '2026-11-19 05:38:06.708+00', '2026-09-14 00:00:00+00', '2026-10-17 00:00:00.001+00', 2, 100, 'interest_rate', 'DEMO/SWAP/BTC-USDT', 'BACKFILL', 'CUSTOM', 'history', 'BACKFILL', 'TIME', 'advanced', NULL, NULL, 'IngestInterestRate/DEMO%2FSWAP%2F/backward', NULL, '726879d051334156b967fca574497cad', 'start backward 1792198800000', '726879d051334156b967fca574497cad/2');

INSERT INTO public.interest_rate VALUES
	('DEMO/SWAP/BTC-USDT', '2026-10-17 00:00:00+00', -0.00012385, 0.00012385, 61440.5, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-17 08:00:00+00', -0.00000930, 0.00000930, 60179.7, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-17 16:00:00+00', -0.00009973, 0.00009973, 61041.1, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-18 00:00:00+00', -0.00011113, 0.00011113, 59942.4, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-18 08:00:00+00', -0.00017192, 0.00017192, 60286.7, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-18 16:00:00+00', -0.00017875, 0.00017875, 59835.6, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-19 00:00:00+00', -0.00019986, 0.00019986, 59815.2, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-19 08:00:00+00', -0.00020171, 0.00020171, 59917.9, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-19 16:00:00+00', -0.00006492, 0.00006492, 59825.0, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-20 00:00:00+00', -0.00001332, 0.00001332, 59996.3, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-20 08:00:00+00', 0.00005691, -0.00005691, 60375.7, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-20 16:00:00+00', -0.00005109, 0.00005109, 60048.8, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-21 00:00:00+00', 0.00009290, -0.00009290, 59828.6, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-21 08:00:00+00', 0.00002751, -0.00002751, 59915.4, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-21 16:00:00+00', 0.00005747, -0.00005747, 59336.3, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-22 00:00:00+00', 0.00020152, -0.00020152, 59248.8, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-22 08:00:00+00', 0.00026600, -0.00026600, 59176.6, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-22 16:00:00+00', 0.00025828, -0.00025828, 59099.5, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-23 00:00:00+00', 0.00015905, -0.00015905, 58900.3, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-23 08:00:00+00', 0.00022953, -0.00022953, 58182.9, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-23 16:00:00+00', 0.00020807, -0.00020807, 57849.0, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-24 00:00:00+00', 0.00012983, -0.00012983, 57383.8, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-24 08:00:00+00', 0.00024122, -0.00024122, 57315.4, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-24 16:00:00+00', 0.00012174, -0.00012174, 56979.4, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-25 00:00:00+00', 0.00012363, -0.00012363, 56903.6, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-25 08:00:00+00', 0.00005755, -0.00005755, 56144.2, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-25 16:00:00+00', 0.00007671, -0.00007671, 56453.4, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-26 00:00:00+00', -0.00009088, 0.00009088, 55539.6, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-26 08:00:00+00', -0.00013129, 0.00013129, 55463.3, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-26 16:00:00+00', -0.00017975, 0.00017975, 55473.2, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-27 00:00:00+00', -0.00008257, 0.00008257, 56364.8, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-27 08:00:00+00', -0.00014948, 0.00014948, 56088.6, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-27 16:00:00+00', -0.00021791, 0.00021791, 56420.3, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-28 00:00:00+00', -0.00037782, 0.00037782, 56168.0, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-28 08:00:00+00', -0.00019761, 0.00019761, 56183.7, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-28 16:00:00+00', -0.00022246, 0.00022246, 56178.1, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-29 00:00:00+00', -0.00019305, 0.00019305, 56144.5, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-29 08:00:00+00', -0.00022783, 0.00022783, 56173.4, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-29 16:00:00+00', -0.00011508, 0.00011508, 56725.3, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-30 00:00:00+00', -0.00023420, 0.00023420, 57297.7, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-30 08:00:00+00', -0.00023069, 0.00023069, 57617.9, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-30 16:00:00+00', -0.00018370, 0.00018370, 57820.8, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-31 00:00:00+00', -0.00005714, 0.00005714, 57887.9, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-31 08:00:00+00', -0.00023128, 0.00023128, 57833.4, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-31 16:00:00+00', -0.00024830, 0.00024830, 57648.7, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-01 00:00:00+00', -0.00015414, 0.00015414, 57890.3, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-01 08:00:00+00', -0.00023423, 0.00023423, 57760.4, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-01 16:00:00+00', -0.00019906, 0.00019906, 57768.7, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-02 00:00:00+00', -0.00037601, 0.00037601, 58223.8, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-02 08:00:00+00', -0.00042248, 0.00042248, 58460.5, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-02 16:00:00+00', -0.00039677, 0.00039677, 58620.3, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-03 00:00:00+00', -0.00041801, 0.00041801, 58599.1, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-03 08:00:00+00', -0.00037697, 0.00037697, 59536.4, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-03 16:00:00+00', -0.00035635, 0.00035635, 59565.3, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-04 00:00:00+00', -0.00024296, 0.00024296, 59887.1, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-04 08:00:00+00', -0.00031048, 0.00031048, 60930.8, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-04 16:00:00+00', -0.00018046, 0.00018046, 61115.1, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-05 00:00:00+00', -0.00009105, 0.00009105, 61334.0, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-05 08:00:00+00', -0.00010589, 0.00010589, 61945.3, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-05 16:00:00+00', 0.00005933, -0.00005933, 61689.7, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-06 00:00:00+00', -0.00003232, 0.00003232, 62251.0, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-06 08:00:00+00', 0.00001936, -0.00001936, 62706.7, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-06 16:00:00+00', 0.00006388, -0.00006388, 62267.6, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-07 00:00:00+00', -0.00007538, 0.00007538, 62652.7, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-07 08:00:00+00', 0.00006070, -0.00006070, 63446.3, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-07 16:00:00+00', -0.00000866, 0.00000866, 63370.0, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-08 00:00:00+00', -0.00003328, 0.00003328, 63931.9, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-08 08:00:00+00', -0.00002685, 0.00002685, 63672.1, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-08 16:00:00+00', -0.00003802, 0.00003802, 63419.7, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-09 00:00:00+00', -0.00008332, 0.00008332, 63226.1, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-09 08:00:00+00', -0.00005996, 0.00005996, 63093.7, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-09 16:00:00+00', -0.00006275, 0.00006275, 63352.3, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-10 00:00:00+00', 0.00006361, -0.00006361, 63703.4, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-10 08:00:00+00', 0.00012754, -0.00012754, 64073.2, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-10 16:00:00+00', -0.00000125, 0.00000125, 64898.6, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-11 00:00:00+00', 0.00016132, -0.00016132, 65013.3, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-11 08:00:00+00', 0.00021280, -0.00021280, 64625.5, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-11 16:00:00+00', 0.00005269, -0.00005269, 64446.8, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-12 00:00:00+00', 0.00016370, -0.00016370, 63917.0, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-12 08:00:00+00', 0.00005086, -0.00005086, 63963.9, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-12 16:00:00+00', 0.00012762, -0.00012762, 64134.7, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-13 00:00:00+00', 0.00012312, -0.00012312, 63430.7, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-13 08:00:00+00', -0.00000016, 0.00000016, 63501.8, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-13 16:00:00+00', -0.00005850, 0.00005850, 63744.7, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-14 00:00:00+00', -0.00011783, 0.00011783, 63824.2, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-14 08:00:00+00', -0.00014868, 0.00014868, 63643.7, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-14 16:00:00+00', -0.00006693, 0.00006693, 63371.4, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-15 00:00:00+00', -0.00023448, 0.00023448, 62962.9, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-15 08:00:00+00', -0.00014698, 0.00014698, 63291.5, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-15 16:00:00+00', -0.00010815, 0.00010815, 63199.1, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-16 00:00:00+00', -0.00026653, 0.00026653, 63567.0, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-16 08:00:00+00', -0.00019934, 0.00019934, 63294.8, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-16 16:00:00+00', -0.00017390, 0.00017390, 63482.2, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-17 00:00:00+00', -0.00020638, 0.00020638, 63135.2, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-17 08:00:00+00', -0.00023188, 0.00023188, 62628.0, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-17 16:00:00+00', -0.00025575, 0.00025575, 62764.1, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-18 00:00:00+00', -0.00033148, 0.00033148, 62157.8, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-18 08:00:00+00', -0.00037295, 0.00037295, 62161.7, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-18 16:00:00+00', -0.00017918, 0.00017918, 62141.7, '2026-11-19 05:38:06.661412+00'),
	('DEMO/SWAP/BTC-USDT', '2026-11-19 00:00:00+00', -0.00032196, 0.00032196, 62533.4, '2026-11-19 05:38:06.661412+00');
INSERT INTO public.interest_rate VALUES
	('DEMO/SWAP/BTC-USDT', '2026-09-14 00:00:00+00', -0.00037829, 0.00037829, 68876.3, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-14 08:00:00+00', -0.00028539, 0.00028539, 68822.9, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-14 16:00:00+00', -0.00034404, 0.00034404, 68863.1, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-15 00:00:00+00', -0.00026255, 0.00026255, 69443.1, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-15 08:00:00+00', -0.00033179, 0.00033179, 70168.1, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-15 16:00:00+00', -0.00031517, 0.00031517, 69962.9, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-16 00:00:00+00', -0.00022454, 0.00022454, 71562.8, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-16 08:00:00+00', -0.00020379, 0.00020379, 71147.5, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-16 16:00:00+00', -0.00013466, 0.00013466, 71400.1, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-17 00:00:00+00', -0.00012210, 0.00012210, 70613.9, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-17 08:00:00+00', -0.00007126, 0.00007126, 70360.7, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-17 16:00:00+00', -0.00000493, 0.00000493, 70429.1, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-18 00:00:00+00', -0.00012642, 0.00012642, 69929.3, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-18 08:00:00+00', 0.00004069, -0.00004069, 69805.9, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-18 16:00:00+00', 0.00008155, -0.00008155, 69421.0, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-19 00:00:00+00', 0.00009199, -0.00009199, 69316.9, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-19 08:00:00+00', 0.00016588, -0.00016588, 68890.2, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-19 16:00:00+00', 0.00018123, -0.00018123, 68311.6, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-20 00:00:00+00', -0.00000779, 0.00000779, 67701.5, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-20 08:00:00+00', 0.00015502, -0.00015502, 67635.8, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-20 16:00:00+00', 0.00009869, -0.00009869, 67332.6, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-21 00:00:00+00', 0.00011437, -0.00011437, 67054.1, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-21 08:00:00+00', 0.00008008, -0.00008008, 67654.6, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-21 16:00:00+00', -0.00003677, 0.00003677, 67763.0, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-22 00:00:00+00', 0.00006374, -0.00006374, 67655.8, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-22 08:00:00+00', 0.00009567, -0.00009567, 67138.3, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-22 16:00:00+00', 0.00007039, -0.00007039, 67345.4, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-23 00:00:00+00', -0.00000583, 0.00000583, 66459.5, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-23 08:00:00+00', -0.00000337, 0.00000337, 66293.6, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-23 16:00:00+00', 0.00004405, -0.00004405, 66062.9, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-24 00:00:00+00', 0.00009418, -0.00009418, 66087.7, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-24 08:00:00+00', 0.00011307, -0.00011307, 66585.0, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-24 16:00:00+00', 0.00010643, -0.00010643, 66586.5, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-25 00:00:00+00', -0.00002252, 0.00002252, 66857.2, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-25 08:00:00+00', -0.00001626, 0.00001626, 66761.5, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-25 16:00:00+00', -0.00001042, 0.00001042, 66836.3, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-26 00:00:00+00', -0.00001506, 0.00001506, 66678.7, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-26 08:00:00+00', 0.00002841, -0.00002841, 67437.8, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-26 16:00:00+00', -0.00011393, 0.00011393, 66732.4, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-27 00:00:00+00', -0.00015216, 0.00015216, 67513.6, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-27 08:00:00+00', -0.00005200, 0.00005200, 68535.3, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-27 16:00:00+00', -0.00019282, 0.00019282, 67706.1, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-28 00:00:00+00', -0.00008516, 0.00008516, 68633.8, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-28 08:00:00+00', -0.00015515, 0.00015515, 68725.4, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-28 16:00:00+00', -0.00019578, 0.00019578, 68615.2, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-29 00:00:00+00', -0.00011320, 0.00011320, 68521.2, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-29 08:00:00+00', -0.00021279, 0.00021279, 68087.8, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-29 16:00:00+00', -0.00028172, 0.00028172, 68562.5, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-30 00:00:00+00', -0.00030698, 0.00030698, 67821.7, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-30 08:00:00+00', -0.00023272, 0.00023272, 68153.8, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-09-30 16:00:00+00', -0.00035210, 0.00035210, 67409.0, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-01 00:00:00+00', -0.00032728, 0.00032728, 67695.8, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-01 08:00:00+00', -0.00025079, 0.00025079, 67856.8, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-01 16:00:00+00', -0.00013267, 0.00013267, 68105.1, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-02 00:00:00+00', -0.00027017, 0.00027017, 68259.5, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-02 08:00:00+00', -0.00016697, 0.00016697, 69140.2, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-02 16:00:00+00', -0.00019727, 0.00019727, 68679.1, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-03 00:00:00+00', -0.00012946, 0.00012946, 69009.2, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-03 08:00:00+00', 0.00004857, -0.00004857, 69614.1, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-03 16:00:00+00', -0.00006805, 0.00006805, 69506.4, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-04 00:00:00+00', -0.00005966, 0.00005966, 69385.5, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-04 08:00:00+00', -0.00005803, 0.00005803, 69755.3, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-04 16:00:00+00', -0.00001027, 0.00001027, 69577.9, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-05 00:00:00+00', 0.00004059, -0.00004059, 69551.2, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-05 08:00:00+00', -0.00015927, 0.00015927, 69285.1, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-05 16:00:00+00', -0.00007249, 0.00007249, 69591.6, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-06 00:00:00+00', -0.00009867, 0.00009867, 70218.7, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-06 08:00:00+00', -0.00016192, 0.00016192, 70304.4, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-06 16:00:00+00', -0.00017837, 0.00017837, 69474.1, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-07 00:00:00+00', -0.00010204, 0.00010204, 69489.2, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-07 08:00:00+00', -0.00017970, 0.00017970, 69488.6, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-07 16:00:00+00', -0.00021955, 0.00021955, 69522.0, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-08 00:00:00+00', -0.00024711, 0.00024711, 68720.3, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-08 08:00:00+00', -0.00015569, 0.00015569, 67959.1, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-08 16:00:00+00', -0.00027790, 0.00027790, 68134.7, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-09 00:00:00+00', -0.00028276, 0.00028276, 67186.7, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-09 08:00:00+00', -0.00023155, 0.00023155, 66981.0, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-09 16:00:00+00', -0.00028388, 0.00028388, 66032.9, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-10 00:00:00+00', -0.00035300, 0.00035300, 66030.6, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-10 08:00:00+00', -0.00028733, 0.00028733, 65999.4, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-10 16:00:00+00', -0.00019929, 0.00019929, 66034.4, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-11 00:00:00+00', -0.00030953, 0.00030953, 66022.1, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-11 08:00:00+00', -0.00029970, 0.00029970, 65462.5, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-11 16:00:00+00', -0.00022938, 0.00022938, 65008.1, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-12 00:00:00+00', -0.00013130, 0.00013130, 64833.1, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-12 08:00:00+00', -0.00015440, 0.00015440, 65249.2, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-12 16:00:00+00', -0.00018074, 0.00018074, 64675.3, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-13 00:00:00+00', -0.00007212, 0.00007212, 65127.6, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-13 08:00:00+00', -0.00011996, 0.00011996, 64778.0, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-13 16:00:00+00', -0.00003666, 0.00003666, 63746.3, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-14 00:00:00+00', -0.00005210, 0.00005210, 63965.3, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-14 08:00:00+00', 0.00000876, -0.00000876, 64006.5, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-14 16:00:00+00', -0.00002938, 0.00002938, 63711.0, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-15 00:00:00+00', 0.00002344, -0.00002344, 63512.5, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-15 08:00:00+00', -0.00005433, 0.00005433, 63370.6, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-15 16:00:00+00', 0.00003739, -0.00003739, 62470.0, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-16 00:00:00+00', -0.00003321, 0.00003321, 62247.3, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-16 08:00:00+00', -0.00000908, 0.00000908, 61727.9, '2026-11-19 05:38:06.709+00'),
	('DEMO/SWAP/BTC-USDT', '2026-10-16 16:00:00+00', -0.00008798, 0.00008798, 61778.0, '2026-11-19 05:38:06.709+00');

INSERT INTO public.ohlc_v2 VALUES
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-30 08:00:00+00', '2026-09-30 12:00:00+00', 68153.8, 68176.9, 67796.6, 67834.1, 56.8539, 244.7186, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-30 12:00:00+00', '2026-09-30 16:00:00+00', 67834.1, 67945.8, 67329.0, 67409.0, 38.4625, 245.1959, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-30 16:00:00+00', '2026-09-30 20:00:00+00', 67409.0, 68100.9, 67257.3, 67903.4, 31.3548, 250.3215, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-30 20:00:00+00', '2026-10-01 00:00:00+00', 67903.4, 67957.8, 66665.2, 67695.8, 39.2445, 259.5304, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-01 00:00:00+00', '2026-10-01 04:00:00+00', 67695.8, 68262.2, 67631.3, 68124.2, 57.4070, 255.5256, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-01 04:00:00+00', '2026-10-01 08:00:00+00', 68124.2, 68779.1, 67856.8, 67856.8, 67.5845, 259.0187, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-01 08:00:00+00', '2026-10-01 12:00:00+00', 67856.8, 67899.5, 67805.1, 67825.2, 60.2825, 256.0151, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-01 12:00:00+00', '2026-10-01 16:00:00+00', 67825.2, 68178.1, 67778.0, 68105.1, 41.5669, 255.4398, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-01 16:00:00+00', '2026-10-01 20:00:00+00', 68105.1, 68360.0, 67389.5, 68359.8, 34.8640, 252.6183, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-01 20:00:00+00', '2026-10-02 00:00:00+00', 68359.8, 68453.3, 68065.4, 68259.5, 42.7186, 254.1062, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-02 00:00:00+00', '2026-10-02 04:00:00+00', 68259.5, 68619.0, 67886.2, 67976.7, 55.2939, 243.9690, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-02 04:00:00+00', '2026-10-02 08:00:00+00', 67976.7, 69269.2, 67910.2, 69140.2, 65.5525, 243.4527, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-02 08:00:00+00', '2026-10-02 12:00:00+00', 69140.2, 69233.9, 68776.5, 68931.3, 58.2127, 242.8685, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-02 12:00:00+00', '2026-10-02 16:00:00+00', 68931.3, 69980.8, 68596.4, 68679.1, 40.6248, 246.9966, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-02 16:00:00+00', '2026-10-02 20:00:00+00', 68679.1, 69271.7, 67543.4, 69126.2, 31.9816, 242.9277, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-02 20:00:00+00', '2026-10-03 00:00:00+00', 69126.2, 69324.9, 68668.4, 69009.2, 40.6614, 231.9317, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-03 00:00:00+00', '2026-10-03 04:00:00+00', 69009.2, 69108.4, 68157.6, 69057.7, 57.5451, 234.9405, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-03 04:00:00+00', '2026-10-03 08:00:00+00', 69057.7, 69656.9, 68990.5, 69614.1, 67.7255, 240.5200, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-03 08:00:00+00', '2026-10-03 12:00:00+00', 69614.1, 69639.1, 68705.8, 68730.8, 60.1681, 239.2816, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-03 12:00:00+00', '2026-10-03 16:00:00+00', 68730.8, 69666.6, 68596.0, 69506.4, 41.5882, 246.2386, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-03 16:00:00+00', '2026-10-03 20:00:00+00', 69506.4, 69672.8, 69396.5, 69627.2, 35.7153, 241.1603, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-03 20:00:00+00', '2026-10-04 00:00:00+00', 69627.2, 70187.6, 69164.3, 69385.5, 40.9078, 238.9463, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-04 00:00:00+00', '2026-10-04 04:00:00+00', 69385.5, 69452.6, 68977.6, 69005.4, 59.3243, 232.9420, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-04 04:00:00+00', '2026-10-04 08:00:00+00', 69005.4, 70392.2, 68940.4, 69755.3, 64.7802, 222.2952, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-04 08:00:00+00', '2026-10-04 12:00:00+00', 69755.3, 69872.2, 69340.1, 69509.4, 58.6254, 219.9224, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-04 12:00:00+00', '2026-10-04 16:00:00+00', 69509.4, 69620.4, 69461.2, 69577.9, 39.6972, 234.1298, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-04 16:00:00+00', '2026-10-04 20:00:00+00', 69577.9, 69913.1, 68587.1, 69876.4, 31.9790, 222.0253, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-04 20:00:00+00', '2026-10-05 00:00:00+00', 69876.4, 69918.7, 69472.1, 69551.2, 41.9728, 234.9717, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-05 00:00:00+00', '2026-10-05 04:00:00+00', 69551.2, 69609.6, 68777.3, 69365.2, 60.4421, 235.2232, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-05 04:00:00+00', '2026-10-05 08:00:00+00', 69365.2, 69497.4, 69222.9, 69285.1, 68.6115, 223.0142, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-05 08:00:00+00', '2026-10-05 12:00:00+00', 69285.1, 69593.2, 69235.4, 69501.0, 59.3405, 224.4349, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-05 12:00:00+00', '2026-10-05 16:00:00+00', 69501.0, 69599.9, 69494.0, 69591.6, 44.7340, 223.0525, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-05 16:00:00+00', '2026-10-05 20:00:00+00', 69591.6, 70443.3, 69485.6, 69946.7, 34.2065, 212.6848, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-05 20:00:00+00', '2026-10-06 00:00:00+00', 69946.7, 70237.7, 69847.4, 70218.7, 42.6632, 210.1526, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-06 00:00:00+00', '2026-10-06 04:00:00+00', 70218.7, 70226.4, 69762.2, 69772.8, 59.0068, 208.3872, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-06 04:00:00+00', '2026-10-06 08:00:00+00', 69772.8, 70317.1, 69151.3, 70304.4, 68.5264, 218.3857, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-06 08:00:00+00', '2026-10-06 12:00:00+00', 70304.4, 70668.7, 69469.5, 69551.8, 57.4452, 206.0450, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-06 12:00:00+00', '2026-10-06 16:00:00+00', 69551.8, 69669.4, 69440.1, 69474.1, 43.4542, 210.4562, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-06 16:00:00+00', '2026-10-06 20:00:00+00', 69474.1, 69753.8, 69441.6, 69651.4, 33.5789, 219.3642, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-06 20:00:00+00', '2026-10-07 00:00:00+00', 69651.4, 69704.1, 69471.7, 69489.2, 40.0014, 204.2002, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-07 00:00:00+00', '2026-10-07 04:00:00+00', 69489.2, 69602.6, 68844.9, 69079.6, 54.7329, 216.3958, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-07 04:00:00+00', '2026-10-07 08:00:00+00', 69079.6, 69524.9, 69004.4, 69488.6, 63.0086, 205.9255, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-07 08:00:00+00', '2026-10-07 12:00:00+00', 69488.6, 69600.7, 68673.2, 68864.7, 53.9566, 203.0762, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-07 12:00:00+00', '2026-10-07 16:00:00+00', 68864.7, 70088.6, 68855.6, 69522.0, 36.1641, 200.0224, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-07 16:00:00+00', '2026-10-07 20:00:00+00', 69522.0, 69650.4, 69071.3, 69432.2, 30.0238, 201.6066, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-07 20:00:00+00', '2026-10-08 00:00:00+00', 69432.2, 69581.3, 67839.7, 68720.3, 36.9877, 200.0247, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-08 00:00:00+00', '2026-10-08 04:00:00+00', 68720.3, 68832.3, 67762.0, 67968.1, 61.8743, 202.5228, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-08 04:00:00+00', '2026-10-08 08:00:00+00', 67968.1, 68103.5, 67674.8, 67959.1, 69.2253, 209.3592, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-08 08:00:00+00', '2026-10-08 12:00:00+00', 67959.1, 68330.5, 67592.7, 68203.5, 61.9526, 208.7940, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-08 12:00:00+00', '2026-10-08 16:00:00+00', 68203.5, 68252.5, 66145.1, 68134.7, 44.2510, 202.7559, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-08 16:00:00+00', '2026-10-08 20:00:00+00', 68134.7, 68216.4, 67148.7, 67281.9, 36.8724, 206.2735, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-08 20:00:00+00', '2026-10-09 00:00:00+00', 67281.9, 67415.3, 67097.1, 67186.7, 47.0747, 200.5499, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-09 00:00:00+00', '2026-10-09 04:00:00+00', 67186.7, 67349.1, 66036.9, 66287.2, 52.6785, 207.4245, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-09 04:00:00+00', '2026-10-09 08:00:00+00', 66287.2, 67072.9, 66179.1, 66981.0, 60.7971, 211.2319, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-09 08:00:00+00', '2026-10-09 12:00:00+00', 66981.0, 67186.7, 66895.4, 67151.9, 54.2332, 211.3426, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-09 12:00:00+00', '2026-10-09 16:00:00+00', 67151.9, 67173.0, 66009.6, 66032.9, 38.7465, 194.9451, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-09 16:00:00+00', '2026-10-09 20:00:00+00', 66032.9, 66162.1, 65262.3, 66068.4, 26.3092, 197.6550, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-09 20:00:00+00', '2026-10-10 00:00:00+00', 66068.4, 67851.7, 65868.6, 66030.6, 39.1189, 199.6889, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-10 00:00:00+00', '2026-10-10 04:00:00+00', 66030.6, 66079.1, 65987.6, 66051.1, 60.5123, 203.5913, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-10 04:00:00+00', '2026-10-10 08:00:00+00', 66051.1, 66101.3, 65929.4, 65999.4, 69.5251, 196.1353, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-10 08:00:00+00', '2026-10-10 12:00:00+00', 65999.4, 66040.7, 65698.7, 66015.8, 61.2710, 196.1848, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-10 12:00:00+00', '2026-10-10 16:00:00+00', 66015.8, 66266.8, 65986.5, 66034.4, 45.0244, 197.8319, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-10 16:00:00+00', '2026-10-10 20:00:00+00', 66034.4, 66078.8, 65923.5, 65976.6, 37.8330, 215.2248, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-10 20:00:00+00', '2026-10-11 00:00:00+00', 65976.6, 66071.8, 65920.2, 66022.1, 44.1359, 200.3785, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-11 00:00:00+00', '2026-10-11 04:00:00+00', 66022.1, 66059.4, 65906.2, 66026.0, 55.7549, 210.2987, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-11 04:00:00+00', '2026-10-11 08:00:00+00', 66026.0, 66051.2, 65401.6, 65462.5, 67.1399, 203.6175, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-11 08:00:00+00', '2026-10-11 12:00:00+00', 65462.5, 66557.8, 64179.1, 65827.8, 55.5707, 215.1953, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-11 12:00:00+00', '2026-10-11 16:00:00+00', 65827.8, 66006.6, 64805.1, 65008.1, 38.8770, 214.4927, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-11 16:00:00+00', '2026-10-11 20:00:00+00', 65008.1, 65775.3, 64874.7, 65625.2, 31.9262, 208.9068, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-11 20:00:00+00', '2026-10-12 00:00:00+00', 65625.2, 65794.3, 64714.5, 64833.1, 40.5488, 199.0692, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-12 00:00:00+00', '2026-10-12 04:00:00+00', 64833.1, 65660.6, 64768.4, 65105.8, 61.0268, 197.8640, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-12 04:00:00+00', '2026-10-12 08:00:00+00', 65105.8, 65336.1, 64280.1, 65249.2, 66.0592, 211.4369, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-12 08:00:00+00', '2026-10-12 12:00:00+00', 65249.2, 65321.3, 64845.7, 64966.0, 59.7719, 207.1259, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-12 12:00:00+00', '2026-10-12 16:00:00+00', 64966.0, 65081.3, 64609.7, 64675.3, 44.4957, 211.5928, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-12 16:00:00+00', '2026-10-12 20:00:00+00', 64675.3, 65163.3, 64591.7, 65029.8, 32.9066, 209.5427, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-12 20:00:00+00', '2026-10-13 00:00:00+00', 65029.8, 65133.6, 65021.3, 65127.6, 43.9120, 214.3017, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-13 00:00:00+00', '2026-10-13 04:00:00+00', 65127.6, 66066.2, 64503.4, 64717.0, 54.4076, 197.3103, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-13 04:00:00+00', '2026-10-13 08:00:00+00', 64717.0, 64846.8, 63036.1, 64778.0, 64.9429, 205.3070, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-13 08:00:00+00', '2026-10-13 12:00:00+00', 64778.0, 64965.0, 63828.1, 63962.6, 53.9015, 199.3268, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-13 12:00:00+00', '2026-10-13 16:00:00+00', 63962.6, 64238.9, 63653.0, 63746.3, 39.9527, 198.8670, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-13 16:00:00+00', '2026-10-13 20:00:00+00', 63746.3, 64857.1, 63572.1, 64464.0, 31.6407, 196.6057, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-13 20:00:00+00', '2026-10-14 00:00:00+00', 64464.0, 64754.4, 63796.9, 63965.3, 36.5353, 204.1346, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-14 00:00:00+00', '2026-10-14 04:00:00+00', 63965.3, 64727.1, 63436.4, 63588.9, 60.8337, 211.4405, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-14 04:00:00+00', '2026-10-14 08:00:00+00', 63588.9, 64125.9, 62550.4, 64006.5, 66.5681, 201.8991, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-14 08:00:00+00', '2026-10-14 12:00:00+00', 64006.5, 64138.0, 63560.3, 63785.7, 58.2296, 199.4259, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-14 12:00:00+00', '2026-10-14 16:00:00+00', 63785.7, 63810.0, 63681.0, 63711.0, 42.7997, 215.4025, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-14 16:00:00+00', '2026-10-14 20:00:00+00', 63711.0, 63715.6, 63565.7, 63570.3, 34.1864, 211.9692, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-14 20:00:00+00', '2026-10-15 00:00:00+00', 63570.3, 63813.9, 63309.9, 63512.5, 41.6005, 198.4774, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-15 00:00:00+00', '2026-10-15 04:00:00+00', 63512.5, 63516.4, 63299.5, 63335.5, 56.2136, 211.0912, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-15 04:00:00+00', '2026-10-15 08:00:00+00', 63335.5, 63383.2, 63271.3, 63370.6, 66.2572, 199.8570, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-15 08:00:00+00', '2026-10-15 12:00:00+00', 63370.6, 63423.2, 61687.2, 62650.8, 55.9701, 211.3979, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-15 12:00:00+00', '2026-10-15 16:00:00+00', 62650.8, 63693.7, 62423.9, 62470.0, 39.3925, 201.7402, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-15 16:00:00+00', '2026-10-15 20:00:00+00', 62470.0, 63059.2, 62354.7, 62949.6, 32.5673, 212.7548, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-15 20:00:00+00', '2026-10-16 00:00:00+00', 62949.6, 63109.9, 62126.7, 62247.3, 39.6789, 213.5123, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-16 00:00:00+00', '2026-10-16 04:00:00+00', 62247.3, 62257.1, 61602.8, 61640.4, 61.2818, 214.3665, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-16 04:00:00+00', '2026-10-16 08:00:00+00', 61640.4, 61811.3, 61563.7, 61727.9, 65.7563, 222.9693, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-16 08:00:00+00', '2026-10-16 12:00:00+00', 61727.9, 61828.5, 61627.4, 61733.4, 60.1506, 210.1750, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-16 12:00:00+00', '2026-10-16 16:00:00+00', 61733.4, 61816.5, 61011.6, 61778.0, 43.6558, 217.8780, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-16 16:00:00+00', '2026-10-16 20:00:00+00', 61778.0, 62411.3, 61587.5, 61723.6, 33.4986, 226.9834, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-16 20:00:00+00', '2026-10-17 00:00:00+00', 61723.6, 61791.5, 61398.2, 61440.5, 42.9670, 214.3407, '2026-11-19 05:38:06.509446+00');
INSERT INTO public.ohlc_v2 VALUES
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-17 00:00:00+00', '2026-10-17 04:00:00+00', 61440.5, 61471.6, 60156.2, 60218.8, 56.9724, 221.8637, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-17 04:00:00+00', '2026-10-17 08:00:00+00', 60218.8, 62021.4, 60151.7, 60179.7, 66.2089, 219.9019, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-17 08:00:00+00', '2026-10-17 12:00:00+00', 60179.7, 60999.2, 60042.2, 60857.3, 59.5657, 235.9584, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-17 12:00:00+00', '2026-10-17 16:00:00+00', 60857.3, 61281.5, 60414.7, 61041.1, 40.0683, 229.4131, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-17 16:00:00+00', '2026-10-17 20:00:00+00', 61041.1, 61265.8, 60020.5, 60308.4, 33.7485, 233.0131, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-17 20:00:00+00', '2026-10-18 00:00:00+00', 60308.4, 60499.2, 59052.4, 59942.4, 41.7863, 226.9165, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-18 00:00:00+00', '2026-10-18 04:00:00+00', 59942.4, 60219.1, 59894.2, 60130.5, 57.0611, 222.7837, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-18 04:00:00+00', '2026-10-18 08:00:00+00', 60130.5, 60692.1, 60033.6, 60286.7, 67.1825, 242.1055, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-18 08:00:00+00', '2026-10-18 12:00:00+00', 60286.7, 60340.8, 60154.2, 60234.0, 57.2124, 235.6928, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-18 12:00:00+00', '2026-10-18 16:00:00+00', 60234.0, 60303.9, 59805.3, 59835.6, 41.1359, 228.3701, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-18 16:00:00+00', '2026-10-18 20:00:00+00', 59835.6, 60019.8, 59718.1, 59740.4, 32.7177, 241.5842, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-18 20:00:00+00', '2026-10-19 00:00:00+00', 59740.4, 59997.6, 59636.7, 59815.2, 42.0980, 233.9913, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-19 00:00:00+00', '2026-10-19 04:00:00+00', 59815.2, 59913.0, 59790.3, 59888.2, 55.1043, 248.9181, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-19 04:00:00+00', '2026-10-19 08:00:00+00', 59888.2, 59922.1, 59879.4, 59917.9, 64.6877, 239.4574, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-19 08:00:00+00', '2026-10-19 12:00:00+00', 59917.9, 59939.6, 59813.9, 59850.0, 56.4716, 243.7125, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-19 12:00:00+00', '2026-10-19 16:00:00+00', 59850.0, 59861.3, 59815.6, 59825.0, 38.6893, 249.0046, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-19 16:00:00+00', '2026-10-19 20:00:00+00', 59825.0, 60015.6, 59687.4, 59850.6, 30.8920, 245.3473, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-19 20:00:00+00', '2026-10-20 00:00:00+00', 59850.6, 59999.7, 59821.8, 59996.3, 38.7415, 242.1979, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-20 00:00:00+00', '2026-10-20 04:00:00+00', 59996.3, 60844.1, 59945.3, 60139.9, 57.5398, 256.3137, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-20 04:00:00+00', '2026-10-20 08:00:00+00', 60139.9, 60427.8, 60094.3, 60375.7, 67.1992, 245.8338, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-20 08:00:00+00', '2026-10-20 12:00:00+00', 60375.7, 60443.9, 60233.4, 60319.1, 58.1194, 251.9637, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-20 12:00:00+00', '2026-10-20 16:00:00+00', 60319.1, 60419.7, 59987.8, 60048.8, 41.7028, 258.8452, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-20 16:00:00+00', '2026-10-20 20:00:00+00', 60048.8, 60456.5, 59730.1, 60329.7, 35.0626, 246.9511, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-20 20:00:00+00', '2026-10-21 00:00:00+00', 60329.7, 60331.1, 59828.4, 59828.6, 42.5644, 250.4627, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-21 00:00:00+00', '2026-10-21 04:00:00+00', 59828.6, 59894.8, 59572.9, 59782.0, 58.9070, 260.4992, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-21 04:00:00+00', '2026-10-21 08:00:00+00', 59782.0, 59970.8, 59565.5, 59915.4, 67.1881, 259.9787, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-21 08:00:00+00', '2026-10-21 12:00:00+00', 59915.4, 59924.9, 59239.7, 59263.5, 60.1382, 268.0027, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-21 12:00:00+00', '2026-10-21 16:00:00+00', 59263.5, 60284.1, 59204.2, 59336.3, 41.4111, 268.3274, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-21 16:00:00+00', '2026-10-21 20:00:00+00', 59336.3, 59444.7, 59238.8, 59353.3, 34.7202, 271.1946, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-21 20:00:00+00', '2026-10-22 00:00:00+00', 59353.3, 59554.9, 58343.2, 59248.8, 43.6325, 268.7488, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-22 00:00:00+00', '2026-10-22 04:00:00+00', 59248.8, 59266.4, 59116.7, 59157.1, 58.1839, 256.8413, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-22 04:00:00+00', '2026-10-22 08:00:00+00', 59157.1, 59192.0, 58692.4, 59176.6, 62.8231, 253.4089, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-22 08:00:00+00', '2026-10-22 12:00:00+00', 59176.6, 59203.8, 59158.6, 59194.2, 58.3780, 264.4967, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-22 12:00:00+00', '2026-10-22 16:00:00+00', 59194.2, 59242.2, 59023.7, 59099.5, 38.7501, 265.5944, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-22 16:00:00+00', '2026-10-22 20:00:00+00', 59099.5, 59452.0, 59062.2, 59074.8, 32.3152, 270.9997, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-22 20:00:00+00', '2026-10-23 00:00:00+00', 59074.8, 59112.2, 58879.7, 58900.3, 40.5780, 258.5454, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-23 00:00:00+00', '2026-10-23 04:00:00+00', 58900.3, 58956.2, 57959.0, 58241.8, 61.1139, 267.4243, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-23 04:00:00+00', '2026-10-23 08:00:00+00', 58241.8, 58411.6, 57963.0, 58182.9, 67.9828, 264.9836, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-23 08:00:00+00', '2026-10-23 12:00:00+00', 58182.9, 58233.3, 57016.5, 57580.2, 61.5970, 252.8750, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-23 12:00:00+00', '2026-10-23 16:00:00+00', 57580.2, 59142.8, 57512.5, 57849.0, 45.0128, 265.9323, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-23 16:00:00+00', '2026-10-23 20:00:00+00', 57849.0, 58521.3, 57655.3, 58332.8, 35.9299, 263.7582, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-23 20:00:00+00', '2026-10-24 00:00:00+00', 58332.8, 58463.8, 57324.4, 57383.8, 43.4226, 258.5246, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-24 00:00:00+00', '2026-10-24 04:00:00+00', 57383.8, 57691.8, 57135.4, 57207.2, 57.6804, 261.8946, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-24 04:00:00+00', '2026-10-24 08:00:00+00', 57207.2, 57368.7, 57144.7, 57315.4, 66.8365, 257.4223, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-24 08:00:00+00', '2026-10-24 12:00:00+00', 57315.4, 57372.5, 57081.4, 57137.8, 59.5956, 262.1847, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-24 12:00:00+00', '2026-10-24 16:00:00+00', 57137.8, 57201.9, 56765.5, 56979.4, 39.8656, 249.5296, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-24 16:00:00+00', '2026-10-24 20:00:00+00', 56979.4, 57268.2, 56943.3, 57182.1, 35.0079, 256.6937, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-24 20:00:00+00', '2026-10-25 00:00:00+00', 57182.1, 57255.1, 56883.9, 56903.6, 41.2482, 259.1033, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-25 00:00:00+00', '2026-10-25 04:00:00+00', 56903.6, 56913.5, 56368.6, 56401.5, 55.4563, 254.1511, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-25 04:00:00+00', '2026-10-25 08:00:00+00', 56401.5, 56600.6, 55915.4, 56144.2, 64.0932, 256.1158, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-25 08:00:00+00', '2026-10-25 12:00:00+00', 56144.2, 56675.3, 55904.7, 56487.0, 55.2028, 239.8576, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-25 12:00:00+00', '2026-10-25 16:00:00+00', 56487.0, 57288.6, 56340.6, 56453.4, 36.8158, 257.4986, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-25 16:00:00+00', '2026-10-25 20:00:00+00', 56453.4, 56618.7, 55443.8, 55522.5, 30.1895, 251.7065, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-25 20:00:00+00', '2026-10-26 00:00:00+00', 55522.5, 55963.8, 55124.8, 55539.6, 38.6261, 253.4856, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-26 00:00:00+00', '2026-10-26 04:00:00+00', 55539.6, 56076.4, 55529.8, 56067.4, 62.6907, 254.4877, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-26 04:00:00+00', '2026-10-26 08:00:00+00', 56067.4, 56095.9, 54754.3, 55463.3, 67.9384, 252.4632, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-26 08:00:00+00', '2026-10-26 12:00:00+00', 55463.3, 55859.3, 55387.9, 55749.1, 62.1612, 242.9398, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-26 12:00:00+00', '2026-10-26 16:00:00+00', 55749.1, 55853.7, 55400.6, 55473.2, 44.9433, 241.7804, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-26 16:00:00+00', '2026-10-26 20:00:00+00', 55473.2, 56217.9, 55450.0, 56199.0, 35.1845, 250.2858, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-26 20:00:00+00', '2026-10-27 00:00:00+00', 56199.0, 56784.8, 56176.0, 56364.8, 45.4604, 240.9038, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-27 00:00:00+00', '2026-10-27 04:00:00+00', 56364.8, 56490.8, 55304.3, 56424.5, 57.8869, 249.8351, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-27 04:00:00+00', '2026-10-27 08:00:00+00', 56424.5, 56984.8, 55998.1, 56088.6, 66.4043, 240.8832, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-27 08:00:00+00', '2026-10-27 12:00:00+00', 56088.6, 56134.5, 55885.6, 55916.9, 58.1758, 237.2081, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-27 12:00:00+00', '2026-10-27 16:00:00+00', 55916.9, 56543.7, 55783.0, 56420.3, 40.3907, 237.0511, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-27 16:00:00+00', '2026-10-27 20:00:00+00', 56420.3, 56432.8, 56403.9, 56424.6, 33.2193, 242.2656, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-27 20:00:00+00', '2026-10-28 00:00:00+00', 56424.6, 56478.9, 56084.2, 56168.0, 41.7750, 244.9414, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-28 00:00:00+00', '2026-10-28 04:00:00+00', 56168.0, 56248.4, 55841.3, 55890.7, 53.2908, 233.6726, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-28 04:00:00+00', '2026-10-28 08:00:00+00', 55890.7, 56986.7, 55798.4, 56183.7, 62.1690, 234.9238, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-28 08:00:00+00', '2026-10-28 12:00:00+00', 56183.7, 56437.2, 56004.9, 56278.2, 51.6656, 238.4436, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-28 12:00:00+00', '2026-10-28 16:00:00+00', 56278.2, 56384.4, 56059.6, 56178.1, 38.0604, 240.8443, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-28 16:00:00+00', '2026-10-28 20:00:00+00', 56178.1, 56247.5, 56098.8, 56165.6, 26.8021, 238.1520, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-28 20:00:00+00', '2026-10-29 00:00:00+00', 56165.6, 56194.0, 55387.2, 56144.5, 38.1540, 224.4875, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-29 00:00:00+00', '2026-10-29 04:00:00+00', 56144.5, 56307.8, 56051.2, 56143.4, 57.9771, 229.9170, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-29 04:00:00+00', '2026-10-29 08:00:00+00', 56143.4, 57647.3, 56027.5, 56173.4, 66.9441, 236.0853, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-29 08:00:00+00', '2026-10-29 12:00:00+00', 56173.4, 56621.4, 56138.4, 56578.8, 57.0460, 229.3370, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-29 12:00:00+00', '2026-10-29 16:00:00+00', 56578.8, 56856.7, 56395.7, 56725.3, 42.7430, 236.6322, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-29 16:00:00+00', '2026-10-29 20:00:00+00', 56725.3, 57378.3, 55294.5, 57359.3, 32.2518, 218.3958, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-29 20:00:00+00', '2026-10-30 00:00:00+00', 57359.3, 57412.9, 56924.9, 57297.7, 41.4502, 232.0412, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-30 00:00:00+00', '2026-10-30 04:00:00+00', 57297.7, 57699.3, 57293.4, 57452.5, 61.7070, 234.5741, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-30 04:00:00+00', '2026-10-30 08:00:00+00', 57452.5, 57618.3, 57452.5, 57617.9, 67.2197, 215.7527, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-30 08:00:00+00', '2026-10-30 12:00:00+00', 57617.9, 57940.0, 57536.4, 57696.4, 62.2288, 221.3271, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-30 12:00:00+00', '2026-10-30 16:00:00+00', 57696.4, 57829.1, 57692.5, 57820.8, 43.3627, 216.8449, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-30 16:00:00+00', '2026-10-30 20:00:00+00', 57820.8, 58083.6, 57275.4, 57904.2, 33.8740, 230.5282, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-30 20:00:00+00', '2026-10-31 00:00:00+00', 57904.2, 58720.3, 57798.0, 57887.9, 45.9036, 216.1374, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-31 00:00:00+00', '2026-10-31 04:00:00+00', 57887.9, 58245.8, 57835.3, 58060.7, 56.8743, 229.8497, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-31 04:00:00+00', '2026-10-31 08:00:00+00', 58060.7, 58077.3, 57281.8, 57833.4, 65.1179, 229.9105, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-31 08:00:00+00', '2026-10-31 12:00:00+00', 57833.4, 57929.2, 57584.4, 57675.9, 56.6416, 226.9551, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-31 12:00:00+00', '2026-10-31 16:00:00+00', 57675.9, 57761.8, 57593.4, 57648.7, 41.3861, 215.0434, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-31 16:00:00+00', '2026-10-31 20:00:00+00', 57648.7, 58084.9, 57559.0, 58032.8, 30.8920, 212.6709, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-10-31 20:00:00+00', '2026-11-01 00:00:00+00', 58032.8, 58054.7, 57827.6, 57890.3, 41.9467, 219.4107, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-01 00:00:00+00', '2026-11-01 04:00:00+00', 57890.3, 57945.6, 57564.3, 57607.8, 57.7113, 224.4281, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-01 04:00:00+00', '2026-11-01 08:00:00+00', 57607.8, 58486.3, 57525.4, 57760.4, 69.8026, 225.4247, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-01 08:00:00+00', '2026-11-01 12:00:00+00', 57760.4, 57944.0, 57652.7, 57830.3, 60.7958, 204.3853, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-01 12:00:00+00', '2026-11-01 16:00:00+00', 57830.3, 57975.2, 57629.5, 57768.7, 43.9018, 209.3181, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-01 16:00:00+00', '2026-11-01 20:00:00+00', 57768.7, 57900.8, 57138.8, 57712.5, 33.8964, 211.7962, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-01 20:00:00+00', '2026-11-02 00:00:00+00', 57712.5, 58227.0, 57705.5, 58223.8, 42.6854, 220.1506, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-02 00:00:00+00', '2026-11-02 04:00:00+00', 58223.8, 58537.8, 58217.4, 58534.8, 57.3109, 205.5286, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-02 04:00:00+00', '2026-11-02 08:00:00+00', 58534.8, 58541.7, 57660.0, 58460.5, 68.3192, 208.2252, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-02 08:00:00+00', '2026-11-02 12:00:00+00', 58460.5, 58503.7, 58418.3, 58487.3, 56.4793, 211.0852, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-02 12:00:00+00', '2026-11-02 16:00:00+00', 58487.3, 58650.0, 58349.2, 58620.3, 42.0906, 202.5421, '2026-11-19 05:38:06.509446+00');
INSERT INTO public.ohlc_v2 VALUES
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-02 16:00:00+00', '2026-11-02 20:00:00+00', 58620.3, 58650.4, 58177.5, 58282.8, 30.6862, 200.6119, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-02 20:00:00+00', '2026-11-03 00:00:00+00', 58282.8, 58798.7, 58198.0, 58599.1, 42.7573, 216.4876, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-03 00:00:00+00', '2026-11-03 04:00:00+00', 58599.1, 60746.7, 58525.3, 59564.2, 55.2257, 209.5543, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-03 04:00:00+00', '2026-11-03 08:00:00+00', 59564.2, 59656.7, 59416.9, 59536.4, 67.0782, 206.4806, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-03 08:00:00+00', '2026-11-03 12:00:00+00', 59536.4, 59811.0, 58008.5, 58974.5, 54.9358, 195.9035, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-03 12:00:00+00', '2026-11-03 16:00:00+00', 58974.5, 59706.0, 58859.4, 59565.3, 42.4205, 201.0737, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-03 16:00:00+00', '2026-11-03 20:00:00+00', 59565.3, 60263.7, 59223.6, 60127.9, 31.3110, 194.0653, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-03 20:00:00+00', '2026-11-04 00:00:00+00', 60127.9, 60173.9, 59747.5, 59887.1, 39.3609, 193.8906, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-04 00:00:00+00', '2026-11-04 04:00:00+00', 59887.1, 60292.7, 59818.1, 60008.1, 61.5227, 197.1548, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-04 04:00:00+00', '2026-11-04 08:00:00+00', 60008.1, 61000.4, 59967.2, 60930.8, 68.1892, 202.0794, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-04 08:00:00+00', '2026-11-04 12:00:00+00', 60930.8, 61103.9, 60363.4, 60561.2, 60.4950, 190.7837, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-04 12:00:00+00', '2026-11-04 16:00:00+00', 60561.2, 61175.3, 60476.9, 61115.1, 42.2672, 190.3510, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-04 16:00:00+00', '2026-11-04 20:00:00+00', 61115.1, 61390.3, 61074.7, 61377.2, 34.4029, 207.9649, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-04 20:00:00+00', '2026-11-05 00:00:00+00', 61377.2, 61929.0, 59420.9, 61334.0, 42.8946, 193.9072, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-05 00:00:00+00', '2026-11-05 04:00:00+00', 61334.0, 62683.7, 61326.4, 61703.7, 55.5465, 199.5269, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-05 04:00:00+00', '2026-11-05 08:00:00+00', 61703.7, 62105.2, 61551.2, 61945.3, 61.4349, 194.1153, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-05 08:00:00+00', '2026-11-05 12:00:00+00', 61945.3, 62127.9, 61628.7, 61835.5, 53.9987, 189.2411, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-05 12:00:00+00', '2026-11-05 16:00:00+00', 61835.5, 62027.0, 61533.9, 61689.7, 36.2313, 206.9783, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-05 16:00:00+00', '2026-11-05 20:00:00+00', 61689.7, 62268.5, 60999.4, 62215.8, 29.7805, 193.4878, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-05 20:00:00+00', '2026-11-06 00:00:00+00', 62215.8, 62322.7, 62014.1, 62251.0, 37.4915, 206.0413, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-06 00:00:00+00', '2026-11-06 04:00:00+00', 62251.0, 62253.9, 62064.7, 62065.5, 58.5188, 187.4609, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-06 04:00:00+00', '2026-11-06 08:00:00+00', 62065.5, 63109.4, 61805.9, 62706.7, 64.8470, 190.1023, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-06 08:00:00+00', '2026-11-06 12:00:00+00', 62706.7, 62774.3, 62498.3, 62638.1, 57.9598, 191.7998, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-06 12:00:00+00', '2026-11-06 16:00:00+00', 62638.1, 62658.4, 62247.7, 62267.6, 39.3141, 201.7545, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-06 16:00:00+00', '2026-11-06 20:00:00+00', 62267.6, 62742.1, 62185.1, 62662.2, 33.5222, 196.5251, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-06 20:00:00+00', '2026-11-07 00:00:00+00', 62662.2, 62738.1, 62508.8, 62652.7, 40.8627, 194.7169, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-07 00:00:00+00', '2026-11-07 04:00:00+00', 62652.7, 63360.6, 62525.9, 63170.3, 61.5368, 193.8642, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-07 04:00:00+00', '2026-11-07 08:00:00+00', 63170.3, 63456.9, 63157.2, 63446.3, 70.5762, 185.3742, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-07 08:00:00+00', '2026-11-07 12:00:00+00', 63446.3, 63560.5, 63249.1, 63449.0, 61.2876, 198.6343, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-07 12:00:00+00', '2026-11-07 16:00:00+00', 63449.0, 63563.3, 63184.6, 63370.0, 46.1771, 199.7410, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-07 16:00:00+00', '2026-11-07 20:00:00+00', 63370.0, 63969.4, 63202.8, 63248.1, 36.8204, 191.5501, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-07 20:00:00+00', '2026-11-08 00:00:00+00', 63248.1, 63938.6, 63118.1, 63931.9, 45.5031, 189.0426, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-08 00:00:00+00', '2026-11-08 04:00:00+00', 63931.9, 63975.9, 62660.4, 63773.8, 57.0697, 187.5798, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-08 04:00:00+00', '2026-11-08 08:00:00+00', 63773.8, 63852.0, 63519.5, 63672.1, 67.3657, 191.7924, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-08 08:00:00+00', '2026-11-08 12:00:00+00', 63672.1, 64292.2, 63557.1, 63852.5, 57.4481, 204.1921, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-08 12:00:00+00', '2026-11-08 16:00:00+00', 63852.5, 63901.2, 63335.5, 63419.7, 40.6418, 196.1312, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-08 16:00:00+00', '2026-11-08 20:00:00+00', 63419.7, 63669.5, 63391.0, 63645.0, 35.1541, 200.7431, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-08 20:00:00+00', '2026-11-09 00:00:00+00', 63645.0, 63720.3, 63160.3, 63226.1, 41.0782, 200.2216, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-09 00:00:00+00', '2026-11-09 04:00:00+00', 63226.1, 63538.7, 63046.9, 63277.9, 53.2596, 197.6225, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-09 04:00:00+00', '2026-11-09 08:00:00+00', 63277.9, 64512.8, 63017.3, 63093.7, 63.9957, 194.6392, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-09 08:00:00+00', '2026-11-09 12:00:00+00', 63093.7, 63471.2, 62959.8, 63231.6, 54.6333, 199.4463, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-09 12:00:00+00', '2026-11-09 16:00:00+00', 63231.6, 63385.5, 63207.2, 63352.3, 38.9057, 196.8583, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-09 16:00:00+00', '2026-11-09 20:00:00+00', 63352.3, 63529.8, 63157.0, 63297.7, 29.0490, 192.0558, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-09 20:00:00+00', '2026-11-10 00:00:00+00', 63297.7, 63750.7, 62377.7, 63703.4, 39.5633, 187.9336, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-10 00:00:00+00', '2026-11-10 04:00:00+00', 63703.4, 63967.0, 63628.5, 63790.0, 61.4500, 199.6975, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-10 04:00:00+00', '2026-11-10 08:00:00+00', 63790.0, 64292.6, 63660.9, 64073.2, 69.0955, 182.7921, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-10 08:00:00+00', '2026-11-10 12:00:00+00', 64073.2, 65327.6, 63922.8, 64710.3, 62.9131, 198.5736, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-10 12:00:00+00', '2026-11-10 16:00:00+00', 64710.3, 64907.9, 63052.1, 64898.6, 43.0944, 202.0747, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-10 16:00:00+00', '2026-11-10 20:00:00+00', 64898.6, 64909.0, 64735.9, 64778.0, 38.2579, 190.8269, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-10 20:00:00+00', '2026-11-11 00:00:00+00', 64778.0, 65066.6, 64484.8, 65013.3, 43.0255, 196.5467, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-11 00:00:00+00', '2026-11-11 04:00:00+00', 65013.3, 65041.5, 63827.2, 64476.2, 55.7316, 189.8018, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-11 04:00:00+00', '2026-11-11 08:00:00+00', 64476.2, 64690.6, 64395.1, 64625.5, 61.7263, 196.8477, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-11 08:00:00+00', '2026-11-11 12:00:00+00', 64625.5, 64734.0, 64284.6, 64405.2, 52.3548, 188.9996, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-11 12:00:00+00', '2026-11-11 16:00:00+00', 64405.2, 64599.4, 64279.0, 64446.8, 37.6701, 192.7079, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-11 16:00:00+00', '2026-11-11 20:00:00+00', 64446.8, 65145.9, 64413.5, 64578.8, 28.7160, 187.1309, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-11 20:00:00+00', '2026-11-12 00:00:00+00', 64578.8, 64714.1, 63895.6, 63917.0, 39.1200, 197.1968, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-12 00:00:00+00', '2026-11-12 04:00:00+00', 63917.0, 64198.8, 63889.7, 64172.7, 58.2634, 193.6851, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-12 04:00:00+00', '2026-11-12 08:00:00+00', 64172.7, 64184.8, 63950.1, 63963.9, 66.3662, 203.5093, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-12 08:00:00+00', '2026-11-12 12:00:00+00', 63963.9, 64137.4, 63806.9, 63941.8, 57.7514, 196.2184, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-12 12:00:00+00', '2026-11-12 16:00:00+00', 63941.8, 64684.1, 63884.0, 64134.7, 40.9877, 190.7647, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-12 16:00:00+00', '2026-11-12 20:00:00+00', 64134.7, 64263.2, 63382.1, 63725.9, 34.9443, 193.3731, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-12 20:00:00+00', '2026-11-13 00:00:00+00', 63725.9, 63955.3, 63419.1, 63430.7, 41.5391, 208.0880, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-13 00:00:00+00', '2026-11-13 04:00:00+00', 63430.7, 63712.8, 63378.7, 63580.3, 60.0260, 204.1842, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-13 04:00:00+00', '2026-11-13 08:00:00+00', 63580.3, 64339.1, 63446.9, 63501.8, 68.2809, 209.2629, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-13 08:00:00+00', '2026-11-13 12:00:00+00', 63501.8, 63644.2, 63449.8, 63530.2, 61.2710, 210.2643, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-13 12:00:00+00', '2026-11-13 16:00:00+00', 63530.2, 63759.0, 63132.8, 63744.7, 43.2570, 207.7529, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-13 16:00:00+00', '2026-11-13 20:00:00+00', 63744.7, 63808.4, 63741.3, 63805.4, 36.5812, 205.8464, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-13 20:00:00+00', '2026-11-14 00:00:00+00', 63805.4, 63901.9, 63703.9, 63824.2, 44.9710, 197.8297, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-14 00:00:00+00', '2026-11-14 04:00:00+00', 63824.2, 64231.2, 63555.2, 63788.5, 55.3484, 213.4080, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-14 04:00:00+00', '2026-11-14 08:00:00+00', 63788.5, 63814.6, 63559.6, 63643.7, 64.4984, 205.2131, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-14 08:00:00+00', '2026-11-14 12:00:00+00', 63643.7, 63787.9, 62216.0, 63052.5, 55.7347, 206.5180, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-14 12:00:00+00', '2026-11-14 16:00:00+00', 63052.5, 63552.4, 62876.4, 63371.4, 40.7086, 209.6237, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-14 16:00:00+00', '2026-11-14 20:00:00+00', 63371.4, 63675.4, 63122.3, 63522.7, 29.8196, 205.7335, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-14 20:00:00+00', '2026-11-15 00:00:00+00', 63522.7, 63692.3, 62784.1, 62962.9, 39.2688, 223.2050, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-15 00:00:00+00', '2026-11-15 04:00:00+00', 62962.9, 63620.0, 62956.1, 63612.7, 60.8107, 224.9474, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-15 04:00:00+00', '2026-11-15 08:00:00+00', 63612.7, 63614.0, 63289.7, 63291.5, 69.3586, 227.6875, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-15 08:00:00+00', '2026-11-15 12:00:00+00', 63291.5, 63543.9, 62716.0, 62847.8, 60.1073, 217.3094, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-15 12:00:00+00', '2026-11-15 16:00:00+00', 62847.8, 63382.7, 62759.9, 63199.1, 42.5076, 215.8228, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-15 16:00:00+00', '2026-11-15 20:00:00+00', 63199.1, 63290.6, 62317.1, 63052.5, 34.4205, 228.6291, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-15 20:00:00+00', '2026-11-16 00:00:00+00', 63052.5, 64307.7, 63017.2, 63567.0, 42.5222, 220.3979, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-16 00:00:00+00', '2026-11-16 04:00:00+00', 63567.0, 63609.6, 63527.4, 63570.0, 56.3605, 228.5070, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-16 04:00:00+00', '2026-11-16 08:00:00+00', 63570.0, 63654.0, 63241.0, 63294.8, 63.3028, 232.8356, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-16 08:00:00+00', '2026-11-16 12:00:00+00', 63294.8, 63699.8, 63204.7, 63556.6, 54.9066, 227.4671, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-16 12:00:00+00', '2026-11-16 16:00:00+00', 63556.6, 64327.3, 63367.9, 63482.2, 38.2854, 233.7226, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-16 16:00:00+00', '2026-11-16 20:00:00+00', 63482.2, 63669.9, 62809.9, 63391.9, 28.6418, 220.8243, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-16 20:00:00+00', '2026-11-17 00:00:00+00', 63391.9, 63417.2, 63126.4, 63135.2, 39.9116, 233.2277, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-17 00:00:00+00', '2026-11-17 04:00:00+00', 63135.2, 63145.3, 62753.8, 62799.4, 58.2290, 226.7845, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-17 04:00:00+00', '2026-11-17 08:00:00+00', 62799.4, 62842.7, 62584.3, 62628.0, 64.9925, 240.9124, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-17 08:00:00+00', '2026-11-17 12:00:00+00', 62628.0, 62714.2, 62141.4, 62689.8, 57.4768, 235.1000, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-17 12:00:00+00', '2026-11-17 16:00:00+00', 62689.8, 62880.1, 62566.8, 62764.1, 42.4418, 233.0524, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-17 16:00:00+00', '2026-11-17 20:00:00+00', 62764.1, 62845.3, 62593.4, 62677.5, 31.7600, 233.7027, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-17 20:00:00+00', '2026-11-18 00:00:00+00', 62677.5, 63281.5, 62155.2, 62157.8, 42.5635, 240.0870, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-18 00:00:00+00', '2026-11-18 04:00:00+00', 62157.8, 62352.2, 61975.1, 62274.2, 59.1603, 251.1283, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-18 04:00:00+00', '2026-11-18 08:00:00+00', 62274.2, 62306.6, 62085.5, 62161.7, 68.0637, 247.0758, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-18 08:00:00+00', '2026-11-18 12:00:00+00', 62161.7, 62265.9, 62075.6, 62223.6, 58.6601, 245.0507, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-18 12:00:00+00', '2026-11-18 16:00:00+00', 62223.6, 62311.8, 61406.5, 62141.7, 43.1242, 238.4884, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-18 16:00:00+00', '2026-11-18 20:00:00+00', 62141.7, 62253.1, 61902.9, 62064.6, 35.9737, 249.4792, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-18 20:00:00+00', '2026-11-19 00:00:00+00', 62064.6, 62595.2, 61931.5, 62533.4, 43.9819, 251.3950, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-11-19 00:00:00+00', '2026-11-19 04:00:00+00', 62533.4, 62596.3, 61843.6, 61950.1, 55.5367, 250.2326, '2026-11-19 05:38:06.509446+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-11 12:00:00+00', '2026-08-11 16:00:00+00', 85796.2, 85816.3, 85790.4, 85812.8, 39.8125, 188.0432, '2026-11-19 05:38:06.56466+00');
INSERT INTO public.ohlc_v2 VALUES
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-11 16:00:00+00', '2026-08-11 20:00:00+00', 85812.8, 85831.6, 85513.9, 85535.3, 29.6812, 184.9796, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-11 20:00:00+00', '2026-08-12 00:00:00+00', 85535.3, 86323.5, 85195.6, 85221.4, 38.6591, 191.1356, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-12 00:00:00+00', '2026-08-12 04:00:00+00', 85221.4, 85359.3, 85163.2, 85254.2, 59.3417, 190.7374, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-12 04:00:00+00', '2026-08-12 08:00:00+00', 85254.2, 86400.8, 85041.5, 86207.8, 65.2692, 198.8238, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-12 08:00:00+00', '2026-08-12 12:00:00+00', 86207.8, 86258.0, 86103.5, 86205.6, 58.2917, 181.5763, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-12 12:00:00+00', '2026-08-12 16:00:00+00', 86205.6, 86506.4, 84126.4, 86313.5, 43.3475, 182.1979, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-12 16:00:00+00', '2026-08-12 20:00:00+00', 86313.5, 87231.2, 85282.0, 85302.9, 33.0495, 200.8205, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-12 20:00:00+00', '2026-08-13 00:00:00+00', 85302.9, 86125.5, 85097.7, 85891.9, 42.9156, 188.4772, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-13 00:00:00+00', '2026-08-13 04:00:00+00', 85891.9, 86134.4, 85736.6, 86060.1, 58.3517, 187.0262, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-13 04:00:00+00', '2026-08-13 08:00:00+00', 86060.1, 86686.0, 85382.8, 85524.6, 66.9316, 203.5178, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-13 08:00:00+00', '2026-08-13 12:00:00+00', 85524.6, 85678.2, 85428.3, 85563.1, 59.2946, 193.7040, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-13 12:00:00+00', '2026-08-13 16:00:00+00', 85563.1, 86228.4, 85459.0, 86174.0, 42.8673, 199.0159, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-13 16:00:00+00', '2026-08-13 20:00:00+00', 86174.0, 86198.0, 84584.3, 85531.7, 34.7531, 202.4106, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-13 20:00:00+00', '2026-08-14 00:00:00+00', 85531.7, 86155.6, 85438.3, 86097.6, 42.5609, 200.0686, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-14 00:00:00+00', '2026-08-14 04:00:00+00', 86097.6, 86463.0, 86080.4, 86448.9, 60.5370, 192.3118, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-14 04:00:00+00', '2026-08-14 08:00:00+00', 86448.9, 87055.8, 86172.3, 86224.2, 65.7830, 198.8212, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-14 08:00:00+00', '2026-08-14 12:00:00+00', 86224.2, 86406.0, 86219.2, 86402.2, 58.6706, 204.4233, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-14 12:00:00+00', '2026-08-14 16:00:00+00', 86402.2, 86481.9, 85822.4, 85886.8, 40.6096, 204.8436, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-14 16:00:00+00', '2026-08-14 20:00:00+00', 85886.8, 86091.2, 85358.4, 85810.1, 32.7869, 211.7357, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-14 20:00:00+00', '2026-08-15 00:00:00+00', 85810.1, 86063.7, 85597.4, 85658.4, 43.7181, 202.6910, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-15 00:00:00+00', '2026-08-15 04:00:00+00', 85658.4, 85667.1, 84735.5, 84759.2, 57.2120, 201.7483, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-15 04:00:00+00', '2026-08-15 08:00:00+00', 84759.2, 85113.9, 83950.4, 84940.9, 64.1809, 207.7914, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-15 08:00:00+00', '2026-08-15 12:00:00+00', 84940.9, 85091.3, 84364.1, 84435.9, 58.2779, 198.7038, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-15 12:00:00+00', '2026-08-15 16:00:00+00', 84435.9, 85957.4, 84345.9, 85272.9, 41.3512, 211.7220, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-15 16:00:00+00', '2026-08-15 20:00:00+00', 85272.9, 85415.2, 84414.8, 84536.6, 31.1403, 201.6979, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-15 20:00:00+00', '2026-08-16 00:00:00+00', 84536.6, 84607.9, 84094.0, 84101.5, 40.0849, 208.6324, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-16 00:00:00+00', '2026-08-16 04:00:00+00', 84101.5, 84151.5, 83087.0, 83260.0, 57.1849, 209.8966, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-16 04:00:00+00', '2026-08-16 08:00:00+00', 83260.0, 83558.0, 83079.4, 83334.6, 63.0979, 215.1283, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-16 08:00:00+00', '2026-08-16 12:00:00+00', 83334.6, 84335.5, 83175.9, 83191.8, 57.2199, 216.3862, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-16 12:00:00+00', '2026-08-16 16:00:00+00', 83191.8, 83639.7, 83040.4, 83461.0, 39.0663, 223.6379, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-16 16:00:00+00', '2026-08-16 20:00:00+00', 83461.0, 83551.3, 82450.9, 83199.1, 29.7330, 221.6302, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-16 20:00:00+00', '2026-08-17 00:00:00+00', 83199.1, 83758.9, 83035.4, 83597.4, 40.3991, 217.3076, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-17 00:00:00+00', '2026-08-17 04:00:00+00', 83597.4, 83620.5, 82498.0, 82539.5, 60.2591, 212.9920, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-17 04:00:00+00', '2026-08-17 08:00:00+00', 82539.5, 84113.1, 82361.0, 83621.1, 68.9858, 225.1334, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-17 08:00:00+00', '2026-08-17 12:00:00+00', 83621.1, 83621.5, 82450.7, 82451.5, 60.5987, 225.6838, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-17 12:00:00+00', '2026-08-17 16:00:00+00', 82451.5, 82693.7, 82296.1, 82412.3, 44.7721, 229.3700, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-17 16:00:00+00', '2026-08-17 20:00:00+00', 82412.3, 82916.9, 82291.6, 82703.5, 36.1833, 234.2259, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-17 20:00:00+00', '2026-08-18 00:00:00+00', 82703.5, 82721.0, 81614.9, 82270.7, 44.4524, 219.3589, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-18 00:00:00+00', '2026-08-18 04:00:00+00', 82270.7, 82325.5, 81900.2, 82118.0, 55.0469, 229.1529, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-18 04:00:00+00', '2026-08-18 08:00:00+00', 82118.0, 82196.1, 81667.3, 81804.9, 62.7664, 222.4408, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-18 08:00:00+00', '2026-08-18 12:00:00+00', 81804.9, 81816.4, 81070.8, 81795.3, 55.0951, 220.6020, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-18 12:00:00+00', '2026-08-18 16:00:00+00', 81795.3, 82000.7, 81646.9, 81863.2, 36.5429, 236.2854, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-18 16:00:00+00', '2026-08-18 20:00:00+00', 81863.2, 82534.6, 81735.3, 81943.0, 29.8533, 233.6860, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-18 20:00:00+00', '2026-08-19 00:00:00+00', 81943.0, 82213.6, 81744.5, 82119.0, 38.5190, 225.6927, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-19 00:00:00+00', '2026-08-19 04:00:00+00', 82119.0, 83028.0, 81090.6, 81220.1, 56.2893, 239.2486, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-19 04:00:00+00', '2026-08-19 08:00:00+00', 81220.1, 81491.0, 80706.2, 80917.4, 65.2867, 243.1006, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-19 08:00:00+00', '2026-08-19 12:00:00+00', 80917.4, 81730.2, 80688.5, 81478.6, 57.3096, 224.9111, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-19 12:00:00+00', '2026-08-19 16:00:00+00', 81478.6, 81813.8, 79507.9, 80328.8, 41.5334, 232.1919, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-19 16:00:00+00', '2026-08-19 20:00:00+00', 80328.8, 80933.6, 80138.5, 80320.5, 33.1964, 232.5458, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-19 20:00:00+00', '2026-08-20 00:00:00+00', 80320.5, 80972.1, 80072.6, 80251.6, 41.6914, 234.4772, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-20 00:00:00+00', '2026-08-20 04:00:00+00', 80251.6, 80574.0, 78601.4, 80572.1, 58.2301, 230.4784, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-20 04:00:00+00', '2026-08-20 08:00:00+00', 80572.1, 81137.6, 80106.6, 80120.7, 64.6958, 239.7613, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-20 08:00:00+00', '2026-08-20 12:00:00+00', 80120.7, 80311.8, 79650.7, 79893.6, 58.3735, 244.2281, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-20 12:00:00+00', '2026-08-20 16:00:00+00', 79893.6, 80134.8, 79097.1, 79216.3, 42.1832, 230.6712, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-20 16:00:00+00', '2026-08-20 20:00:00+00', 79216.3, 79877.5, 79175.4, 79787.7, 33.5944, 227.6220, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-20 20:00:00+00', '2026-08-21 00:00:00+00', 79787.7, 79797.6, 79023.7, 79026.8, 41.9521, 241.6176, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-21 00:00:00+00', '2026-08-21 04:00:00+00', 79026.8, 79045.6, 77450.5, 77838.8, 58.8078, 241.7674, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-21 04:00:00+00', '2026-08-21 08:00:00+00', 77838.8, 78092.7, 77279.0, 77543.0, 64.2354, 238.3328, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-21 08:00:00+00', '2026-08-21 12:00:00+00', 77543.0, 78095.4, 77294.5, 77860.6, 59.6516, 244.6709, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-21 12:00:00+00', '2026-08-21 16:00:00+00', 77860.6, 78272.2, 76226.4, 78021.0, 39.7902, 242.1951, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-21 16:00:00+00', '2026-08-21 20:00:00+00', 78021.0, 79104.9, 77654.7, 78219.7, 32.1940, 240.5033, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-21 20:00:00+00', '2026-08-22 00:00:00+00', 78219.7, 78400.1, 76856.8, 77018.1, 42.1840, 227.1740, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-22 00:00:00+00', '2026-08-22 04:00:00+00', 77018.1, 77917.8, 75753.8, 76649.1, 57.5801, 226.8351, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-22 04:00:00+00', '2026-08-22 08:00:00+00', 76649.1, 77030.6, 76531.4, 76896.3, 67.2097, 227.7342, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-22 08:00:00+00', '2026-08-22 12:00:00+00', 76896.3, 77026.2, 76718.8, 76859.5, 58.4990, 245.3754, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-22 12:00:00+00', '2026-08-22 16:00:00+00', 76859.5, 76917.0, 76332.7, 76365.9, 42.2501, 243.0714, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-22 16:00:00+00', '2026-08-22 20:00:00+00', 76365.9, 76529.1, 76321.6, 76420.6, 33.3833, 226.0222, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-22 20:00:00+00', '2026-08-23 00:00:00+00', 76420.6, 76857.0, 76378.4, 76785.3, 42.2797, 226.2737, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-23 00:00:00+00', '2026-08-23 04:00:00+00', 76785.3, 76789.1, 74717.8, 76286.7, 60.4831, 244.5063, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-23 04:00:00+00', '2026-08-23 08:00:00+00', 76286.7, 76536.1, 76156.1, 76508.2, 67.4513, 245.6555, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-23 08:00:00+00', '2026-08-23 12:00:00+00', 76508.2, 76511.9, 75810.1, 75822.4, 58.0358, 229.6674, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-23 12:00:00+00', '2026-08-23 16:00:00+00', 75822.4, 76843.9, 75461.2, 75491.3, 43.0140, 225.1829, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-23 16:00:00+00', '2026-08-23 20:00:00+00', 75491.3, 75710.2, 75298.3, 75410.3, 33.6395, 225.9604, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-23 20:00:00+00', '2026-08-24 00:00:00+00', 75410.3, 75982.9, 75256.9, 75737.8, 42.1263, 231.4685, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-24 00:00:00+00', '2026-08-24 04:00:00+00', 75737.8, 75862.8, 74983.1, 75224.0, 57.9579, 234.8505, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-24 04:00:00+00', '2026-08-24 08:00:00+00', 75224.0, 75236.6, 75137.8, 75153.9, 66.3540, 225.2680, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-24 08:00:00+00', '2026-08-24 12:00:00+00', 75153.9, 75364.6, 74661.9, 74887.4, 56.5950, 227.2266, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-24 12:00:00+00', '2026-08-24 16:00:00+00', 74887.4, 75554.9, 73061.3, 75521.4, 42.1684, 238.0497, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-24 16:00:00+00', '2026-08-24 20:00:00+00', 75521.4, 75749.8, 74224.0, 74463.1, 32.8170, 230.0265, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-24 20:00:00+00', '2026-08-25 00:00:00+00', 74463.1, 76860.5, 74027.4, 74215.0, 42.5619, 236.5529, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-25 00:00:00+00', '2026-08-25 04:00:00+00', 74215.0, 74235.8, 73284.2, 73339.9, 57.3858, 239.6159, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-25 04:00:00+00', '2026-08-25 08:00:00+00', 73339.9, 74074.9, 73173.8, 73975.9, 66.2713, 228.6429, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-25 08:00:00+00', '2026-08-25 12:00:00+00', 73975.9, 73993.8, 73408.7, 73441.7, 58.4895, 235.2523, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-25 12:00:00+00', '2026-08-25 16:00:00+00', 73441.7, 73524.1, 72263.3, 73465.1, 40.7601, 228.3594, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-25 16:00:00+00', '2026-08-25 20:00:00+00', 73465.1, 73507.8, 72865.3, 72888.4, 33.7554, 231.4989, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-25 20:00:00+00', '2026-08-26 00:00:00+00', 72888.4, 74617.9, 72886.2, 73347.4, 40.9518, 237.2164, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-26 00:00:00+00', '2026-08-26 04:00:00+00', 73347.4, 73348.3, 72782.3, 72800.5, 58.3160, 229.6873, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-26 04:00:00+00', '2026-08-26 08:00:00+00', 72800.5, 72934.2, 72721.0, 72871.5, 70.0991, 239.6933, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-26 08:00:00+00', '2026-08-26 12:00:00+00', 72871.5, 73144.5, 72153.5, 73101.0, 58.7759, 228.5144, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-26 12:00:00+00', '2026-08-26 16:00:00+00', 73101.0, 73117.5, 72929.3, 72978.0, 45.5673, 230.1630, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-26 16:00:00+00', '2026-08-26 20:00:00+00', 72978.0, 73381.9, 72524.3, 72567.0, 35.2709, 236.4968, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-26 20:00:00+00', '2026-08-27 00:00:00+00', 72567.0, 72874.0, 72515.7, 72802.1, 43.5092, 238.8936, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-27 00:00:00+00', '2026-08-27 04:00:00+00', 72802.1, 73034.7, 72714.8, 72963.6, 56.9742, 238.9334, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-27 04:00:00+00', '2026-08-27 08:00:00+00', 72963.6, 73014.2, 72740.5, 72802.7, 66.6118, 237.2992, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-27 08:00:00+00', '2026-08-27 12:00:00+00', 72802.7, 72909.3, 72531.6, 72580.6, 57.2080, 221.3536, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-27 12:00:00+00', '2026-08-27 16:00:00+00', 72580.6, 72680.0, 72480.0, 72502.3, 42.3116, 231.9608, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-27 16:00:00+00', '2026-08-27 20:00:00+00', 72502.3, 73348.6, 72465.7, 72591.9, 32.8715, 236.7659, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-27 20:00:00+00', '2026-08-28 00:00:00+00', 72591.9, 72670.1, 72329.4, 72540.8, 41.7734, 224.3675, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-28 00:00:00+00', '2026-08-28 04:00:00+00', 72540.8, 73146.9, 72326.6, 72421.2, 55.5479, 233.8284, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-28 04:00:00+00', '2026-08-28 08:00:00+00', 72421.2, 72524.7, 71722.8, 71858.8, 62.6075, 214.5474, '2026-11-19 05:38:06.56466+00');
INSERT INTO public.ohlc_v2 VALUES
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-28 08:00:00+00', '2026-08-28 12:00:00+00', 71858.8, 72286.8, 71734.7, 72158.1, 56.3528, 214.8890, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-28 12:00:00+00', '2026-08-28 16:00:00+00', 72158.1, 72403.3, 71891.6, 72202.3, 37.5924, 211.9417, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-28 16:00:00+00', '2026-08-28 20:00:00+00', 72202.3, 72334.6, 72172.8, 72315.7, 30.3213, 224.1260, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-28 20:00:00+00', '2026-08-29 00:00:00+00', 72315.7, 72417.3, 70905.7, 71984.7, 38.5944, 220.6539, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-29 00:00:00+00', '2026-08-29 04:00:00+00', 71984.7, 72404.9, 71877.8, 72361.9, 59.2029, 214.5019, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-29 04:00:00+00', '2026-08-29 08:00:00+00', 72361.9, 72454.5, 71376.4, 71546.8, 67.4624, 223.1343, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-29 08:00:00+00', '2026-08-29 12:00:00+00', 71546.8, 71987.6, 71382.3, 71827.9, 59.7458, 204.6679, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-29 12:00:00+00', '2026-08-29 16:00:00+00', 71827.9, 73041.0, 71445.4, 71786.1, 40.5429, 222.0965, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-29 16:00:00+00', '2026-08-29 20:00:00+00', 71786.1, 71945.1, 70297.3, 71348.1, 33.3974, 216.1623, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-29 20:00:00+00', '2026-08-30 00:00:00+00', 71348.1, 71504.4, 71121.5, 71205.3, 42.9048, 218.9161, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-30 00:00:00+00', '2026-08-30 04:00:00+00', 71205.3, 71228.6, 70648.4, 70713.2, 56.0471, 209.6457, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-30 04:00:00+00', '2026-08-30 08:00:00+00', 70713.2, 71887.6, 70478.4, 70511.6, 63.6290, 209.8411, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-30 08:00:00+00', '2026-08-30 12:00:00+00', 70511.6, 70531.3, 68813.7, 69986.3, 55.7883, 202.4537, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-30 12:00:00+00', '2026-08-30 16:00:00+00', 69986.3, 71100.3, 69813.4, 70964.2, 38.8252, 208.2937, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-30 16:00:00+00', '2026-08-30 20:00:00+00', 70964.2, 70970.6, 70648.3, 70661.1, 32.2068, 206.5550, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-30 20:00:00+00', '2026-08-31 00:00:00+00', 70661.1, 70791.2, 69477.7, 69556.5, 37.3781, 211.4210, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-31 00:00:00+00', '2026-08-31 04:00:00+00', 69556.5, 69618.2, 69148.2, 69169.3, 60.2120, 203.9641, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-31 04:00:00+00', '2026-08-31 08:00:00+00', 69169.3, 70349.7, 69029.0, 70037.1, 66.0552, 202.1345, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-31 08:00:00+00', '2026-08-31 12:00:00+00', 70037.1, 70284.5, 69936.0, 70193.8, 58.5603, 195.8227, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-31 12:00:00+00', '2026-08-31 16:00:00+00', 70193.8, 70505.7, 69344.0, 69593.5, 40.9354, 205.4963, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-31 16:00:00+00', '2026-08-31 20:00:00+00', 69593.5, 70834.2, 68466.9, 70832.8, 33.1386, 191.7242, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-08-31 20:00:00+00', '2026-09-01 00:00:00+00', 70832.8, 71602.5, 70770.8, 70948.2, 41.0554, 191.2348, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-01 00:00:00+00', '2026-09-01 04:00:00+00', 70948.2, 72736.7, 70851.6, 71527.8, 61.3223, 200.6130, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-01 04:00:00+00', '2026-09-01 08:00:00+00', 71527.8, 71730.2, 71500.6, 71705.8, 69.6844, 196.0159, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-01 08:00:00+00', '2026-09-01 12:00:00+00', 71705.8, 71918.6, 70940.0, 71085.6, 62.7946, 194.6052, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-01 12:00:00+00', '2026-09-01 16:00:00+00', 71085.6, 71382.7, 71085.1, 71381.7, 43.6762, 193.2476, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-01 16:00:00+00', '2026-09-01 20:00:00+00', 71381.7, 71613.9, 70380.2, 71542.1, 36.6903, 187.6926, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-01 20:00:00+00', '2026-09-02 00:00:00+00', 71542.1, 72158.2, 71260.5, 71973.2, 45.7755, 180.7630, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-02 00:00:00+00', '2026-09-02 04:00:00+00', 71973.2, 72310.8, 71960.2, 72128.8, 56.2191, 177.4257, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-02 04:00:00+00', '2026-09-02 08:00:00+00', 72128.8, 72927.2, 72077.8, 72672.2, 65.8428, 176.3393, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-02 08:00:00+00', '2026-09-02 12:00:00+00', 72672.2, 74182.8, 72579.2, 73459.0, 54.5773, 178.3571, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-02 12:00:00+00', '2026-09-02 16:00:00+00', 73459.0, 73537.1, 73155.3, 73316.2, 41.2474, 185.7288, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-02 16:00:00+00', '2026-09-02 20:00:00+00', 73316.2, 73526.3, 71826.4, 72881.7, 30.6740, 187.9718, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-02 20:00:00+00', '2026-09-03 00:00:00+00', 72881.7, 74092.6, 72756.8, 74080.6, 39.1293, 173.1138, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-03 00:00:00+00', '2026-09-03 04:00:00+00', 74080.6, 74630.2, 73972.1, 74372.6, 56.9880, 170.3794, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-03 04:00:00+00', '2026-09-03 08:00:00+00', 74372.6, 74892.9, 73517.7, 74829.9, 61.8970, 175.7421, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-03 08:00:00+00', '2026-09-03 12:00:00+00', 74829.9, 75028.9, 73995.6, 74135.6, 56.9113, 179.9487, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-03 12:00:00+00', '2026-09-03 16:00:00+00', 74135.6, 75124.4, 74088.3, 75076.0, 40.5621, 182.0793, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-03 16:00:00+00', '2026-09-03 20:00:00+00', 75076.0, 75708.4, 74604.4, 74672.1, 28.9635, 175.6638, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-03 20:00:00+00', '2026-09-04 00:00:00+00', 74672.1, 75415.5, 74552.3, 75381.6, 40.8735, 178.6785, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-04 00:00:00+00', '2026-09-04 04:00:00+00', 75381.6, 75455.0, 73817.9, 73950.5, 59.1559, 175.7697, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-04 04:00:00+00', '2026-09-04 08:00:00+00', 73950.5, 75185.3, 73874.6, 75127.0, 67.6707, 176.1579, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-04 08:00:00+00', '2026-09-04 12:00:00+00', 75127.0, 76039.5, 74635.4, 75076.7, 58.2818, 180.4206, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-04 12:00:00+00', '2026-09-04 16:00:00+00', 75076.7, 75078.0, 74358.1, 74360.2, 40.6651, 182.4499, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-04 16:00:00+00', '2026-09-04 20:00:00+00', 74360.2, 74389.3, 73805.6, 73824.0, 34.7730, 172.2109, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-04 20:00:00+00', '2026-09-05 00:00:00+00', 73824.0, 73896.4, 72761.7, 73504.3, 43.7614, 177.6122, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-05 00:00:00+00', '2026-09-05 04:00:00+00', 73504.3, 73723.8, 72723.5, 72856.0, 59.9181, 178.6343, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-05 04:00:00+00', '2026-09-05 08:00:00+00', 72856.0, 74637.4, 72759.5, 73322.6, 67.7105, 183.0726, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-05 08:00:00+00', '2026-09-05 12:00:00+00', 73322.6, 73771.5, 73275.0, 73734.1, 60.4104, 190.5125, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-05 12:00:00+00', '2026-09-05 16:00:00+00', 73734.1, 73800.2, 73565.4, 73675.5, 43.7710, 178.6601, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-05 16:00:00+00', '2026-09-05 20:00:00+00', 73675.5, 73843.5, 72171.6, 73723.6, 35.2511, 170.8310, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-05 20:00:00+00', '2026-09-06 00:00:00+00', 73723.6, 73727.6, 73316.1, 73321.1, 43.5035, 185.0668, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-06 00:00:00+00', '2026-09-06 04:00:00+00', 73321.1, 73381.4, 71764.0, 72033.5, 58.4361, 179.0926, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-06 04:00:00+00', '2026-09-06 08:00:00+00', 72033.5, 73583.7, 70860.2, 72055.8, 69.1618, 171.2755, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-06 08:00:00+00', '2026-09-06 12:00:00+00', 72055.8, 72450.3, 71782.8, 72115.0, 58.7222, 172.9193, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-06 12:00:00+00', '2026-09-06 16:00:00+00', 72115.0, 72392.8, 71625.5, 71804.0, 41.7138, 175.1968, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-06 16:00:00+00', '2026-09-06 20:00:00+00', 71804.0, 72336.9, 71671.6, 72133.4, 34.8721, 188.5750, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-06 20:00:00+00', '2026-09-07 00:00:00+00', 72133.4, 72367.5, 71486.2, 71606.6, 42.5621, 179.2402, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-07 00:00:00+00', '2026-09-07 04:00:00+00', 71606.6, 71612.9, 71302.7, 71379.0, 56.7767, 179.5762, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-07 04:00:00+00', '2026-09-07 08:00:00+00', 71379.0, 71427.1, 70503.8, 70687.1, 65.2775, 169.8547, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-07 08:00:00+00', '2026-09-07 12:00:00+00', 70687.1, 70778.0, 69915.2, 69988.1, 58.0016, 179.8378, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-07 12:00:00+00', '2026-09-07 16:00:00+00', 69988.1, 71089.6, 69098.8, 70947.3, 39.8697, 174.9419, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-07 16:00:00+00', '2026-09-07 20:00:00+00', 70947.3, 71108.3, 70213.7, 70474.7, 30.7448, 171.3704, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-07 20:00:00+00', '2026-09-08 00:00:00+00', 70474.7, 71796.2, 69720.6, 69894.2, 40.9488, 189.4928, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-08 00:00:00+00', '2026-09-08 04:00:00+00', 69894.2, 70106.9, 69843.7, 70074.5, 57.6923, 181.5011, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-08 04:00:00+00', '2026-09-08 08:00:00+00', 70074.5, 70182.6, 69001.8, 69533.5, 66.4350, 187.7950, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-08 08:00:00+00', '2026-09-08 12:00:00+00', 69533.5, 69817.6, 69460.3, 69685.1, 58.9110, 178.6863, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-08 12:00:00+00', '2026-09-08 16:00:00+00', 69685.1, 69814.7, 69620.3, 69727.4, 38.9503, 170.0281, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-08 16:00:00+00', '2026-09-08 20:00:00+00', 69727.4, 69814.9, 69500.8, 69553.3, 33.2728, 184.4015, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-08 20:00:00+00', '2026-09-09 00:00:00+00', 69553.3, 70646.8, 69078.8, 69083.4, 40.7641, 172.1162, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-09 00:00:00+00', '2026-09-09 04:00:00+00', 69083.4, 69171.8, 68639.6, 69092.3, 57.9506, 181.2879, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-09 04:00:00+00', '2026-09-09 08:00:00+00', 69092.3, 69460.6, 68976.5, 68987.9, 64.4839, 189.5882, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-09 08:00:00+00', '2026-09-09 12:00:00+00', 68987.9, 69075.5, 67662.4, 67806.8, 54.2948, 177.7936, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-09 12:00:00+00', '2026-09-09 16:00:00+00', 67806.8, 67992.8, 67027.8, 67761.5, 40.1152, 187.9065, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-09 16:00:00+00', '2026-09-09 20:00:00+00', 67761.5, 67929.6, 67631.2, 67697.4, 31.9919, 181.1481, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-09 20:00:00+00', '2026-09-10 00:00:00+00', 67697.4, 68157.9, 67566.8, 67842.3, 39.4092, 188.3705, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-10 00:00:00+00', '2026-09-10 04:00:00+00', 67842.3, 67902.8, 67091.6, 67185.0, 57.8989, 189.5853, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-10 04:00:00+00', '2026-09-10 08:00:00+00', 67185.0, 67468.0, 67177.1, 67460.3, 67.6181, 171.7006, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-10 08:00:00+00', '2026-09-10 12:00:00+00', 67460.3, 67611.7, 67230.8, 67417.1, 58.7765, 181.4013, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-10 12:00:00+00', '2026-09-10 16:00:00+00', 67417.1, 67573.1, 66809.8, 66930.7, 41.8047, 180.7985, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-10 16:00:00+00', '2026-09-10 20:00:00+00', 66930.7, 68600.9, 66013.5, 67295.9, 34.6103, 175.8107, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-10 20:00:00+00', '2026-09-11 00:00:00+00', 67295.9, 67537.0, 66860.8, 67052.8, 42.0878, 191.1226, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-11 00:00:00+00', '2026-09-11 04:00:00+00', 67052.8, 67064.5, 66085.6, 66273.7, 58.8716, 184.0640, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-11 04:00:00+00', '2026-09-11 08:00:00+00', 66273.7, 66442.3, 65647.0, 65848.5, 65.9396, 173.8626, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-11 08:00:00+00', '2026-09-11 12:00:00+00', 65848.5, 67144.5, 65634.7, 66604.5, 60.2859, 193.7512, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-11 12:00:00+00', '2026-09-11 16:00:00+00', 66604.5, 66666.4, 66216.7, 66399.2, 41.3485, 178.4107, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-11 16:00:00+00', '2026-09-11 20:00:00+00', 66399.2, 66570.0, 64807.7, 66005.7, 32.1094, 178.6240, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-11 20:00:00+00', '2026-09-12 00:00:00+00', 66005.7, 66189.1, 65654.4, 65817.0, 43.3957, 175.0899, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-12 00:00:00+00', '2026-09-12 04:00:00+00', 65817.0, 66560.4, 65789.2, 66265.7, 56.2173, 189.4224, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-12 04:00:00+00', '2026-09-12 08:00:00+00', 66265.7, 66562.2, 66244.2, 66526.6, 66.4415, 191.6674, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-12 08:00:00+00', '2026-09-12 12:00:00+00', 66526.6, 66861.0, 66433.7, 66785.1, 58.7776, 176.3736, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-12 12:00:00+00', '2026-09-12 16:00:00+00', 66785.1, 66833.1, 66288.1, 66333.0, 42.0357, 192.2982, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-12 16:00:00+00', '2026-09-12 20:00:00+00', 66333.0, 66517.5, 66291.7, 66451.3, 33.5219, 184.7335, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-12 20:00:00+00', '2026-09-13 00:00:00+00', 66451.3, 67456.9, 65704.6, 67063.7, 41.4797, 180.2803, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-13 00:00:00+00', '2026-09-13 04:00:00+00', 67063.7, 67413.2, 67037.9, 67317.8, 56.7876, 188.6013, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-13 04:00:00+00', '2026-09-13 08:00:00+00', 67317.8, 68452.9, 67244.9, 68358.9, 63.4507, 188.5844, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-13 08:00:00+00', '2026-09-13 12:00:00+00', 68358.9, 68393.9, 66492.7, 68019.5, 56.5287, 183.4202, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-13 12:00:00+00', '2026-09-13 16:00:00+00', 68019.5, 68025.8, 67824.7, 67830.7, 41.5441, 189.4189, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-13 16:00:00+00', '2026-09-13 20:00:00+00', 67830.7, 68283.1, 67550.6, 67981.2, 31.8632, 187.5272, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-13 20:00:00+00', '2026-09-14 00:00:00+00', 67981.2, 69423.4, 67883.3, 68876.3, 39.9681, 188.4639, '2026-11-19 05:38:06.56466+00');
INSERT INTO public.ohlc_v2 VALUES
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-14 00:00:00+00', '2026-09-14 04:00:00+00', 68876.3, 68941.8, 68571.6, 68613.6, 58.9021, 188.5894, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-14 04:00:00+00', '2026-09-14 08:00:00+00', 68613.6, 68935.1, 68545.0, 68822.9, 67.6252, 194.3141, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-14 08:00:00+00', '2026-09-14 12:00:00+00', 68822.9, 69206.1, 68616.0, 68984.4, 57.7918, 191.7537, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-14 12:00:00+00', '2026-09-14 16:00:00+00', 68984.4, 69155.0, 68696.7, 68863.1, 41.4880, 189.9877, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-14 16:00:00+00', '2026-09-14 20:00:00+00', 68863.1, 69072.3, 67928.6, 68826.5, 32.4705, 198.0159, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-14 20:00:00+00', '2026-09-15 00:00:00+00', 68826.5, 69942.8, 68752.1, 69443.1, 42.2395, 185.1479, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-15 00:00:00+00', '2026-09-15 04:00:00+00', 69443.1, 70515.9, 69411.0, 70470.8, 57.5618, 196.4155, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-15 04:00:00+00', '2026-09-15 08:00:00+00', 70470.8, 71700.0, 68570.0, 70168.1, 68.4589, 194.7815, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-15 08:00:00+00', '2026-09-15 12:00:00+00', 70168.1, 70196.1, 70055.7, 70083.4, 57.2869, 192.2296, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-15 12:00:00+00', '2026-09-15 16:00:00+00', 70083.4, 70192.0, 69869.4, 69962.9, 40.7839, 188.8859, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-15 16:00:00+00', '2026-09-15 20:00:00+00', 69962.9, 70726.5, 69629.8, 70420.5, 35.3061, 202.6074, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-15 20:00:00+00', '2026-09-16 00:00:00+00', 70420.5, 71581.6, 70166.9, 71562.8, 39.4681, 203.5797, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-16 00:00:00+00', '2026-09-16 04:00:00+00', 71562.8, 72489.3, 71544.3, 71582.4, 56.9497, 187.7836, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-16 04:00:00+00', '2026-09-16 08:00:00+00', 71582.4, 71737.3, 70564.9, 71147.5, 66.5334, 199.6676, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-16 08:00:00+00', '2026-09-16 12:00:00+00', 71147.5, 71155.2, 70919.5, 70921.5, 57.8490, 200.4691, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-16 12:00:00+00', '2026-09-16 16:00:00+00', 70921.5, 71527.9, 70879.7, 71400.1, 39.0582, 200.0329, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-16 16:00:00+00', '2026-09-16 20:00:00+00', 71400.1, 71490.7, 70815.9, 70838.6, 32.4169, 188.6911, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-16 20:00:00+00', '2026-09-17 00:00:00+00', 70838.6, 71031.3, 70608.2, 70613.9, 40.7879, 199.4233, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-17 00:00:00+00', '2026-09-17 04:00:00+00', 70613.9, 71364.4, 70267.9, 70322.5, 58.5532, 189.0869, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-17 04:00:00+00', '2026-09-17 08:00:00+00', 70322.5, 70379.1, 70311.4, 70360.7, 67.6896, 202.0707, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-17 08:00:00+00', '2026-09-17 12:00:00+00', 70360.7, 70792.6, 70242.1, 70663.9, 57.0728, 185.0235, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-17 12:00:00+00', '2026-09-17 16:00:00+00', 70663.9, 70820.7, 69715.2, 70429.1, 40.8601, 201.4998, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-17 16:00:00+00', '2026-09-17 20:00:00+00', 70429.1, 70572.4, 70093.7, 70162.2, 33.0415, 185.4731, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-17 20:00:00+00', '2026-09-18 00:00:00+00', 70162.2, 70430.4, 69881.6, 69929.3, 42.6281, 185.1504, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-18 00:00:00+00', '2026-09-18 04:00:00+00', 69929.3, 70053.8, 69491.0, 69654.6, 59.1683, 187.9853, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-18 04:00:00+00', '2026-09-18 08:00:00+00', 69654.6, 69890.4, 69564.1, 69805.9, 67.5803, 186.3647, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-18 08:00:00+00', '2026-09-18 12:00:00+00', 69805.9, 69837.0, 69300.3, 69317.9, 59.4194, 184.0826, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-18 12:00:00+00', '2026-09-18 16:00:00+00', 69317.9, 70473.7, 69262.4, 69421.0, 44.4198, 184.7147, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-18 16:00:00+00', '2026-09-18 20:00:00+00', 69421.0, 69674.5, 68939.5, 69230.5, 33.9782, 179.6204, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-18 20:00:00+00', '2026-09-19 00:00:00+00', 69230.5, 69364.2, 69218.6, 69316.9, 42.6482, 191.7261, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-19 00:00:00+00', '2026-09-19 04:00:00+00', 69316.9, 69427.1, 68542.6, 68746.5, 55.1336, 189.3313, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-19 04:00:00+00', '2026-09-19 08:00:00+00', 68746.5, 70237.6, 68393.0, 68890.2, 63.9960, 185.3723, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-19 08:00:00+00', '2026-09-19 12:00:00+00', 68890.2, 69097.0, 67923.1, 68082.5, 55.0598, 181.4904, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-19 12:00:00+00', '2026-09-19 16:00:00+00', 68082.5, 68655.8, 67044.0, 68311.6, 41.0662, 179.9762, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-19 16:00:00+00', '2026-09-19 20:00:00+00', 68311.6, 68614.5, 68021.9, 68204.4, 29.4361, 176.4501, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-19 20:00:00+00', '2026-09-20 00:00:00+00', 68204.4, 68532.6, 67595.4, 67701.5, 37.6473, 174.1339, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-20 00:00:00+00', '2026-09-20 04:00:00+00', 67701.5, 68312.9, 66693.5, 67750.1, 59.4800, 187.3144, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-20 04:00:00+00', '2026-09-20 08:00:00+00', 67750.1, 67769.7, 67603.0, 67635.8, 68.5490, 183.7795, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-20 08:00:00+00', '2026-09-20 12:00:00+00', 67635.8, 67704.3, 67445.5, 67530.1, 60.2785, 172.5682, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-20 12:00:00+00', '2026-09-20 16:00:00+00', 67530.1, 67717.1, 67179.9, 67332.6, 42.9244, 170.4269, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-20 16:00:00+00', '2026-09-20 20:00:00+00', 67332.6, 67771.2, 67267.3, 67709.6, 32.6789, 172.0163, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-20 20:00:00+00', '2026-09-21 00:00:00+00', 67709.6, 67724.1, 67045.5, 67054.1, 43.2193, 174.1478, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-21 00:00:00+00', '2026-09-21 04:00:00+00', 67054.1, 67547.5, 67048.8, 67540.2, 59.4503, 166.9542, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-21 04:00:00+00', '2026-09-21 08:00:00+00', 67540.2, 67786.2, 66250.8, 67654.6, 68.5217, 174.0916, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-21 08:00:00+00', '2026-09-21 12:00:00+00', 67654.6, 68659.7, 67154.6, 67412.3, 58.1568, 171.3786, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-21 12:00:00+00', '2026-09-21 16:00:00+00', 67412.3, 67854.0, 67294.4, 67763.0, 42.1864, 169.6768, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-21 16:00:00+00', '2026-09-21 20:00:00+00', 67763.0, 67786.0, 67110.8, 67133.4, 34.5986, 160.1196, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-21 20:00:00+00', '2026-09-22 00:00:00+00', 67133.4, 67715.2, 67081.2, 67655.8, 42.8485, 172.1316, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-22 00:00:00+00', '2026-09-22 04:00:00+00', 67655.8, 67860.1, 67434.7, 67799.1, 52.8310, 164.1199, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-22 04:00:00+00', '2026-09-22 08:00:00+00', 67799.1, 67927.4, 66787.4, 67138.3, 63.2923, 163.9889, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-22 08:00:00+00', '2026-09-22 12:00:00+00', 67138.3, 67363.4, 66204.9, 66350.3, 55.3266, 165.9947, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-22 12:00:00+00', '2026-09-22 16:00:00+00', 66350.3, 67418.4, 66293.7, 67345.4, 38.7299, 166.9353, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-22 16:00:00+00', '2026-09-22 20:00:00+00', 67345.4, 68381.0, 65547.3, 66823.0, 29.7056, 156.2655, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-22 20:00:00+00', '2026-09-23 00:00:00+00', 66823.0, 66971.0, 66372.9, 66459.5, 38.1139, 165.8479, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-23 00:00:00+00', '2026-09-23 04:00:00+00', 66459.5, 66544.0, 66333.8, 66454.5, 56.6226, 169.0317, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-23 04:00:00+00', '2026-09-23 08:00:00+00', 66454.5, 66993.5, 66263.3, 66293.6, 66.5378, 150.1369, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-23 08:00:00+00', '2026-09-23 12:00:00+00', 66293.6, 66294.2, 65996.8, 65997.0, 58.7533, 150.5249, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-23 12:00:00+00', '2026-09-23 16:00:00+00', 65997.0, 66228.9, 65942.6, 66062.9, 41.3025, 151.9946, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-23 16:00:00+00', '2026-09-23 20:00:00+00', 66062.9, 66159.1, 65691.9, 66159.0, 33.2851, 152.2134, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-23 20:00:00+00', '2026-09-24 00:00:00+00', 66159.0, 66346.5, 65998.8, 66087.7, 42.6504, 151.6123, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-24 00:00:00+00', '2026-09-24 04:00:00+00', 66087.7, 66957.2, 65879.0, 66865.7, 59.1314, 147.7777, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-24 04:00:00+00', '2026-09-24 08:00:00+00', 66865.7, 66909.7, 66544.7, 66585.0, 68.6586, 158.5454, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-24 08:00:00+00', '2026-09-24 12:00:00+00', 66585.0, 67636.6, 66487.2, 67036.0, 59.8442, 163.7322, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-24 12:00:00+00', '2026-09-24 16:00:00+00', 67036.0, 67148.7, 66453.8, 66586.5, 43.7164, 172.3204, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-24 16:00:00+00', '2026-09-24 20:00:00+00', 66586.5, 67109.6, 66445.1, 66977.9, 36.0027, 168.8057, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-24 20:00:00+00', '2026-09-25 00:00:00+00', 66977.9, 67106.0, 66667.0, 66857.2, 42.4073, 162.0162, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-25 00:00:00+00', '2026-09-25 04:00:00+00', 66857.2, 67329.8, 66797.5, 67208.1, 58.0959, 178.3142, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-25 04:00:00+00', '2026-09-25 08:00:00+00', 67208.1, 67257.1, 66745.3, 66761.5, 64.5813, 169.1969, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-25 08:00:00+00', '2026-09-25 12:00:00+00', 66761.5, 67003.5, 66726.5, 66830.7, 58.4837, 174.5753, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-25 12:00:00+00', '2026-09-25 16:00:00+00', 66830.7, 66984.5, 66564.1, 66836.3, 41.8696, 183.8035, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-25 16:00:00+00', '2026-09-25 20:00:00+00', 66836.3, 67804.8, 66667.8, 66689.6, 31.4681, 171.9074, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-25 20:00:00+00', '2026-09-26 00:00:00+00', 66689.6, 66716.7, 66676.0, 66678.7, 41.5612, 184.4277, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-26 00:00:00+00', '2026-09-26 04:00:00+00', 66678.7, 67489.9, 66578.1, 67400.6, 59.0602, 186.0433, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-26 04:00:00+00', '2026-09-26 08:00:00+00', 67400.6, 67538.8, 65889.3, 67437.8, 66.3526, 178.9362, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-26 08:00:00+00', '2026-09-26 12:00:00+00', 67437.8, 68100.9, 67116.5, 67440.2, 58.2574, 185.3272, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-26 12:00:00+00', '2026-09-26 16:00:00+00', 67440.2, 67517.9, 66633.3, 66732.4, 40.5446, 198.7520, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-26 16:00:00+00', '2026-09-26 20:00:00+00', 66732.4, 67620.8, 66599.7, 67531.1, 34.6447, 191.7602, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-26 20:00:00+00', '2026-09-27 00:00:00+00', 67531.1, 67644.1, 67191.3, 67513.6, 41.2163, 199.3655, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-27 00:00:00+00', '2026-09-27 04:00:00+00', 67513.6, 67865.3, 67138.7, 67249.4, 59.3473, 197.1952, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-27 04:00:00+00', '2026-09-27 08:00:00+00', 67249.4, 68609.1, 67202.1, 68535.3, 67.3815, 212.1696, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-27 08:00:00+00', '2026-09-27 12:00:00+00', 68535.3, 68580.5, 67390.0, 67427.2, 57.0382, 206.7511, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-27 12:00:00+00', '2026-09-27 16:00:00+00', 67427.2, 69520.5, 67324.2, 67706.1, 41.8084, 201.9425, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-27 16:00:00+00', '2026-09-27 20:00:00+00', 67706.1, 68461.3, 67652.1, 68406.0, 33.0779, 198.9251, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-27 20:00:00+00', '2026-09-28 00:00:00+00', 68406.0, 68697.8, 66617.6, 68633.8, 41.5442, 217.7009, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-28 00:00:00+00', '2026-09-28 04:00:00+00', 68633.8, 69176.4, 68630.5, 68677.9, 58.7605, 217.9146, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-28 04:00:00+00', '2026-09-28 08:00:00+00', 68677.9, 68764.2, 68604.9, 68725.4, 64.7578, 210.0520, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-28 08:00:00+00', '2026-09-28 12:00:00+00', 68725.4, 68755.7, 68712.3, 68749.5, 55.9709, 228.1607, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-28 12:00:00+00', '2026-09-28 16:00:00+00', 68749.5, 68750.1, 67830.3, 68615.2, 42.4125, 215.3152, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-28 16:00:00+00', '2026-09-28 20:00:00+00', 68615.2, 68699.0, 68301.9, 68384.7, 30.6721, 223.3143, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-28 20:00:00+00', '2026-09-29 00:00:00+00', 68384.7, 68659.1, 68268.0, 68521.2, 40.2619, 235.0989, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-29 00:00:00+00', '2026-09-29 04:00:00+00', 68521.2, 68686.5, 67945.0, 68012.9, 60.3738, 220.9349, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-29 04:00:00+00', '2026-09-29 08:00:00+00', 68012.9, 69480.0, 67998.3, 68087.8, 66.4676, 225.2137, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-29 08:00:00+00', '2026-09-29 12:00:00+00', 68087.8, 68700.1, 67994.9, 68507.3, 59.6382, 227.9991, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-29 12:00:00+00', '2026-09-29 16:00:00+00', 68507.3, 68569.6, 68500.4, 68562.5, 42.3221, 244.4076, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-29 16:00:00+00', '2026-09-29 20:00:00+00', 68562.5, 68782.7, 67983.4, 68098.6, 33.6633, 243.9406, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-29 20:00:00+00', '2026-09-30 00:00:00+00', 68098.6, 68123.9, 67618.8, 67821.7, 42.8974, 245.6601, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-30 00:00:00+00', '2026-09-30 04:00:00+00', 67821.7, 68872.2, 67654.2, 68182.2, 53.5919, 234.4387, '2026-11-19 05:38:06.56466+00'),
	('DEMO/SWAP/BTC-USDT/PT4H', '2026-09-30 04:00:00+00', '2026-09-30 08:00:00+00', 68182.2, 68277.1, 67949.1, 68153.8, 64.1906, 239.2937, '2026-11-19 05:38:06.56466+00');

INSERT INTO public.product VALUES
	('DEMO/SWAP/BTC-USDT', 'demo-a', 'BTC swap against USDT', 'BTC', 'USDT', 0.1, 0.0001, 1, true, true, false, 'DEMO', '2026-07-22 10:00:00+00', NULL, '2026-11-19 05:38:06.099079+00', '2026-11-19 05:38:06.099079+00'),
	('DEMO/SWAP/ETH-USDT', 'demo-a', 'ETH swap against USDT', 'ETH', 'USDT', 0.01, 0.001, 1, true, true, false, 'DEMO', '2026-08-21 10:00:00+00', NULL, '2026-11-19 05:38:06.099079+00', '2026-11-19 05:38:06.099079+00'),
	('DEMO/MARGIN/BTC-USDT', 'demo-b', 'BTC margin against USDT', 'BTC', 'USDT', 0.1, 0.0001, 1, true, true, false, 'DEMO', '2026-11-17 00:00:00+00', NULL, '2026-11-19 05:38:06.099079+00', '2026-11-19 05:38:06.099079+00'),
	('DEMO/SPOT/BTC-USDT', 'demo-b', 'BTC spot against USDT', 'BTC', 'USDT', 0.1, 0.0001, 1, true, false, true, 'DEMO', '2026-09-20 10:00:00+00', NULL, '2026-11-19 05:38:06.099079+00', '2026-11-19 05:38:06.099079+00');

INSERT INTO public.rate_budget VALUES
	('demo-a', NULL, NULL);

INSERT INTO public.rate_grant OVERRIDING SYSTEM VALUE VALUES
	('demo-a', '2026-11-19 05:38:06.475948+00', 1),
	('demo-a', '2026-11-19 05:38:06.54199+00', 2),
	('demo-a', '2026-11-19 05:38:06.631432+00', 3),
	('demo-a', '2026-11-19 05:38:06.682761+00', 4);

INSERT INTO public.schema_migration VALUES
	('0001_series.sql', '74c094bbf4339e0f6616dfebb94f3d50f6e15dcc9b14aeecd59f7d81b40425a8', '2026-11-19 05:38:05.958855+00'),
	('0002_cursors.sql', '1ec8340d27b1839e2aba574475fcf6cc33f94052f2ccdf1c764cc575785073de', '2026-11-19 05:38:05.977352+00'),
	('0003_rate_limits.sql', '9327debbe041505a96845479a758527633a9d003b4ecb5bbc2f29ba262252323', '2026-11-19 05:38:05.986024+00'),
	('0004_budgets.sql', '02078d70e6f9653c5aa6a9fcbed0295f5282eb393913e0bbe30b2c5a52f8bbef', '2026-11-19 05:38:05.997501+00'),
	('0005_rate_interval.sql', '5f5252f27cc44a4d31b3e24d6ce92100cf1735c80723259329373bfd95c120bb', '2026-11-19 05:38:06.012646+00'),
	('0006_page_rows.sql', '9ce868491e53faca5482442dfc0d2822cceb86914ca72384c9e1626e1c45f34b', '2026-11-19 05:38:06.016523+00'),
	('0007_ledger.sql', 'a1e4ac04e243b73c8777977f6951867205f1ebb9b9b3fb65d92a1f6ea2ba3fdb', '2026-11-19 05:38:06.023629+00'),
	('0008_coverage_evidence.sql', '0b30538d60c00df01983f11898e15b18a5579b1781a7eeacedc5b40395a97a4f', '2026-11-19 05:38:06.071005+00'),
	('0009_turns.sql', '62eca571718fb9b57bb77ff67a01bbb551e1c8b9865509bf152dd3a9066b383b', '2026-11-19 05:38:06.079813+00'),
	('0010_lighter_ledger.sql', 'f3f2e3fdbf378448f0f44beba6e83f3acd5a51fcf22d0ada8f162757b45468ef', '2026-11-19 05:38:06.081155+00');

INSERT INTO public.series_data_range VALUES
	('DEMO/SWAP/BTC-USDT/PT4H', 'ohlc_v2', '2026-08-11 12:00:00+00', '2026-11-19 04:00:00+00'),
	('DEMO/SWAP/BTC-USDT', 'interest_rate', '2026-09-14 00:00:00+00', '2026-11-19 00:00:00.001+00');

INSERT INTO public.series_state VALUES
	('DEMO/SPOT/BTC-USDT/P1D', 'ohlc_v2', 'DEMO/SPOT/BTC-USDT', 'IngestOHLC/DEMO%2FSPOT%2F/forward', true, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL),
	('DEMO/SPOT/BTC-USDT/PT15M', 'ohlc_v2', 'DEMO/SPOT/BTC-USDT', 'IngestOHLC/DEMO%2FSPOT%2F/forward', true, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL),
	('DEMO/SPOT/BTC-USDT/PT1H', 'ohlc_v2', 'DEMO/SPOT/BTC-USDT', 'IngestOHLC/DEMO%2FSPOT%2F/forward', true, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL),
	('DEMO/SPOT/BTC-USDT/PT1M', 'ohlc_v2', 'DEMO/SPOT/BTC-USDT', 'IngestOHLC/DEMO%2FSPOT%2F/forward', true, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL),
	('DEMO/SPOT/BTC-USDT/PT4H', 'ohlc_v2', 'DEMO/SPOT/BTC-USDT', 'IngestOHLC/DEMO%2FSPOT%2F/forward', true, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL),
	('DEMO/SPOT/BTC-USDT/PT5M', 'ohlc_v2', 'DEMO/SPOT/BTC-USDT', 'IngestOHLC/DEMO%2FSPOT%2F/forward', true, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL),
	('DEMO/SWAP/BTC-USDT/P1D', 'ohlc_v2', 'DEMO/SWAP/BTC-USDT', 'IngestOHLC/DEMO%2FSWAP%2F/backward', true, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL),
	('DEMO/SWAP/BTC-USDT/PT15M', 'ohlc_v2', 'DEMO/SWAP/BTC-USDT', 'IngestOHLC/DEMO%2FSWAP%2F/backward', true, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL),
	('DEMO/SWAP/BTC-USDT/PT1H', 'ohlc_v2', 'DEMO/SWAP/BTC-USDT', 'IngestOHLC/DEMO%2FSWAP%2F/backward', true, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL),
	('DEMO/SWAP/BTC-USDT/PT1M', 'ohlc_v2', 'DEMO/SWAP/BTC-USDT', 'IngestOHLC/DEMO%2FSWAP%2F/backward', true, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL),
	('DEMO/SWAP/BTC-USDT/PT5M', 'ohlc_v2', 'DEMO/SWAP/BTC-USDT', 'IngestOHLC/DEMO%2FSWAP%2F/backward', true, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL),
	('DEMO/SWAP/ETH-USDT/P1D', 'ohlc_v2', 'DEMO/SWAP/ETH-USDT', 'IngestOHLC/DEMO%2FSWAP%2F/backward', true, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL),
	('DEMO/SWAP/ETH-USDT/PT15M', 'ohlc_v2', 'DEMO/SWAP/ETH-USDT', 'IngestOHLC/DEMO%2FSWAP%2F/backward', true, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL),
	('DEMO/SWAP/ETH-USDT/PT1H', 'ohlc_v2', 'DEMO/SWAP/ETH-USDT', 'IngestOHLC/DEMO%2FSWAP%2F/backward', true, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL),
	('DEMO/SWAP/ETH-USDT/PT1M', 'ohlc_v2', 'DEMO/SWAP/ETH-USDT', 'IngestOHLC/DEMO%2FSWAP%2F/backward', true, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL),
	('DEMO/SWAP/ETH-USDT/PT4H', 'ohlc_v2', 'DEMO/SWAP/ETH-USDT', 'IngestOHLC/DEMO%2FSWAP%2F/backward', true, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL),
	('DEMO/SWAP/ETH-USDT/PT5M', 'ohlc_v2', 'DEMO/SWAP/ETH-USDT', 'IngestOHLC/DEMO%2FSWAP%2F/backward', true, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL),
	('DEMO/MARGIN/BTC-USDT', 'interest_rate', 'DEMO/MARGIN/BTC-USDT', 'IngestInterestRate/DEMO%2FMARGIN%2F/forward', true, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL),
	('DEMO/SWAP/ETH-USDT', 'interest_rate', 'DEMO/SWAP/ETH-USDT', 'IngestInterestRate/DEMO%2FSWAP%2F/backward', true, NULL, NULL, 0, NULL, NULL, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL),
	('DEMO/SWAP/BTC-USDT/PT4H', 'ohlc_v2', 'DEMO/SWAP/BTC-USDT', 'IngestOHLC/DEMO%2FSWAP%2F/backward', true, '2026-11-19 05:38:06.501+00', NULL, 0, '2026-11-19 05:38:06.564+00', NULL, 0, NULL, 0, 0, 4320000000, NULL, NULL, NULL, '2026-11-19 05:38:06.564+00', NULL, NULL, '{}', NULL, NULL),
	('DEMO/SWAP/BTC-USDT', 'interest_rate', 'DEMO/SWAP/BTC-USDT', 'IngestInterestRate/DEMO%2FSWAP%2F/backward', true, '2026-11-19 05:38:06.658+00', NULL, 0, '2026-11-19 05:38:06.708+00', NULL, 0, NULL, 0, 0, 2851200001, NULL, NULL, NULL, '2026-11-19 05:38:06.708+00', NULL, 28800000, '{}', NULL, NULL);

SELECT pg_catalog.setval('public.ing_cursor_event_id', 4, true);

SELECT pg_catalog.setval('public.rate_grant_grant_id_seq', 4, true);

SELECT pg_catalog.setval('public.rate_request_request_id_seq', 1, false);

SELECT pg_catalog.setval('public.row_revision_revision_id_seq', 1, false);

ALTER TABLE ONLY public.capability_state
    ADD CONSTRAINT capability_state_pkey PRIMARY KEY (cap_key);

ALTER TABLE ONLY public.coverage_evidence
    ADD CONSTRAINT coverage_evidence_pkey PRIMARY KEY (series_id, table_name, start_time, kind);

ALTER TABLE ONLY public.ing_cursor_event
    ADD CONSTRAINT ing_cursor_event_pkey PRIMARY KEY (idempotent_key, recorded_at);

ALTER TABLE ONLY public.ing_cursor_event_2026_11
    ADD CONSTRAINT ing_cursor_event_2026_11_pkey PRIMARY KEY (idempotent_key, recorded_at);

ALTER TABLE ONLY public.ing_cursor_event_2026_12
    ADD CONSTRAINT ing_cursor_event_2026_12_pkey PRIMARY KEY (idempotent_key, recorded_at);

ALTER TABLE ONLY public.ing_cursor_event_default
    ADD CONSTRAINT ing_cursor_event_default_pkey PRIMARY KEY (idempotent_key, recorded_at);

ALTER TABLE ONLY public.ing_cursor
    ADD CONSTRAINT ing_cursor_pkey PRIMARY KEY (series_id, table_name, operation, namespace_scope, namespace_key);

ALTER TABLE ONLY public.interest_rate
    ADD CONSTRAINT interest_rate_pkey PRIMARY KEY (series_id, created_at);

ALTER TABLE ONLY public.ohlc_v2
    ADD CONSTRAINT ohlc_v2_pkey PRIMARY KEY (series_id, created_at);

ALTER TABLE ONLY public.product
    ADD CONSTRAINT product_pkey PRIMARY KEY (product_id);

ALTER TABLE ONLY public.rate_budget
    ADD CONSTRAINT rate_budget_pkey PRIMARY KEY (budget);

ALTER TABLE ONLY public.rate_grant
    ADD CONSTRAINT rate_grant_pkey PRIMARY KEY (budget, granted_at, grant_id);

ALTER TABLE ONLY public.rate_request
    ADD CONSTRAINT rate_request_pkey PRIMARY KEY (request_id);

ALTER TABLE ONLY public.refresh_campaign
    ADD CONSTRAINT refresh_campaign_pkey PRIMARY KEY (campaign_id, table_name);

ALTER TABLE ONLY public.row_revision
    ADD CONSTRAINT row_revision_pkey PRIMARY KEY (revision_id);

ALTER TABLE ONLY public.schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.series_data_range
    ADD CONSTRAINT series_data_range_pkey PRIMARY KEY (series_id, table_name, start_time, end_time);

ALTER TABLE ONLY public.series_state
    ADD CONSTRAINT series_state_pkey PRIMARY KEY (series_id, table_name);

CREATE INDEX coverage_evidence_outage ON public.coverage_evidence USING btree (table_name, series_id) WHERE ((kind = 'outage'::text) AND (confirmations >= 2));

CREATE INDEX ing_cursor_event_namespace ON ONLY public.ing_cursor_event USING btree (namespace_id, event_id);

CREATE INDEX ing_cursor_event_2026_11_namespace_id_event_id_idx ON public.ing_cursor_event_2026_11 USING btree (namespace_id, event_id);

CREATE INDEX ing_cursor_event_2026_12_namespace_id_event_id_idx ON public.ing_cursor_event_2026_12 USING btree (namespace_id, event_id);

CREATE INDEX ing_cursor_event_default_namespace_id_event_id_idx ON public.ing_cursor_event_default USING btree (namespace_id, event_id);

CREATE INDEX rate_request_budget ON public.rate_request USING btree (budget);

CREATE INDEX row_revision_series ON public.row_revision USING btree (series_id, table_name, created_at);

CREATE INDEX series_state_capability ON public.series_state USING btree (cap_key, table_name);

ALTER INDEX public.ing_cursor_event_namespace ATTACH PARTITION public.ing_cursor_event_2026_11_namespace_id_event_id_idx;

ALTER INDEX public.ing_cursor_event_pkey ATTACH PARTITION public.ing_cursor_event_2026_11_pkey;

ALTER INDEX public.ing_cursor_event_namespace ATTACH PARTITION public.ing_cursor_event_2026_12_namespace_id_event_id_idx;

ALTER INDEX public.ing_cursor_event_pkey ATTACH PARTITION public.ing_cursor_event_2026_12_pkey;

ALTER INDEX public.ing_cursor_event_namespace ATTACH PARTITION public.ing_cursor_event_default_namespace_id_event_id_idx;

ALTER INDEX public.ing_cursor_event_pkey ATTACH PARTITION public.ing_cursor_event_default_pkey;

CREATE TRIGGER interest_rate_updated BEFORE UPDATE ON public.interest_rate FOR EACH ROW EXECUTE FUNCTION public.touch_updated_at();

CREATE TRIGGER ohlc_v2_updated BEFORE UPDATE ON public.ohlc_v2 FOR EACH ROW EXECUTE FUNCTION public.touch_updated_at();

CREATE TRIGGER product_updated BEFORE UPDATE ON public.product FOR EACH ROW EXECUTE FUNCTION public.touch_updated_at();

CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON public.ing_cursor_event FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

ALTER TABLE public.ing_cursor_event ENABLE ALWAYS TRIGGER refuse_change;

CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON public.ing_cursor_event FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

ALTER TABLE public.ing_cursor_event ENABLE ALWAYS TRIGGER refuse_truncate;

CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON public.ing_cursor_event_2026_11 FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

ALTER TABLE public.ing_cursor_event_2026_11 ENABLE ALWAYS TRIGGER refuse_truncate;

CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON public.ing_cursor_event_2026_12 FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

ALTER TABLE public.ing_cursor_event_2026_12 ENABLE ALWAYS TRIGGER refuse_truncate;

CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON public.ing_cursor_event_default FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

ALTER TABLE public.ing_cursor_event_default ENABLE ALWAYS TRIGGER refuse_truncate;

ALTER TABLE ONLY public.rate_grant
    ADD CONSTRAINT rate_grant_budget_fkey FOREIGN KEY (budget) REFERENCES public.rate_budget(budget);

ALTER TABLE ONLY public.rate_request
    ADD CONSTRAINT rate_request_budget_fkey FOREIGN KEY (budget) REFERENCES public.rate_budget(budget);

ALTER TABLE ONLY public.series_state
    ADD CONSTRAINT series_state_cap_key_fkey FOREIGN KEY (cap_key) REFERENCES public.capability_state(cap_key);

ALTER TABLE ONLY public.series_state
    ADD CONSTRAINT series_state_product_id_fkey FOREIGN KEY (product_id) REFERENCES public.product(product_id);

