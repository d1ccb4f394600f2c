-- name: find_known
-- Which of these keys are recorded.
select known.key
from unnest(%(keys)s::text[], %(times)s::timestamptz[]) as known (key, recorded_at)
join ing_cursor_event as past on past.idempotent_key = known.key and past.recorded_at = known.recorded_at;

-- name: record
-- Append one event a page and move its cursor by compare-and-set; fails if a page's key was recorded before. Says how
-- many events there are, and which pages lost (another writer moved the cursor: read again and decide again).
with given as materialized (
    -- Texts come joined: neither side then spends longer on passing the pages than on recording them. And a plan that
    -- does not see how many there are need not be made anew each time.
    select string_to_array(%(series_ids)s, chr(31)) as series_ids,
           string_to_array(%(operations)s, chr(31)) as operations,
           string_to_array(%(scopes)s, chr(31)) as scopes, string_to_array(%(keys)s, chr(31)) as keys,
           string_to_array(%(directions)s, chr(31)) as directions, string_to_array(%(types)s, chr(31)) as types,
           string_to_array(%(requests)s, chr(31), '') as requests,
           string_to_array(%(idempotent_keys)s, chr(31)) as idempotent_keys,
           %(candidates)s::bigint[] as candidates, %(starts_ms)s::bigint[] as starts_ms,
           %(ends_ms)s::bigint[] as ends_ms, %(row_counts)s::integer[] as row_counts,
           %(numbers)s::integer[] as numbers, %(recorded_ms)s::bigint[] as recorded_ms, %(tokens)s::text[] as tokens
), judged as (
    -- One empty text alone becomes no element.
    select page.*, coalesce(page.key, '') as namespace_key,
           find_namespace_id(
               %(table_name)s, page.series_id, page.operation, page.namespace_scope, coalesce(page.key, '')
           ) as namespace_id,
           held.position as prev_position, held.token as prev_token, held.version, held.ctid as held_at,
           case when page.cursor_type = 'TOKEN' then 'token'
                when candidate > held.position and page.direction = 'FORWARD'
                     or candidate < held.position and page.direction = 'BACKFILL'
                     or held.version is null and candidate is not null then 'advanced'
                else 'no-forward' end as reason
    from given cross join lateral unnest(
        series_ids, operations, scopes, keys, directions, types, requests, idempotent_keys, candidates, starts_ms,
        ends_ms, row_counts, numbers, given.recorded_ms, tokens
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
        namespace_id, position, token, table_name, series_id, operation, namespace_scope, namespace_key, direction,
        cursor_type
    )
    select namespace_id, candidate, token, %(table_name)s, series_id, operation, namespace_scope, namespace_key,
           direction, cursor_type
    from judged where reason in ('advanced', 'token') and version is null
    on conflict do nothing
    returning namespace_id
), landed as (
    insert into ing_cursor_event (
        namespace_id, prev_position, new_position, prev_token, new_token, recorded_at, window_from, window_to,
        page_number, row_count, table_name, series_id, operation, namespace_scope, namespace_key, direction,
        cursor_type, reason, cap_key, run_id, lane, request, idempotent_key
    )
    select namespace_id, prev_position, case when reason = 'advanced' then candidate else prev_position end,
           prev_token, case when reason = 'token' then token else prev_token end,
           to_timestamp(recorded_ms / 1000::float8), to_timestamp(start_ms / 1000::float8),
           to_timestamp(end_ms / 1000::float8), page_number, row_count,
           %(table_name)s, series_id, operation, namespace_scope, namespace_key, direction, cursor_type, reason,
           %(cap_key)s, %(run_id)s, %(lane)s, request, idempotent_key
    from judged
    where reason = 'no-forward'
       or ordinal in (select ordinal from moved)
       or version is null and namespace_id in (select namespace_id from begun)
    returning 1
)
select (select count(*) from landed),
       array(
           select ordinal from judged
           where reason <> 'no-forward' and ordinal not in (select ordinal from moved)
             and (version is not null or namespace_id not in (select namespace_id from begun))
       );

-- name: ensure_months
-- Make the partitions of this month and of the next.
select ensure_ledger_month(%(now)s::timestamptz), ensure_ledger_month(%(now)s::timestamptz + interval '1 month');

-- name: read_value
-- Where a cursor stands.
select position, token from ing_cursor
where series_id = %(series_id)s and table_name = %(table_name)s and operation = %(operation)s
  and namespace_scope = %(scope)s and namespace_key = %(key)s;
