-- name: take_time
-- Let this transaction work as long as it must, but not hold writers up by waiting long for a lock before them.
select set_config('statement_timeout', '0', true), set_config('lock_timeout', '30s', true);

-- name: verify
-- Compare every namespace's current value with what its events say; the totals, and a row a problem, worst first.
-- Nothing is sorted by event: in a whole chain each position but the last is left as often as it is reached, so the
-- hashes of those reached less those of what was left are the last one's, and less the first's if older ones are archived.
-- Only where they are not the current value's, and events are archived, a namespace's events are looked at once more.
-- Events (null to 5), (5 to 9), (9 to 12): reached less left is h(5) + h(9) + h(12) - h(5) - h(9) = h(12), and the cursor
-- stands at 12: whole. Without the second it is h(5) + h(12) - h(9), which is no position's: the chain is broken. With
-- the first one archived it is h(12) - h(5): whole less what the oldest event left.
with told as materialized (
    select namespace_id, count(*) as events,
           coalesce(sum(hashint8(new_position)), 0) - coalesce(sum(hashint8(prev_position)), 0) as remains,
           max(new_position) as highest, min(new_position) as lowest
    from ing_cursor_event group by namespace_id
), known as (
    select namespace_id, table_name, series_id, operation, namespace_scope, namespace_key, direction, cursor_type,
           position, token, true as is_held
    from ing_cursor
    union all
    select last.namespace_id, last.table_name, last.series_id, last.operation, last.namespace_scope, last.namespace_key,
           last.direction, last.cursor_type, null, null, false
    from told cross join lateral (
        select * from ing_cursor_event as event where event.namespace_id = told.namespace_id
        order by event_id desc limit 1
    ) as last
    where not exists (select from ing_cursor as held where held.namespace_id = told.namespace_id)
), tokens as (
    select known.namespace_id, linked.*
    from known cross join lateral (
        select (array_agg(new_token order by event_id desc))[1] as told_token,
               bool_or(prev_token is distinct from before and before is not null) as is_broken
        from (
            select event_id, prev_token, new_token, lag(new_token) over (order by event_id) as before
            from ing_cursor_event as event where event.namespace_id = known.namespace_id
        ) as event
    ) as linked
    where known.cursor_type = 'TOKEN'
), followed as (
    select known.*, coalesce(events, 0) as events, remains, highest, lowest,
           coalesce(remains = hashint8(position) or has_archive and remains = hashint8(position)::bigint - hashint8((
               select prev_position from ing_cursor_event as event
               where event.namespace_id = known.namespace_id and prev_position <> new_position
               order by event_id limit 1
           )), false) as is_whole, has_archive
    from known left join told using (namespace_id) cross join (
        select exists (select from pg_class where relnamespace = 'ledger_archive'::regnamespace and relkind = 'r')
    ) as archive (has_archive)
    where %(table_name)s::text is null or table_name = %(table_name)s
), compared as (
    select followed.*, told_token, tokens.is_broken as is_token_broken,
           case when is_whole then position when direction = 'FORWARD' then highest else lowest end as told_position,
           case direction when 'FORWARD' then lowest_left else highest_left end as first_left
    from followed left join tokens using (namespace_id) cross join lateral (
        select min(prev_position) as lowest_left, max(prev_position) as highest_left
        from ing_cursor_event as event
        where event.namespace_id = followed.namespace_id and prev_position <> new_position
          and not is_whole and has_archive
    ) as looked_at
), judged as materialized (
    select *,
           case when told_position is null and told_token is null then case when is_held then 'orphan' else 'fine' end
                when not is_held then 'lost'
                when position is distinct from told_position or token is distinct from told_token then 'differs'
                else 'fine' end as state,
           coalesce(is_token_broken, not is_whole and remains <> hashint8(told_position) and not (
               has_archive
               and remains = hashint8(told_position)::bigint - hashint8(coalesce(first_left, told_position))
           ), false)
           or namespace_id <> find_namespace_id(table_name, series_id, operation, namespace_scope, namespace_key)
           as is_broken
    from compared
)
select totals.namespaces, totals.events, table_name, series_id, operation, namespace_scope, namespace_key, cursor_type,
       state, is_broken, problem.events, position, token, told_position, told_token
