-- The ledger as it can be replayed: namespaces, idempotent keys, months that can be archived. Events are never changed;
-- the current values may be lost, and are made again from them.

alter table ing_cursor rename to plain_cursor;
alter table ing_cursor_event rename to plain_cursor_event;
alter table plain_cursor rename constraint ing_cursor_pkey to plain_cursor_pkey;
alter table plain_cursor_event rename constraint ing_cursor_event_pkey to plain_cursor_event_pkey;

-- The matrix of namespaces: a backfill has one of its own, so it can never touch the forward cursor.
create function is_namespace(operation text, scope text, direction text, cursor_type text) returns boolean
language sql immutable as $$
    select cursor_type in ('TIME', 'ID', 'TOKEN') and (
        (operation = 'HARVEST' and scope in ('GLOBAL', 'EXPR') and direction = 'FORWARD')
        or (operation = 'BACKFILL' and scope = 'CUSTOM' and direction = 'BACKFILL')
        or (operation = 'UPDATE' and scope = 'CUSTOM' and direction = 'FORWARD')
    )
$$;

-- One number a namespace, made from its names alone: verifying groups by it, replaying looks it up.
create function find_namespace_id(
    table_name text, series_id text, operation text, scope text, namespace_key text
) returns bigint language sql immutable as $$
    select hashtextextended(
        table_name || chr(31) || series_id || chr(31) || operation || chr(31) || scope || chr(31) || namespace_key, 0
    )
$$;

create sequence ing_cursor_event_id;

-- Fixed lengths come first, so that reading the numbers of a million events need not walk through their texts.
create table ing_cursor_event (
    event_id bigint not null default nextval('ing_cursor_event_id'),
    namespace_id bigint not null generated always as (
        find_namespace_id(table_name, series_id, operation, namespace_scope, namespace_key)
    ) stored,
    prev_position bigint,
    new_position bigint,
    recorded_at timestamptz not null,
    window_from timestamptz,
    window_to timestamptz,
    page_number integer,
    row_count integer,
    table_name text collate "C" not null,
    series_id text collate "C" not null,
    operation text collate "C" not null,
    namespace_scope text collate "C" not null,
    namespace_key text collate "C" not null,
    direction text collate "C" not null,
    cursor_type text collate "C" not null,
    reason text collate "C" not null check (reason in ('advanced', 'no-forward', 'token')),
    prev_token text,
    new_token text,
    cap_key text collate "C",
    run_id text,
    lane text,
    request text,
    idempotent_key text collate "C" not null,
    primary key (idempotent_key, recorded_at),
    constraint namespace_matrix check (is_namespace(operation, namespace_scope, direction, cursor_type)),
    constraint window_is_half_open check (window_from < window_to),
    constraint no_step_back check ((case reason
        when 'advanced' then cursor_type <> 'TOKEN' and new_position is not null and (
            prev_position is null
            or (direction = 'FORWARD' and new_position > prev_position)
            or (direction = 'BACKFILL' and new_position < prev_position)
        )
        when 'token' then cursor_type = 'TOKEN' and new_token is not null and new_position is null
        else new_position is not distinct from prev_position and new_token is not distinct from prev_token
    end) is true)
) partition by range (recorded_at);
create index ing_cursor_event_namespace on ing_cursor_event (namespace_id, event_id);
comment on table ing_cursor_event is 'append-only: no update, delete or truncate succeeds; old months are archived whole';
comment on column ing_cursor_event.new_position is 'epoch milliseconds (TIME) or an id (ID); tokens can''t be compared';
comment on column ing_cursor_event.idempotent_key is 'the same for every attempt to record one page';
comment on column ing_cursor_event.recorded_at is 'when the page was answered, so that a retried commit says the same';

create function refuse_change() returns trigger language plpgsql as $$
begin
    raise exception 'the ledger is append-only: % of % is refused', tg_op, tg_table_name
        using errcode = 'insufficient_privilege';
end
$$;

-- "always": not even a session that plays replica gets past it.
create function protect_ledger(partition_name regclass) returns void language plpgsql as $$
begin
    execute format('create trigger refuse_truncate before truncate on %s execute function refuse_change()', partition_name);
    execute format('alter table %s enable always trigger refuse_truncate', partition_name);
    execute format('alter table %s enable always trigger refuse_change', partition_name);
end
$$;

create trigger refuse_change before update or delete on ing_cursor_event
    for each row execute function refuse_change();
select protect_ledger('ing_cursor_event');

-- What falls into no month that was made in time.
create table ing_cursor_event_default partition of ing_cursor_event default;
select protect_ledger('ing_cursor_event_default');

-- Make the month of a moment, unless it is there, or events of it wait in the default partition already.
create function ensure_ledger_month(moment timestamptz) returns void language plpgsql as $$
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

create schema if not exists ledger_archive;
comment on schema ledger_archive is 'months of ing_cursor_event that no replay needs any more, as they were';

