-- name: record
-- Append one event a page and advance its cursor; a harvest advances towards now, a backfill towards the past.
with page as (
    select * from unnest(
        %(series_ids)s::text[], %(operations)s::text[], %(window_froms)s::timestamptz[], %(window_tos)s::timestamptz[],
        %(request_times)s::timestamptz[], %(row_counts)s::integer[]
    ) as page (series_id, operation, window_from, window_to, request_time, row_count)
), judged as (
    select page.*, ing_cursor.value as prev_value,
           case page.operation when 'HARVEST' then window_to else window_from end as candidate,
           case page.operation when 'HARVEST' then 'FORWARD' else 'BACKFILL' end as direction
    from page left join ing_cursor
         on ing_cursor.series_id = page.series_id and ing_cursor.table_name = %(table_name)s
        and ing_cursor.operation = page.operation
), decided as (
    select *, candidate is not null and (
        prev_value is null
        or (direction = 'FORWARD' and candidate > prev_value)
        or (direction = 'BACKFILL' and candidate < prev_value)
    ) as advanced from judged
), moved as (
    insert into ing_cursor (series_id, table_name, operation, value)
    select series_id, %(table_name)s, operation, candidate from decided where advanced
    on conflict (series_id, table_name, operation) do update set value = excluded.value, updated_at = now()
    where case excluded.operation
        when 'HARVEST' then excluded.value > ing_cursor.value else excluded.value < ing_cursor.value end
)
insert into ing_cursor_event (
    series_id, table_name, operation, direction, prev_value, new_value, window_from, window_to, reason,
    cap_key, run_id, request_time, row_count
)
select series_id, %(table_name)s, operation, direction, prev_value,
       case when advanced then candidate else prev_value end, window_from, window_to,
       case when advanced then 'advanced' else 'no-forward' end,
       %(cap_key)s, %(run_id)s, request_time, row_count
from decided;
