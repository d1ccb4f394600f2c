-- name: read_facts
-- What the planner knows of the active series of a table, or of some, or of one capability: union, nearest gap,
-- attempts, floor, product's life.
select state.series_id, state.cap_key,
       (date_part('epoch', covered.start_time) * 1000)::bigint, (date_part('epoch', covered.end_time) * 1000)::bigint,
       (date_part('epoch', case when open_gap.series_id is null then covered.gap_start else open_gap.gap_start end)
        * 1000)::bigint,
       (date_part('epoch', case when open_gap.series_id is null then covered.gap_end else open_gap.gap_end end)
        * 1000)::bigint,
       (date_part('epoch', head_attempted_at) * 1000)::bigint, (date_part('epoch', head_eligible_at) * 1000)::bigint,
       head_misses,
       (date_part('epoch', tail_attempted_at) * 1000)::bigint, (date_part('epoch', start_eligible_at) * 1000)::bigint,
       start_misses, (date_part('epoch', gap_eligible_at) * 1000)::bigint, gap_misses, failures, last_page_span_ms,
       (date_part('epoch', floor_time) * 1000)::bigint, floor_kind,
       (date_part('epoch', listed_at) * 1000)::bigint, (date_part('epoch', delisted_at) * 1000)::bigint,
       (date_part('epoch', shown_at) * 1000)::bigint, interval_ms, floor_grounds,
       (date_part('epoch', nothing_earlier_at) * 1000)::bigint, (date_part('epoch', recheck_at) * 1000)::bigint,
       (date_part('epoch', coarser.start_time) * 1000)::bigint, (date_part('epoch', coarser.bar) * 1000)::bigint
from series_state as state
join product using (product_id)
left join series_coverage as covered on covered.series_id = state.series_id
      and covered.table_name = %(table_name)s
      and (%(series_ids)s::text[] is null or covered.series_id = any(%(series_ids)s::text[]))
left join series_open_gap as open_gap on open_gap.series_id = state.series_id
      and open_gap.table_name = %(table_name)s
left join lateral (
    -- Where the product's history at the next coarser duration is proven to begin. ISO durations are intervals.
    select other.floor_time as start_time, substring(other.series_id from '[^/]*$')::interval as bar
    from series_state as other
    where %(has_durations)s and state.floor_time is null and other.table_name = %(table_name)s
      and other.series_id > state.product_id || '/' and other.series_id < state.product_id || '0'
      and other.product_id = state.product_id and other.floor_time is not null
      and substring(other.series_id from '[^/]*$')::interval > substring(state.series_id from '[^/]*$')::interval
    order by bar limit 1
) as coarser on true
where state.table_name = %(table_name)s and state.active
  and (%(series_ids)s::text[] is null or state.series_id = any(%(series_ids)s::text[]))
  and (%(cap_key)s::text is null or state.cap_key = %(cap_key)s);

-- name: read_due
-- Only what tells whether work is due, for every active series of a table: sensors read this often. Of series
-- whose ranges overlap or touch, only the ranges' order tells whether there is a gap too: that is left open here.
select state.series_id, state.cap_key,
       (date_part('epoch', covered.start_time) * 1000)::bigint, (date_part('epoch', covered.end_time) * 1000)::bigint,
       case when open_gap.series_id is null then coalesce(covered.has_gap, false) else open_gap.gap_end is not null end,
       -- When the head was asked for last matters only for what is delisted.
       (date_part('epoch', case when delisted_at is not null then head_attempted_at end) * 1000)::bigint,
       (date_part('epoch', head_eligible_at) * 1000)::bigint, head_misses,
       (date_part('epoch', start_eligible_at) * 1000)::bigint, (date_part('epoch', gap_eligible_at) * 1000)::bigint,
       (date_part('epoch', floor_time) * 1000)::bigint,
       (date_part('epoch', listed_at) * 1000)::bigint, (date_part('epoch', delisted_at) * 1000)::bigint, interval_ms,
       (date_part('epoch', recheck_at) * 1000)::bigint,
       coalesce(open_gap.series_id is null and not covered.has_gap and covered.ranges > 1, false)
from series_state as state
join product using (product_id)
left join (
    -- Ranges that together are shorter than the time they span leave a gap.
    select series_id, min(start_time) as start_time, max(end_time) as end_time, count(*) as ranges,
           sum(end_time - start_time) < max(end_time) - min(start_time) as has_gap
    from series_data_range where table_name = %(table_name)s group by series_id
) as covered on covered.series_id = state.series_id
left join series_open_gap as open_gap on open_gap.series_id = state.series_id
      and open_gap.table_name = %(table_name)s
