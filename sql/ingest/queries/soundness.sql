-- name: find_hollow_bars
-- Covered time of bars that no stored bar and no believable hole accounts for, and covered time in the future. A hole
-- is the vendor's word only until the moment when it was told, and only as far as one page of its can span. Where the
-- vendor does not say how many rows that has, none had more than are stored of the series now.
with covered as (
    select series_id, range_agg(tstzrange(start_time, end_time)) as time
    from series_data_range
    where table_name = '${table}' and (%(series_ids)s::text[] is null or series_id = any(%(series_ids)s::text[]))
    group by series_id
), told as (
    select series_id, range_agg(tstzrange(created_at, closed_at)) as time, count(*) as rows
    from ${table}
    where closed_at > created_at and (%(series_ids)s::text[] is null or series_id = any(%(series_ids)s::text[]))
    group by series_id
), empty as (
    select known.series_id, range_agg(tstzrange(known.start_time, known.end_time)) as time
    from coverage_evidence as known
    left join series_state as state on state.series_id = known.series_id and state.table_name = '${table}'
    left join capability_state as capability using (cap_key)
    left join told on told.series_id = known.series_id
    where known.table_name = '${table}' and known.kind = 'verified_empty'
      and (%(series_ids)s::text[] is null or known.series_id = any(%(series_ids)s::text[]))
      and known.end_time <= known.confirmed_at + %(tolerance)s::interval
      and known.end_time - known.start_time <= substring(known.series_id from '[^/]*$')::interval
          * least(%(most_rows)s, coalesce(capability.page_rows, greatest(%(presumed_rows)s, told.rows)))
    group by known.series_id
)
select series_id, case when lower(part) >= %(limit)s then 'future' else 'hollow' end,
       (date_part('epoch', lower(part)) * 1000)::bigint, (date_part('epoch', upper(part)) * 1000)::bigint
from (
    select covered.series_id, unnest(
        (covered.time - coalesce(told.time, '{}') - coalesce(empty.time, '{}')
         - tstzmultirange(tstzrange(%(limit)s, null)))
    ) as part
    from covered left join told using (series_id) left join empty using (series_id)
    union all
    select series_id, unnest(time * tstzmultirange(tstzrange(%(limit)s, null))) from covered
) as parts
order by series_id, part;

-- name: find_hollow_instants
-- Covered time of moments that begins before or ends after the stored ones inside it, or lies between two that are
-- further apart than one page can span, and covered time in the future.
with moments as (
    select series_id, created_at, lead(created_at) over series as next_at, count(*) over (partition by series_id) as rows
    from ${table}
    where %(series_ids)s::text[] is null or series_id = any(%(series_ids)s::text[])
    window series as (partition by series_id order by created_at)
), apart as (
    select moments.series_id, tstzrange(created_at + interval '1 ms', next_at) as time
    from moments
    left join series_state as state on state.series_id = moments.series_id and state.table_name = '${table}'
    left join capability_state as capability using (cap_key)
    where next_at - created_at - interval '1 ms' > %(long_interval)s::interval
          * least(%(most_rows)s, coalesce(capability.page_rows, greatest(%(presumed_rows)s, rows)))
)
select series_id, case when lower(part) >= %(limit)s then 'future' else 'hollow' end,
       (date_part('epoch', lower(part)) * 1000)::bigint, (date_part('epoch', upper(part)) * 1000)::bigint
from (
    select covered.series_id, unnest(
        tstzmultirange(tstzrange(start_time, end_time))
        - case when first_at is null then '{}'
               else tstzmultirange(tstzrange(first_at, last_at + interval '1 ms')) end
        - tstzmultirange(tstzrange(%(limit)s, null))
    ) as part
    from series_data_range as covered
    cross join lateral (
        select min(created_at) as first_at, max(created_at) as last_at from ${table} as stored
        where stored.series_id = covered.series_id and created_at >= start_time and created_at < end_time
    ) as inside
    where table_name = '${table}'
      and (%(series_ids)s::text[] is null or covered.series_id = any(%(series_ids)s::text[]))
    union all
    select covered.series_id, unnest(
        tstzmultirange(tstzrange(start_time, end_time) * apart.time) - tstzmultirange(tstzrange(%(limit)s, null))
    )
    from series_data_range as covered
    join apart on apart.series_id = covered.series_id and upper(apart.time) > start_time and lower(apart.time) < end_time
    where table_name = '${table}'
    union all
    select series_id, tstzrange(greatest(start_time, %(limit)s), end_time) from series_data_range
    where table_name = '${table}' and end_time > %(limit)s
      and (%(series_ids)s::text[] is null or series_id = any(%(series_ids)s::text[]))
) as parts
order by series_id, part;

