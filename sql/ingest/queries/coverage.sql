-- name: read
-- All that is accounted for, of some series or of all of a table: their ranges, and the evidence for what has no data.
-- That nothing is after the end was said of one delisting: it counts while the product is delisted, and not longer ago
-- than when it was said, or where nothing could be.
select series_id, 'data' as kind, (date_part('epoch', start_time) * 1000)::bigint,
       (date_part('epoch', end_time) * 1000)::bigint, null, null, null::bigint, null::bigint, null::integer
from series_data_range
where table_name = %(table_name)s and (%(series_ids)s::text[] is null or series_id = any(%(series_ids)s::text[]))
union all
select series_id, kind, (date_part('epoch', start_time) * 1000)::bigint, (date_part('epoch', end_time) * 1000)::bigint,
       request, response_digest, (date_part('epoch', observed_at) * 1000)::bigint,
       (date_part('epoch', confirmed_at) * 1000)::bigint, confirmations
from coverage_evidence as known
where table_name = %(table_name)s and (%(series_ids)s::text[] is null or series_id = any(%(series_ids)s::text[]))
  and (kind <> 'post_delisting' or exists (
      select from series_state as state join product using (product_id)
      where state.series_id = known.series_id and state.table_name = known.table_name
        and delisted_at <= greatest(known.start_time, known.confirmed_at)
  ));

-- name: find_last_event
-- The last event of a series in the ledger; each of its namespaces has one.
select max(last.event_id) from ing_cursor
cross join lateral (
    select event_id from ing_cursor_event as event
    where event.namespace_id = ing_cursor.namespace_id order by event_id desc limit 1
) as last
where series_id = %(series_id)s and table_name = %(table_name)s;