-- Move a whole partition to the archive, as protected as before, so that replaying what stays says the same. Two things
-- may be needed of it. Events are filed by when their page was answered, so one that follows an event that stays can be
-- in it: such are copied, under their numbers. Values that nothing else tells are written down once more.
create function archive_ledger_partition(
    gone regclass, moment timestamptz, out archived text, out events bigint, out copied bigint, out carried bigint
) language plpgsql as $$
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
            event_id, prev_position, new_position, prev_token, new_token, recorded_at, window_from, window_to,
            page_number, row_count, table_name, series_id, operation, namespace_scope, namespace_key, direction,
            cursor_type, reason, cap_key, run_id, lane, request, idempotent_key
        )
        select past.event_id, prev_position, new_position, prev_token, new_token, $1, window_from, window_to,
               page_number, row_count, table_name, series_id, operation, namespace_scope, namespace_key, direction,
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
            prev_position, new_position, prev_token, new_token, recorded_at, table_name, series_id, operation,
            namespace_scope, namespace_key, direction, cursor_type, reason, request, idempotent_key
        )
        select ended.position, ended.position, last.new_token, last.new_token, $1, table_name, series_id, operation,
               namespace_scope, namespace_key, direction, cursor_type, 'no-forward', 'carried from ' || $2,
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
$$;

create table ing_cursor (
    namespace_id bigint not null generated always as (
        find_namespace_id(table_name, series_id, operation, namespace_scope, namespace_key)
    ) stored,
    position bigint,
    version bigint not null default 1,
    updated_at timestamptz not null default now(),
    table_name text collate "C" not null,
    series_id text collate "C" not null,
    operation text collate "C" not null,
    namespace_scope text collate "C" not null,
    namespace_key text collate "C" not null,
    direction text collate "C" not null,
    cursor_type text collate "C" not null,
    token text,
    primary key (series_id, table_name, operation, namespace_scope, namespace_key),
    constraint namespace_matrix check (is_namespace(operation, namespace_scope, direction, cursor_type)),
    constraint has_value check ((cursor_type = 'TOKEN') = (token is not null) and (token is null) = (position is not null))
) with (fillfactor = 70);

select ensure_ledger_month(month)
from (
    select date_trunc('month', recorded_at at time zone 'UTC') at time zone 'UTC' as month from plain_cursor_event
    union select now() union select now() + interval '1 month'
) as needed;

insert into ing_cursor_event (
    prev_position, new_position, recorded_at, window_from, window_to, row_count, table_name, series_id, operation,
    namespace_scope, namespace_key, direction, cursor_type, reason, cap_key, run_id, request, idempotent_key
)
select (date_part('epoch', prev_value) * 1000)::bigint, (date_part('epoch', new_value) * 1000)::bigint, recorded_at,
       window_from, window_to, row_count, table_name, series_id, operation,
       case operation when 'HARVEST' then 'GLOBAL' else 'CUSTOM' end,
       case operation when 'HARVEST' then '' else 'history' end, direction, 'TIME', reason, cap_key, run_id,
       'time=' || (date_part('epoch', request_time) * 1000)::bigint, 'before-0007/' || event_id
from plain_cursor_event order by event_id;

insert into ing_cursor (
    position, updated_at, table_name, series_id, operation, namespace_scope, namespace_key, direction, cursor_type
)
select (date_part('epoch', value) * 1000)::bigint, updated_at, table_name, series_id, operation,
       case operation when 'HARVEST' then 'GLOBAL' else 'CUSTOM' end,
       case operation when 'HARVEST' then '' else 'history' end,
       case operation when 'HARVEST' then 'FORWARD' else 'BACKFILL' end, 'TIME'
from plain_cursor;

drop table plain_cursor, plain_cursor_event;

-- What a vendor changed after we had stored it: the values of the row before and since.
create table row_revision (
    revision_id bigint generated always as identity primary key,
    table_name text collate "C" not null,
    series_id text collate "C" not null,
    created_at timestamptz not null,
    old_value jsonb not null,
    new_value jsonb not null,
    seen_at timestamptz not null default now()
);
create index row_revision_series on row_revision (series_id, table_name, created_at);

-- A campaign fetches again what is stored in its window; its cursors say how far each of its series is. A row a table.
create table refresh_campaign (
    campaign_id text collate "C" not null,
    table_name text collate "C" not null,
    series_ids text[] not null check (cardinality(series_ids) > 0),
    window_from timestamptz not null,
    window_to timestamptz not null,
    begun_at timestamptz not null,
    finished_at timestamptz,
    revisions_after bigint not null,
    revisions_until bigint,
    primary key (campaign_id, table_name),
    check (window_from < window_to),
    check ((finished_at is null) = (revisions_until is null))
);
comment on column refresh_campaign.revisions_after is 'the last revision before it began: what follows was seen since';
