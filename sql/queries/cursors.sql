-- name: record
-- Append one event a page and move its cursor by compare-and-set. Says of each page: landed, known (its key was
-- recorded before), or lost (another writer moved the cursor meanwhile: read again and decide again).
with page as (
    select * from unnest(
        %(ordinals)s::integer[], %(series_ids)s::text[], %(operations)s::text[], %(scopes)s::text[], %(keys)s::text[],
        %(directions)s::text[], %(types)s::text[], %(candidates)s::bigint[], %(tokens)s::text[],
        %(window_froms)s::timestamptz[], %(window_tos)s::timestamptz[], %(requests)s::text[], %(row_counts)s::integer[],
        %(page_numbers)s::integer[], %(recorded)s::timestamptz[], %(idempotent_keys)s::text[]
    ) as page (
        ordinal, series_id, operation, namespace_scope, namespace_key, direction, cursor_type, candidate, token,
        window_from, window_to, request, row_count, page_number, recorded_at, idempotent_key
    )
), judged as (
    select page.*, held.position as prev_position, held.token as prev_token, held.version,
           case when page.cursor_type = 'TOKEN' then 'token'
                when candidate > held.position and page.direction = 'FORWARD'
                     or candidate < held.position and page.direction = 'BACKFILL'
                     or held.version is null and candidate is not null then 'advanced'
                else 'no-forward' end as reason
    from page
    left join ing_cursor as held
         on held.series_id = page.series_id and held.table_name = %(table_name)s and held.operation = page.operation
        and held.namespace_scope = page.namespace_scope and held.namespace_key = page.namespace_key
), known as (
    select ordinal from page join ing_cursor_event as past
         on past.idempotent_key = page.idempotent_key and past.recorded_at = page.recorded_at
), moving as (
    select * from judged where reason <> 'no-forward' and ordinal not in (select ordinal from known)
), moved as (
    update ing_cursor as held
    set position = moving.candidate, token = moving.token, version = held.version + 1, updated_at = now()
    from moving
    where held.series_id = moving.series_id and held.table_name = %(table_name)s
      and held.operation = moving.operation and held.namespace_scope = moving.namespace_scope
      and held.namespace_key = moving.namespace_key and held.version = moving.version
    returning moving.ordinal
), begun as (
    insert into ing_cursor (
        position, token, table_name, series_id, operation, namespace_scope, namespace_key, direction, cursor_type
    )
    select candidate, token, %(table_name)s, series_id, operation, namespace_scope, namespace_key, direction, cursor_type
    from moving where version is null
    on conflict do nothing
    returning series_id, operation, namespace_scope, namespace_key
), settled as (
    select * from judged
    where ordinal not in (select ordinal from known) and (
        reason = 'no-forward'
        or ordinal in (select ordinal from moved)
        or (series_id, operation, namespace_scope, namespace_key) in (select * from begun)
    )
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
    from settled order by ordinal
    on conflict do nothing
    returning idempotent_key
)
select ordinal, case when ordinal in (select ordinal from known) then 'known'
                     when idempotent_key in (select idempotent_key from landed) then 'landed'
                     else 'lost' end
from page;

-- name: ensure_months
-- Make the partitions of this month and of the next.
select ensure_ledger_month(%(now)s::timestamptz), ensure_ledger_month(%(now)s::timestamptz + interval '1 month');

-- name: read_value
-- Where a cursor stands.
select position, token from ing_cursor
where series_id = %(series_id)s and table_name = %(table_name)s and operation = %(operation)s
  and namespace_scope = %(scope)s and namespace_key = %(key)s;
