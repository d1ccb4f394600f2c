-- name: find_overlapping
-- The evidence that pages' time overlaps.
select known.series_id, kind, (date_part('epoch', known.start_time) * 1000)::bigint,
       (date_part('epoch', known.end_time) * 1000)::bigint, request, response_digest,
       (date_part('epoch', observed_at) * 1000)::bigint, (date_part('epoch', confirmed_at) * 1000)::bigint, confirmations
from unnest(%(series_ids)s::text[], %(starts)s::timestamptz[], %(ends)s::timestamptz[])
     as page (series_id, start_time, end_time)
join coverage_evidence as known
     on known.series_id = page.series_id and known.table_name = %(table_name)s
    and known.start_time < page.end_time and known.end_time > page.start_time;

-- name: remove
-- Take evidence back.
delete from coverage_evidence as known
using unnest(%(series_ids)s::text[], %(kinds)s::text[], %(starts)s::timestamptz[]) as outdated (series_id, kind, start_time)
where known.series_id = outdated.series_id and known.table_name = %(table_name)s and known.kind = outdated.kind
  and known.start_time = outdated.start_time;

-- name: record
-- Add evidence. The same stretch again is a confirmation, if enough time lies between; a longer one replaces it.
insert into coverage_evidence as known (
    series_id, table_name, kind, start_time, end_time, request, response_digest, observed_at, confirmed_at, confirmations
)
select distinct on (series_id, kind, start_time)
       series_id, %(table_name)s, kind, start_time, end_time, request, digest, observed_at, confirmed_at, confirmations
from unnest(
    %(series_ids)s::text[], %(kinds)s::text[], %(starts)s::timestamptz[], %(ends)s::timestamptz[], %(requests)s::text[],
    %(digests)s::text[], %(observed)s::timestamptz[], %(confirmed)s::timestamptz[], %(confirmations)s::integer[]
) as new (series_id, kind, start_time, end_time, request, digest, observed_at, confirmed_at, confirmations)
order by series_id, kind, start_time, end_time desc
on conflict (series_id, table_name, start_time, kind) do update set
    end_time = excluded.end_time,
    request = excluded.request,
    response_digest = excluded.response_digest,
    observed_at = case when known.end_time = excluded.end_time then known.observed_at else excluded.observed_at end,
    confirmed_at = case
        when known.end_time <> excluded.end_time
             or excluded.confirmed_at - known.confirmed_at >= make_interval(secs => %(apart_ms)s / 1000.0)
        then excluded.confirmed_at else known.confirmed_at end,
    confirmations = case
        when known.end_time <> excluded.end_time then excluded.confirmations
        when excluded.confirmed_at - known.confirmed_at >= make_interval(secs => %(apart_ms)s / 1000.0)
        then known.confirmations + 1 else known.confirmations end;
