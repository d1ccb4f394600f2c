-- The tables of this domain as its migrations make them, to be read. `make schema` writes them.
-- Owners and grants are left out: the owner migrates, and `admit_writer` says what the writer may.

CREATE SCHEMA ledger_archive;

COMMENT ON SCHEMA ledger_archive IS 'months of ing_cursor_event that no replay needs any more, as they were';

CREATE FUNCTION public.admit_writer(writer name) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    who regrole := quote_ident(writer)::regrole;
    thing record;
    names text;
begin
    create schema if not exists dagster;
    for thing in
        select nspname, case nspname when 'dagster' then '{CREATE,USAGE}' else '{USAGE}' end::text[] as wanted,
               array(
                   select privilege_type from aclexplode(nspacl) where grantee = who order by 1
               )::text[] as has
        from pg_namespace
        where nspname in ('public', 'ledger_archive', 'dagster') and pg_has_role(nspowner, 'USAGE')
    loop
        if thing.nspname = 'public' and has_schema_privilege('public', 'public', 'CREATE') then
            revoke create on schema public from public;
        end if;
        if thing.has <> thing.wanted then
            execute format('revoke all on schema %I from %s', thing.nspname, who);
            execute format('grant %s on schema %I to %s', array_to_string(thing.wanted, ', '), thing.nspname, who);
        end if;
    end loop;
    for thing in
        select *
        from (
            select oid::regclass as name, case relkind when 'S' then 'sequence' else 'table' end as kind, case
                       when relkind = 'S' then '{USAGE}'
                       when relnamespace = 'ledger_archive'::regnamespace
                            or oid in (
                                'public.ing_cursor_event'::regclass, 'public.ledger_digest'::regclass,
                                'public.schema_migration'::regclass
                            )
                            or oid in (select part from public.ledger_part) then '{SELECT}'
                       else '{DELETE,INSERT,SELECT,UPDATE}'
                   end::text[] as wanted,
                   array(
                       select privilege_type from aclexplode(relacl) where grantee = who order by 1
                   )::text[] as has
            from pg_class
            where relkind in ('r', 'p', 'v', 'S') and pg_has_role(relowner, 'USAGE') and relnamespace in (
                select oid from pg_namespace where nspname in ('public', 'ledger_archive', 'dagster')
            ) and not exists (
                select from pg_depend
                where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e'
            )
        ) as owned
        where has <> wanted
    loop
        execute format('revoke all on %s %s from %s', thing.kind, thing.name, who);
        execute format('grant %s on %s %s to %s', array_to_string(thing.wanted, ', '), thing.kind, thing.name, who);
    end loop;
    -- Into the ledger it inserts whatever it says of an event but its number, which only the sequence gives: one that it
    -- chose could look like an owner's change of a closed month.
    select string_agg(quote_ident(attname), ', ' order by attnum) into names
    from pg_attribute
    where attrelid = 'public.ing_cursor_event'::regclass and attnum > 0 and not attisdropped and attname <> 'event_id'
      and not exists (select from aclexplode(attacl) where grantee = who and privilege_type = 'INSERT');
    if names is not null then
        execute format('grant insert (%s) on public.ing_cursor_event to %s', names, who);
    end if;
    for thing in
        select oid::regprocedure as name from pg_proc
        where oid in (
            'public.ensure_ledger_month(timestamptz)'::regprocedure, 'public.close_ledger_month(text)'::regprocedure
        ) and not has_function_privilege(who, oid, 'EXECUTE')
    loop
        execute format('grant execute on function %s to %s', thing.name, who);
    end loop;
end
$$;

CREATE FUNCTION public.archive_ledger_part(gone regclass, moment timestamp with time zone, OUT archived text, OUT events bigint, OUT copied bigint, OUT carried bigint) RETURNS record
    LANGUAGE plpgsql
    AS $$
begin
    select moved.archived, moved.events, moved.copied, moved.carried
    into archive_ledger_part.archived, archive_ledger_part.events, archive_ledger_part.copied, archive_ledger_part.carried
    from archive_ledger_partition(gone, moment) as moved;
    archived := coalesce(rename_archived_default(), archived);
    perform close_ledger_month(month) from ledger_part where part = gone;
end
$$;

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