-- name: find_early_outages
-- Outages that reach beyond the moment at which they were told: nobody could know of them.
select series_id, 'early', (date_part('epoch', start_time) * 1000)::bigint, (date_part('epoch', end_time) * 1000)::bigint
from coverage_evidence
where table_name = %(table_name)s and kind = 'outage' and end_time > confirmed_at + %(tolerance)s::interval
  and (%(series_ids)s::text[] is null or series_id = any(%(series_ids)s::text[]))
order by 1, 3;

-- name: find_misplaced_bars
-- Bars that can't be: from before or after their product's possible life, from the future or written before they
-- closed, or across another bar.
select stored.series_id, 'misplaced', (date_part('epoch', stored.created_at) * 1000)::bigint,
       (date_part('epoch', stored.closed_at) * 1000)::bigint
from series_state as state
join product using (product_id)
join ${table} as stored on stored.series_id = state.series_id
where state.table_name = '${table}'
  and (%(series_ids)s::text[] is null or state.series_id = any(%(series_ids)s::text[]))
  and (stored.created_at < greatest(%(first)s::timestamptz, listed_at - %(slack)s::interval)
       or stored.closed_at > %(limit)s - greatest(interval '0', now() - stored.updated_at)
       or stored.created_at > delisted_at + %(slack)s::interval)
union all
select series_id, 'across', (date_part('epoch', created_at) * 1000)::bigint,
       (date_part('epoch', closed_at) * 1000)::bigint
from (
    select series_id, created_at, closed_at, lead(created_at) over series as next_at,
           lag(closed_at) over series as before_at
    from ${table}
    where %(series_ids)s::text[] is null or series_id = any(%(series_ids)s::text[])
    window series as (partition by series_id order by created_at)
) as ordered
where next_at < closed_at or before_at > created_at
order by 1, 3;

-- name: find_misplaced_instants
-- Rows that can't be: from before or after their product's possible life, from the future or written before they
-- took effect.
select stored.series_id, 'misplaced', (date_part('epoch', stored.created_at) * 1000)::bigint,
       (date_part('epoch', stored.created_at) * 1000)::bigint + 1
from series_state as state
join product using (product_id)
join ${table} as stored on stored.series_id = state.series_id
where state.table_name = '${table}'
  and (%(series_ids)s::text[] is null or state.series_id = any(%(series_ids)s::text[]))
  and (stored.created_at < greatest(%(first)s::timestamptz, listed_at - %(slack)s::interval)
       or stored.created_at > %(limit)s - greatest(interval '0', now() - stored.updated_at)
       or stored.created_at > delisted_at + %(slack)s::interval)
order by 1, 3;

-- name: remove_ranges
-- Take all ranges of one series back; what stands of them is added again.
delete from series_data_range where table_name = %(table_name)s and series_id = %(series_id)s;

-- name: read_evidence
-- The holes and outages that claim time which is taken back.
select kind, (date_part('epoch', start_time) * 1000)::bigint, (date_part('epoch', end_time) * 1000)::bigint, request,
       response_digest, (date_part('epoch', observed_at) * 1000)::bigint,
       (date_part('epoch', confirmed_at) * 1000)::bigint, confirmations
from coverage_evidence
where table_name = %(table_name)s and series_id = %(series_id)s and kind in ('verified_empty', 'outage', 'quarantined');

-- name: remove_evidence
-- Take the holes and outages of one series back, and what was said of its start if that is in doubt.
delete from coverage_evidence
where table_name = %(table_name)s and series_id = %(series_id)s
  and (kind in ('verified_empty', 'outage', 'quarantined')
       or %(with_start)s and kind in ('pre_listing', 'beyond_retention'));

-- name: reset_state
-- Let a series be asked for again at once, and its start be proven anew if that is in doubt.
update series_state set
    head_eligible_at = null, start_eligible_at = null, gap_eligible_at = null, head_misses = 0, start_misses = 0,
    gap_misses = 0, last_page_span_ms = null,
    floor_time = case when not %(with_start)s then floor_time end,
    floor_kind = case when not %(with_start)s then floor_kind end,
    floor_grounds = case when %(with_start)s then '{}' else floor_grounds end,
    nothing_earlier_at = case when not %(with_start)s then nothing_earlier_at end,
    recheck_at = case when not %(with_start)s then recheck_at end
where table_name = %(table_name)s and series_id = %(series_id)s;

-- name: read_floor
-- The proven start of one series, if there is one.
select (date_part('epoch', floor_time) * 1000)::bigint from series_state
where table_name = %(table_name)s and series_id = %(series_id)s;
