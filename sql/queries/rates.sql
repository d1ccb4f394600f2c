-- name: find_stored
-- For each page's window, the first and the last stored row inside it: rows outside those two can't conflict.
select page.ordinal,
       (select date_part('epoch', created_at) * 1000 from interest_rate as stored
        where stored.series_id = page.series_id and created_at between page.first and page.last
        order by created_at limit 1) as first_ms,
       (select date_part('epoch', created_at) * 1000 from interest_rate as stored
        where stored.series_id = page.series_id and created_at between page.first and page.last
        order by created_at desc limit 1) as last_ms
from unnest(%(series_ids)s::text[], %(firsts)s::timestamptz[], %(lasts)s::timestamptz[])
     with ordinality as page (series_id, first, last, ordinal);

-- name: copy
-- Write rows that can't conflict straight in.
copy interest_rate (series_id, created_at, long_rate, short_rate, settlement_price) from stdin;

-- name: create_stage
-- Where rows wait that may be stored already; text, so that casting happens once, in the merge.
create temporary table if not exists stage_interest_rate (
    series_id text collate "C", created_at timestamptz, long_rate text, short_rate text, settlement_price text
) on commit delete rows;

-- name: copy_stage
-- Fill the stage.
copy stage_interest_rate (series_id, created_at, long_rate, short_rate, settlement_price) from stdin;

-- name: merge_stage
-- Write the staged rows that are new or different, and log what was different; equal rows are not even locked.
-- Tells how many of each series were.
with written as (
    select stage.series_id, stage.created_at, stage.long_rate::numeric, stage.short_rate::numeric,
           stage.settlement_price::numeric, to_jsonb(stored) as old_value
    from stage_interest_rate as stage
    left join lateral (
        select long_rate, short_rate, settlement_price from interest_rate
        where series_id = stage.series_id and created_at = stage.created_at limit 1
    ) as stored on true
    where (stored.long_rate, stored.short_rate, stored.settlement_price) is distinct from
          (stage.long_rate::numeric, stage.short_rate::numeric, stage.settlement_price::numeric)
), logged as (
    insert into row_revision (table_name, series_id, created_at, old_value, new_value)
    select 'interest_rate', series_id, created_at, old_value,
           to_jsonb(written) - '{series_id,created_at,old_value}'::text[]
    from written where old_value is not null
    order by series_id, created_at
), merged as (
    insert into interest_rate (series_id, created_at, long_rate, short_rate, settlement_price)
    select series_id, created_at, long_rate, short_rate, settlement_price from written
    on conflict (series_id, created_at) do update set
        long_rate = excluded.long_rate, short_rate = excluded.short_rate,
        settlement_price = excluded.settlement_price
    returning series_id
)
select series_id, count(*) from merged group by series_id;

-- name: read_last
-- The newest rows of each of some series, newest first.
select wanted.series_id, stored.created_at, stored.long_rate, stored.short_rate, stored.settlement_price
from unnest(%(series_ids)s::text[]) as wanted (series_id)
cross join lateral (
    select * from interest_rate where series_id = wanted.series_id order by created_at desc limit %(count)s
) as stored;

-- name: export
-- The rows of one series with created_at in [start, end), as CSV, times in epoch milliseconds.
copy (
    select (date_part('epoch', created_at) * 1000)::bigint as created_at, long_rate, short_rate, settlement_price
    from interest_rate
    where series_id = %(series_id)s
      and created_at >= coalesce(%(start)s::timestamptz, '-infinity')
      and created_at < coalesce(%(end)s::timestamptz, 'infinity')
    order by created_at
) to stdout with (format csv, header);

-- name: digest_rows
-- The rates of one series with created_at in [start, end) in one way of writing them, to be digested.
copy (
    select (date_part('epoch', created_at) * 1000)::bigint, trim_scale(long_rate), trim_scale(short_rate),
           trim_scale(settlement_price)
    from interest_rate
    where series_id = %(series_id)s and created_at >= %(start)s::timestamptz and created_at < %(end)s::timestamptz
    order by created_at
) to stdout;