from (select count(*) as namespaces, coalesce(sum(events), 0)::bigint as events from judged) as totals
left join (select * from judged where state <> 'fine' or is_broken) as problem on true
order by abs(position - told_position) desc nulls last, series_id, table_name, operation, namespace_scope, namespace_key;

-- name: lock_cursors
-- Let no one else write current values until the transaction ends; reading goes on.
lock table ing_cursor in share row exclusive mode;

-- name: repair
-- Make the current values what the events say, for the namespaces that `verify` found to have another or none.
with wrong as (
    select * from json_to_recordset(%(problems)s::json) as wrong (
        table_name text, series_id text, operation text, namespace_scope text, namespace_key text, direction text,
        cursor_type text, position bigint, token text, state text
    )
), removed as (
    delete from ing_cursor as held using wrong
    where state = 'orphan' and held.series_id = wrong.series_id and held.table_name = wrong.table_name
      and held.operation = wrong.operation and held.namespace_scope = wrong.namespace_scope
      and held.namespace_key = wrong.namespace_key
      -- One with a wrong number has no events, and its events have no value: it is put right below.
      and (held.table_name, held.series_id, held.operation, held.namespace_scope, held.namespace_key) not in (
          select table_name, series_id, operation, namespace_scope, namespace_key from wrong where state = 'lost'
      )
)
insert into ing_cursor as held (
    namespace_id, position, token, table_name, series_id, operation, namespace_scope, namespace_key, direction, cursor_type
)
select find_namespace_id(table_name, series_id, operation, namespace_scope, namespace_key), position, token, table_name,
       series_id, operation, namespace_scope, namespace_key, direction, cursor_type
from wrong where state in ('lost', 'differs')
on conflict (series_id, table_name, operation, namespace_scope, namespace_key) do update
set namespace_id = excluded.namespace_id, position = excluded.position, token = excluded.token,
    version = held.version + 1, updated_at = now();

-- name: list_cursors
-- Current values, of some series or of all, of one operation or of all.
select held.table_name, held.series_id, operation, namespace_scope, namespace_key, cursor_type, position, token, version,
       (date_part('epoch', updated_at) * 1000)::bigint
from ing_cursor as held
where (%(operation)s::text is null or operation = %(operation)s)
  and (%(series_ids)s::text[] is null or (held.table_name, held.series_id) in (
      select * from unnest(%(table_names)s::text[], %(series_ids)s::text[])
  ))
order by held.series_id, held.table_name, operation desc, namespace_key;

-- name: read_events
-- A namespace's events in their order: what a replay reads, and nothing else.
select event_id, reason, prev_position, prev_token, new_position, new_token, cursor_type
from ing_cursor_event
where namespace_id = find_namespace_id(%(table_name)s, %(series_id)s, %(operation)s, %(scope)s, %(key)s)
order by event_id;

-- name: has_archive
-- Whether events were ever archived, so that namespaces may begin in the middle.
select exists (select from pg_class where relnamespace = 'ledger_archive'::regnamespace and relkind = 'r');

-- name: lock_events
-- Let no one else see or write events until the transaction ends: partitions are about to leave.
lock table ing_cursor_event in access exclusive mode;

-- name: list_old_partitions
-- The partitions that hold nothing from a moment on: whole months, and the default one if all in it is older.
select child.oid::regclass::text
from pg_inherits join pg_class as child on child.oid = inhrelid
where inhparent = 'ing_cursor_event'::regclass and case child.relname
    when 'ing_cursor_event_default' then exists (select from ing_cursor_event_default)
        and not exists (select from ing_cursor_event_default where recorded_at >= %(before)s)
    else right(child.relname, 7) collate "C" < to_char(%(before)s::timestamptz at time zone 'UTC', 'YYYY_MM')
end
order by child.relname;

-- name: archive_partition
-- Move one partition to the archive; says how many events it has, and how many were appended to what stays.
select archived, events, copied, carried from archive_ledger_part(%(partition)s::regclass, %(now)s);
