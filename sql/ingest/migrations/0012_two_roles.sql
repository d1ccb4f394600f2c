-- Two roles: one owns the tables and migrates them, the other writes, and may only read and append to the ledger. What a
-- running lane needs of the owner goes through functions that run as the owner, on names that nobody can put others before.
-- And a digest of each closed month, so that an owner's change of the past is found.

create or replace function protect_ledger(partition_name regclass) returns void language plpgsql as $$
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

-- As before, and an archived month is not made again. Months of a clock that is far off are not made at all: their events
-- wait in the default partition.
create or replace function ensure_ledger_month(moment timestamptz) returns void
language plpgsql security definer
set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO' as $$
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

-- An archived default partition gives its name, and those of its indexes, to the one that follows it.
create function rename_archived_default() returns text language plpgsql as $$
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
select rename_archived_default();

-- The parts of the ledger: months and the default one, and what was archived. No two have one name.
create view ledger_part as
select replace(substr(relname, length('ing_cursor_event_') + 1), '_', '-') as month, oid::regclass as part,
       relnamespace = 'ledger_archive'::regnamespace as is_archived
from pg_class
where relkind = 'r' and relname like 'ing\_cursor\_event\_%' and (
    relnamespace = 'ledger_archive'::regnamespace
    or oid in (select inhrelid from pg_inherits where inhparent = 'ing_cursor_event'::regclass)
);

create table ledger_digest (
    month text collate "C" not null,
    after_id bigint not null,
    until_id bigint not null,
    events bigint not null,
    digest bytea not null,
    made_at timestamptz not null default now(),
    primary key (month, until_id),
    check (after_id < until_id and events > 0 and length(digest) = 32)
);
comment on table ledger_digest is 'what closed months held; an event that came later has a higher number, and a later digest';
comment on column ledger_digest.after_id is 'it covers the events numbered higher than this, and all up to until_id if 0';

-- The digest of a part's events of some numbers: of all their columns, in the order of their numbers. It is the same in
-- every version of Postgres, and wherever the part is kept. What the wire would carry is quicker to make than text.
create function digest_ledger(
    part regclass, after_id bigint, until_id bigint, out events bigint, out digest bytea
) language plpgsql stable
set search_path = pg_catalog, pg_temp set client_encoding = 'UTF8' set work_mem = '64MB' as $$
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
$$;

-- Close a month, if it has been over for a day, or any part that was archived: write down the digest of what no digest
-- covers yet. Its writers are waited for, so nobody has an event with a lower number still to commit.
create function close_ledger_month(wanted text) returns boolean
language plpgsql security definer
set search_path = pg_catalog, pg_temp set timezone = 'UTC' set client_encoding = 'UTF8' as $$
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
$$;

-- Move a partition to the archive, and close it there if it is over.
create function archive_ledger_part(
    gone regclass, moment timestamptz, out archived text, out events bigint, out copied bigint, out carried bigint
) language plpgsql as $$
begin
    select moved.archived, moved.events, moved.copied, moved.carried
    into archive_ledger_part.archived, archive_ledger_part.events, archive_ledger_part.copied, archive_ledger_part.carried
    from archive_ledger_partition(gone, moment) as moved;
    archived := coalesce(rename_archived_default(), archived);
    perform close_ledger_month(month) from ledger_part where part = gone;
end
$$;

-- Give a role what a writer needs and nothing more; what it has already is left as it is. Run by the owner.
create function admit_writer(writer name) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
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

revoke execute on function ensure_ledger_month, close_ledger_month, admit_writer, protect_ledger, archive_ledger_partition,
    archive_ledger_part, rename_archived_default from public;