where state.table_name = %(table_name)s and state.active;

-- name: find_gapped
-- Which series of a table have a gap.
select distinct series_id
from (
    select series_id, start_time,
           max(end_time) over (
               partition by series_id order by start_time rows between unbounded preceding and 1 preceding
           ) as covered_until
    from series_data_range where table_name = %(table_name)s
) as ordered
where covered_until < start_time;

-- name: write_outcomes
-- Write what a group of attempts means for its series.
update series_state as state set
    head_attempted_at = case when target = 'head' then attempted_at else head_attempted_at end,
    head_eligible_at = case when target = 'head' then eligible_at else head_eligible_at end,
    head_misses = case when target = 'head' then misses else head_misses end,
    tail_attempted_at = case when target = 'head' then tail_attempted_at else attempted_at end,
    start_eligible_at = case when target = 'start' then eligible_at else start_eligible_at end,
    start_misses = case when target = 'start' then misses else start_misses end,
    gap_eligible_at = case when target = 'gap' then eligible_at else gap_eligible_at end,
    gap_misses = case when target = 'gap' then misses else gap_misses end,
    failures = attempt.failures,
    last_page_span_ms = attempt.page_span_ms,
    floor_time = attempt.floor_time,
    floor_kind = attempt.floor_kind,
    floor_grounds = string_to_array(attempt.grounds, ','),
    nothing_earlier_at = attempt.nothing_earlier_at,
    recheck_at = attempt.recheck_at,
    last_error = attempt.error,
    interval_ms = attempt.interval_ms,
    last_success_at = case when attempt.error is null then attempted_at else last_success_at end,
    new_rows = state.new_rows + attempt.new_rows
from unnest(
    %(series_ids)s::text[], %(targets)s::text[], %(attempted)s::timestamptz[], %(eligible)s::timestamptz[],
    %(misses)s::integer[], %(failures)s::integer[], %(windows)s::bigint[], %(floors)s::timestamptz[],
    %(floor_kinds)s::text[], %(errors)s::text[], %(intervals)s::bigint[], %(grounds)s::text[],
    %(nothing_earlier)s::timestamptz[], %(rechecks)s::timestamptz[], %(new_rows)s::bigint[]
) as attempt (
    series_id, target, attempted_at, eligible_at, misses, failures, page_span_ms, floor_time, floor_kind, error,
    interval_ms, grounds, nothing_earlier_at, recheck_at, new_rows
)
where state.series_id = attempt.series_id and state.table_name = %(table_name)s;

-- name: mark_shown
-- Remember when Dagster last got a partition event of these series.
update series_state set shown_at = %(shown_at)s
where table_name = %(table_name)s and series_id = any(%(series_ids)s::text[]);

-- name: list_series
-- Every series of a table, retired ones too, in key order.
select series_id, product_id, cap_key, active from series_state where table_name = %(table_name)s order by series_id;

-- name: tally
-- How many series of a table have retired, and how many rows its pages have brought that were new or different.
select count(*) filter (where not active), coalesce(sum(new_rows), 0)::bigint
from series_state where table_name = %(table_name)s;

-- name: find_series
-- Which table, capability and product some series ids belong to.
select series_id, table_name, cap_key, product_id, active from series_state
where series_id = any(%(series_ids)s::text[]) order by series_id, table_name;

-- name: upsert_series
-- Make some series of a table active, each in its capability; return how many were new and how many were not.
with wanted as (
    select series_id collate "C" as series_id, product_id, cap_key
    from unnest(%(series_ids)s::text[], %(product_ids)s::text[], %(cap_keys)s::text[])
         as wanted (series_id, product_id, cap_key)
), changed as (
    -- Joined first: a conflict that changes nothing would still lock and log its row.
    select wanted.* from wanted
    left join series_state as known on known.series_id = wanted.series_id and known.table_name = %(table_name)s
    where (known.active, known.cap_key, known.product_id) is distinct from (true, wanted.cap_key, wanted.product_id)
), upserted as (
    insert into series_state (series_id, table_name, product_id, cap_key)
    select series_id, %(table_name)s, product_id, cap_key from changed order by series_id
    on conflict (series_id, table_name) do update set
        product_id = excluded.product_id, cap_key = excluded.cap_key, active = true
    returning (xmax = 0) as is_new
)
select (select count(*) from upserted where is_new), (select count(*) from upserted where not is_new);

-- name: retire_series
-- Let some series of a table rest that nobody offers any more; their rows and ranges stay.
update series_state set active = false
where table_name = %(table_name)s and series_id = any(%(series_ids)s::text[]) and active;
