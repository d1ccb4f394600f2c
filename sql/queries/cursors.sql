-- name: record
-- Append one event a page and move its cursor by compare-and-set. Says of each page: landed, known (its key was
-- recorded before), or lost (another writer moved the cursor meanwhile: read again and decide again).
with judged as (
    select page.*, held.position as prev_position, held.token as prev_token, held.version, held.ctid as held_at,
           case when past.is_known then 'known'
                when page.cursor_type = 'TOKEN' then 'token'
                when candidate > held.position and page.direction = 'FORWARD'
                     or candidate < held.position and page.direction = 'BACKFILL'
                     or held.version is null and candidate is not null then 'advanced'
                else 'no-forward' end as reason
    from rows from (json_to_recordset(%(steps)s::json) as (
        series_id text, operation text, namespace_scope text, namespace_key text, direction text, cursor_type text,
        candidate bigint, token text, window_from timestamptz, window_to timestamptz, request text, row_count integer,
        page_number integer, recorded_at timestamptz, idempotent_key text
    )) with ordinality as page (
        series_id, operation, namespace_scope, namespace_key, direction, cursor_type,
        candidate, token, window_from, window_to, request, row_count, page_number, recorded_at, idempotent_key, ordinal
    )
    left join ing_cursor as held
         on held.series_id = page.series_id and held.table_name = %(table_name)s and held.operation = page.operation
        and held.namespace_scope = page.namespace_scope and held.namespace_key = page.namespace_key
    left join lateral (
        select true as is_known from ing_cursor_event as past
        where past.idempotent_key = page.idempotent_key and past.recorded_at = page.recorded_at
        limit 1
    ) as past on true
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
           recorded_at, window_from, window_to, page_number, row_count,
           %(table_name)s, series_id, operation, namespace_scope, namespace_key, direction, cursor_type, reason,
           %(cap_key)s, %(run_id)s, %(lane)s, request, idempotent_key
    from judged
    where reason = 'no-forward'
       or ordinal in (select ordinal from moved)
       or (series_id, operation, namespace_scope, namespace_key) in (select * from begun)
    on conflict do nothing
    returning idempotent_key
)
select case when reason = 'known' then 'known'
            when idempotent_key in (select idempotent_key from landed) then 'landed'
            else 'lost' end
from judged order by ordinal;

-- name: ensure_months
-- Make the partitions of this month and of the next.
select ensure_ledger_month(%(now)s::timestamptz), ensure_ledger_month(%(now)s::timestamptz + interval '1 month');

-- name: read_value
-- Where a cursor stands.
select position, token from ing_cursor
where series_id = %(series_id)s and table_name = %(table_name)s and operation = %(operation)s
  and namespace_scope = %(scope)s and namespace_key = %(key)s;