CREATE FUNCTION public.close_ledger_month(wanted text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET client_encoding TO 'UTF8'
    AS $_$
declare
    gone regclass;
    archived boolean;
    is_closed boolean;
    covered bigint;
    last_id bigint;
begin
    if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'a month is closed in read committed only: other snapshots may miss its last events';
    end if;
    select part, is_archived into gone, archived from public.ledger_part where month = wanted;
    is_closed := case
        when wanted ~ '^\d{4}-(0[1-9]|1[0-2])$'
            then clock_timestamp() > to_date(wanted, 'YYYY-MM')::timestamptz + interval '1 month 1 day'
        else archived
    end;
    if gone is null or is_closed is not true then
        return false;
    end if;
    execute format('lock table %s in share row exclusive mode', gone);
    select coalesce(max(until_id), 0) into covered from public.ledger_digest where month = wanted;
    execute format('select max(event_id) from %s', gone) into last_id;
    if last_id > covered then
        insert into public.ledger_digest (month, after_id, until_id, events, digest)
        select wanted, covered, last_id, made.events, made.digest
        from public.digest_ledger(gone, covered, last_id) as made;
        return found;
    end if;
    return false;
end
$_$;

CREATE FUNCTION public.digest_ledger(part regclass, after_id bigint, until_id bigint, OUT events bigint, OUT digest bytea) RETURNS record
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET client_encoding TO 'UTF8'
    SET work_mem TO '64MB'
    AS $_$
begin
    execute format($digest$
        select coalesce(sum(events), 0)::bigint, sha256(string_agg(digest, '' order by stretch))
        from (
            -- In stretches, because no text may be longer than 1 GB.
            select event_id >> 16 as stretch, count(*) as events,
                   sha256(string_agg(digest, '' order by event_id, digest)) as digest
            from (
                select event_id, sha256(record_send(row(
                    event_id, namespace_id, prev_position, new_position, prev_token, new_token, recorded_at,
                    window_from, window_to, page_number, row_count, table_name, series_id, operation,
                    namespace_scope, namespace_key, direction, cursor_type, reason, cap_key, run_id, lane, request,
                    idempotent_key
                ))) as digest
                from %s where event_id <= $2 and (event_id > $1 or $1 = 0)
            ) as event
            group by event_id >> 16
        ) as counted
    $digest$, part) into events, digest using after_id, until_id;
end
$_$;

CREATE FUNCTION public.ensure_ledger_month(moment timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO'
    AS $$
declare
    first timestamptz := date_trunc('month', moment);
    next timestamptz := date_trunc('month', moment) + interval '1 month';
    name text := 'ing_cursor_event_' || to_char(moment, 'YYYY_MM');
begin
    if (moment between '2000-01-01' and now() + interval '10 years') is not true
       or to_regclass('public.' || name) is not null or to_regclass('ledger_archive.' || name) is not null then
        return;
    end if;
    -- One at a time; who waited looks again.
    perform pg_advisory_xact_lock(hashtextextended('ensure_ledger_month', 0));
    if to_regclass('public.' || name) is not null
       or exists (
           select from public.ing_cursor_event_default where recorded_at >= first and recorded_at < next
       ) then
        return;
    end if;
    execute format(
        'create table public.%I partition of public.ing_cursor_event for values from (%L) to (%L)', name, first, next
    );
    perform public.protect_ledger(format('public.%I', name)::regclass);
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
declare
    reader text;
begin
    execute format(
        'create trigger refuse_truncate before truncate on %s execute function public.refuse_change()', partition_name
    );
    execute format('alter table %s enable always trigger refuse_truncate', partition_name);
    execute format('alter table %s enable always trigger refuse_change', partition_name);
    -- Who reads the ledger reads each part of it, also when it has left for the archive.
    for reader in
        select grantee::regrole from pg_class cross join aclexplode(relacl)
        where pg_class.oid = 'public.ing_cursor_event'::regclass and privilege_type = 'SELECT' and grantee <> 0
    loop
        execute format('grant select on %s to %s', partition_name, reader);
    end loop;
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

CREATE FUNCTION public.rename_archived_default() RETURNS text
    LANGUAGE plpgsql
    AS $$
declare
    gone regclass := to_regclass('ledger_archive.ing_cursor_event_default');
    name text;
    index regclass;
begin
    if gone is not null then
        select 'ing_cursor_event_default_' || coalesce(max(event_id), 0) into name
        from ledger_archive.ing_cursor_event_default;
        for index in select indexrelid from pg_index where indrelid = gone loop
            execute format('alter index %s rename to %I', index, name || '_' || index::oid);
        end loop;
        execute format('alter table %s rename to %I', gone, name);
    end if;
    return name;
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

CREATE TABLE public.ledger_digest (
    month text NOT NULL COLLATE pg_catalog."C",
    after_id bigint NOT NULL,
    until_id bigint NOT NULL,
    events bigint NOT NULL,
    digest bytea NOT NULL,
    made_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ledger_digest_check CHECK (((after_id < until_id) AND (events > 0) AND (length(digest) = 32)))
);

COMMENT ON TABLE public.ledger_digest IS 'what closed months held; an event that came later has a higher number, and a later digest';

COMMENT ON COLUMN public.ledger_digest.after_id IS 'it covers the events numbered higher than this, and all up to until_id if 0';

CREATE VIEW public.ledger_part AS
 SELECT replace(substr((relname)::text, (length('ing_cursor_event_'::text) + 1)), '_'::text, '-'::text) AS month,
    (oid)::regclass AS part,
    (relnamespace = ('ledger_archive'::regnamespace)::oid) AS is_archived
   FROM pg_class
  WHERE ((relkind = 'r'::"char") AND (relname ~~ 'ing\_cursor\_event\_%'::text) AND ((relnamespace = ('ledger_archive'::regnamespace)::oid) OR (oid IN ( SELECT pg_inherits.inhrelid
           FROM pg_inherits
          WHERE (pg_inherits.inhparent = ('public.ing_cursor_event'::regclass)::oid)))));

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
    start_eligible_at timestamp with time zone,
    start_misses integer DEFAULT 0 CONSTRAINT series_state_tail_misses_not_null NOT NULL,
    gap_eligible_at timestamp with time zone,
    gap_misses integer DEFAULT 0 NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    last_page_span_ms bigint,
    floor_time timestamp with time zone,
    floor_kind text,
    last_error text,
    last_success_at timestamp with time zone,
    shown_at timestamp with time zone,
    interval_ms bigint,
    floor_grounds text[] DEFAULT '{}'::text[] NOT NULL,
    nothing_earlier_at timestamp with time zone,
    recheck_at timestamp with time zone,
    new_rows bigint DEFAULT 0 NOT NULL,
    CONSTRAINT series_state_floor_kind_check CHECK ((floor_kind = ANY (ARRAY['listing'::text, 'retention'::text]))),
    CONSTRAINT series_state_interval_ms_check CHECK ((interval_ms > 0))
)
WITH (fillfactor='70');

COMMENT ON COLUMN public.series_state.shown_at IS 'when Dagster last got a partition event of this series; display only';

COMMENT ON COLUMN public.series_state.interval_ms IS 'the shortest time between the newest rates seen; null for bars';

COMMENT ON COLUMN public.series_state.floor_grounds IS 'what speaks for the start of the stored history being the start of all';

COMMENT ON COLUMN public.series_state.nothing_earlier_at IS 'when the vendor first answered that nothing is earlier';

COMMENT ON COLUMN public.series_state.recheck_at IS 'when the floor is to be verified again';

ALTER TABLE ONLY public.ing_cursor_event ATTACH PARTITION public.ing_cursor_event_default DEFAULT;

ALTER TABLE ONLY public.capability_state
    ADD CONSTRAINT capability_state_pkey PRIMARY KEY (cap_key);

ALTER TABLE ONLY public.coverage_evidence
    ADD CONSTRAINT coverage_evidence_pkey PRIMARY KEY (series_id, table_name, start_time, kind);

ALTER TABLE ONLY public.ing_cursor_event
    ADD CONSTRAINT ing_cursor_event_pkey PRIMARY KEY (idempotent_key, recorded_at);

ALTER TABLE ONLY public.ing_cursor_event_default
    ADD CONSTRAINT ing_cursor_event_default_pkey PRIMARY KEY (idempotent_key, recorded_at);

ALTER TABLE ONLY public.ing_cursor
    ADD CONSTRAINT ing_cursor_pkey PRIMARY KEY (series_id, table_name, operation, namespace_scope, namespace_key);

ALTER TABLE ONLY public.interest_rate
    ADD CONSTRAINT interest_rate_pkey PRIMARY KEY (series_id, created_at);

ALTER TABLE ONLY public.ledger_digest
    ADD CONSTRAINT ledger_digest_pkey PRIMARY KEY (month, until_id);

ALTER TABLE ONLY public.ohlc_v2
    ADD CONSTRAINT ohlc_v2_pkey PRIMARY KEY (series_id, created_at);

ALTER TABLE ONLY public.product
    ADD CONSTRAINT product_pkey PRIMARY KEY (product_id);

ALTER TABLE ONLY public.rate_budget
    ADD CONSTRAINT rate_budget_pkey PRIMARY KEY (budget);

ALTER TABLE ONLY public.rate_request
    ADD CONSTRAINT rate_request_pkey PRIMARY KEY (request_id);

ALTER TABLE ONLY public.refresh_campaign
    ADD CONSTRAINT refresh_campaign_pkey PRIMARY KEY (campaign_id, table_name);

ALTER TABLE ONLY public.row_revision
    ADD CONSTRAINT row_revision_pkey PRIMARY KEY (revision_id);

ALTER TABLE ONLY public.series_data_range
    ADD CONSTRAINT series_data_range_pkey PRIMARY KEY (series_id, table_name, start_time, end_time);

ALTER TABLE ONLY public.series_state
    ADD CONSTRAINT series_state_pkey PRIMARY KEY (series_id, table_name);

CREATE INDEX coverage_evidence_outage ON public.coverage_evidence USING btree (table_name, series_id) WHERE ((kind = 'outage'::text) AND (confirmations >= 2));

CREATE INDEX ing_cursor_event_namespace ON ONLY public.ing_cursor_event USING btree (namespace_id, event_id);

CREATE INDEX ing_cursor_event_default_namespace_id_event_id_idx ON public.ing_cursor_event_default USING btree (namespace_id, event_id);

CREATE INDEX rate_request_budget ON public.rate_request USING btree (budget);

CREATE INDEX row_revision_series ON public.row_revision USING btree (series_id, table_name, created_at);

CREATE INDEX series_state_capability ON public.series_state USING btree (cap_key, table_name);

ALTER INDEX public.ing_cursor_event_namespace ATTACH PARTITION public.ing_cursor_event_default_namespace_id_event_id_idx;

ALTER INDEX public.ing_cursor_event_pkey ATTACH PARTITION public.ing_cursor_event_default_pkey;

CREATE TRIGGER interest_rate_updated BEFORE UPDATE ON public.interest_rate FOR EACH ROW EXECUTE FUNCTION public.touch_updated_at();

CREATE TRIGGER ohlc_v2_updated BEFORE UPDATE ON public.ohlc_v2 FOR EACH ROW EXECUTE FUNCTION public.touch_updated_at();

CREATE TRIGGER product_updated BEFORE UPDATE ON public.product FOR EACH ROW EXECUTE FUNCTION public.touch_updated_at();

CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON public.ing_cursor_event FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

ALTER TABLE public.ing_cursor_event ENABLE ALWAYS TRIGGER refuse_change;

CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON public.ing_cursor_event FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

ALTER TABLE public.ing_cursor_event ENABLE ALWAYS TRIGGER refuse_truncate;

CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON public.ing_cursor_event_default FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();

ALTER TABLE public.ing_cursor_event_default ENABLE ALWAYS TRIGGER refuse_truncate;

ALTER TABLE ONLY public.rate_request
    ADD CONSTRAINT rate_request_budget_fkey FOREIGN KEY (budget) REFERENCES public.rate_budget(budget);

ALTER TABLE ONLY public.series_state
    ADD CONSTRAINT series_state_cap_key_fkey FOREIGN KEY (cap_key) REFERENCES public.capability_state(cap_key);

ALTER TABLE ONLY public.series_state
    ADD CONSTRAINT series_state_product_id_fkey FOREIGN KEY (product_id) REFERENCES public.product(product_id);
