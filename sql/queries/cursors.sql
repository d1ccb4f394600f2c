-- name: find_known
-- Which of these keys are recorded.
select known.key
from unnest(%(keys)s::text[], %(times)s::timestamptz[]) as known (key, recorded_at)
join ing_cursor_event as past on past.idempotent_key = known.key and past.recorded_at = known.recorded_at;

-- name: record
-- Append one event a page and move its cursor by compare-and-set. Says how many events are new, for a page whose key
-- was recorded before has none, and which pages lost (another writer moved the cursor: read again and decide again).
with judged as (
    -- One empty text alone becomes no element.
    select page.*, coalesce(page.key, '') as namespace_key, held.position as prev_position, held.token as prev_token,
           held.version, held.ctid as held_at,
           case when page.cursor_type = 'TOKEN' then 'token'
                when candidate > held.position and page.direction = 'FORWARD'
                     or candidate < held.position and page.direction = 'BACKFILL'
                     or held.version is null and candidate is not null then 'advanced'
                else 'no-forward' end as reason
    -- Texts come joined: neither side then spends longer on passing the pages than on recording them.
    from unnest(
        string_to_array(%(series_ids)s, chr(31)), string_to_array(%(operations)s, chr(31)),
        string_to_array(%(scopes)s, chr(31)), string_to_array(%(keys)s, chr(31)),
        string_to_array(%(directions)s, chr(31)), string_to_array(%(types)s, chr(31)),
        string_to_array(%(requests)s, chr(31), ''), string_to_array(%(idempotent_keys)s, chr(31)),
        %(candidates)s::bigint[], %(starts_ms)s::bigint[], %(ends_ms)s::bigint[], %(row_counts)s::integer[],
        %(numbers)s::integer[], %(recorded_ms)s::bigint[], %(tokens)s::text[]
    ) with ordinality as page (
        series_id, operation, namespace_scope, key, direction, cursor_type, request, idempotent_key,
        candidate, start_ms, end_ms, row_count, page_number, recorded_ms, token, ordinal
    )
    -- One at a time by its key: a plan made while there are few cursors would read them all.
    left join lateral (
        select position, token, version, ctid from ing_cursor
        where series_id = page.series_id and table_name = %(table_name)s and operation = page.operation
          and namespace_scope = page.namespace_scope and namespace_key = coalesce(page.key, '')
        limit 1
    ) as held on true
), moved as (
    update ing_cursor as held
    set position = candidate, token = judged.token, version = held.version + 1, updated_at = now()
    from judged
    where reason in ('advanced', 'token') and held.ctid = held_at and held.version = judged.version
    returning ordinal
), begun as (
    insert into ing_cursor (
        position, token, table_name, series_id, operation, namespace_scope, namespace_key, direction, cursor_type
    )
    select candidate, token, %(table_name)s, series_id, operation, namespace_scope, namespace_key, direction, cursor_type
    from judged where reason in ('advanced', 'token') and version is null
    on conflict do nothing
    returning series_id, operation, namespace_scope, namespace_key
), landed as (
    insert into ing_cursor_event (
        prev_position, new_position, prev_token, new_token, recorded_at, window_from, window_to, page_number, row_count,
        table_name, series_id, operation, namespace_scope, namespace_key, direction, cursor_type, reason,
        cap_key, run_id, lane, request, idempotent_key
    )
    select prev_position, case when reason = 'advanced' then candidate else prev_position end,
           prev_token, case when reason = 'token' then token else prev_token end,
           to_timestamp(recorded_ms / 1000::float8), to_timestamp(start_ms / 1000::float8),
           to_timestamp(end_ms / 1000::float8), page_number, row_count,
           %(table_name)s, series_id, operation, namespace_scope, namespace_key, direction, cursor_type, reason,
           %(cap_key)s, %(run_id)s, %(lane)s, request, idempotent_key
    from judged
    where reason = 'no-forward'
       or ordinal in (select ordinal from moved)
       or (series_id, operation, namespace_scope, namespace_key) in (select * from begun)
    on conflict do nothing
    returning 1
)
select (select count(*) from landed),
       array(
           select ordinal from judged
           where reason <> 'no-forward' and ordinal not in (select ordinal from moved)
             and (series_id, operation, namespace_scope, namespace_key) not in (select * from begun)
       );

-- name: ensure_months
-- Make the partitions of this month and of the next.
select ensure_ledger_month(%(now)s::timestamptz), ensure_ledger_month(%(now)s::timestamptz + interval '1 month');

-- name: read_value
-- Where a cursor stands.
select position, token from ing_cursor
where series_id = %(series_id)s and table_name = %(table_name)s and operation = %(operation)s
  and namespace_scope = %(scope)s and namespace_key = %(key)s;
