-- name: find_stored
-- For each page's window, the first and the last stored row inside it: rows outside those two can't conflict.
select page.ordinal,
       (select date_part('epoch', created_at) * 1000 from ohlc_v2 as stored
        where stored.series_id = page.series_id and created_at between page.first and page.last
        order by created_at limit 1) as first_ms,
       (select date_part('epoch', created_at) * 1000 from ohlc_v2 as stored
        where stored.series_id = page.series_id and created_at between page.first and page.last
        order by created_at desc limit 1) as last_ms
from unnest(%(series_ids)s::text[], %(firsts)s::timestamptz[], %(lasts)s::timestamptz[])
     with ordinality as page (series_id, first, last, ordinal);

-- name: copy
-- Write rows that can't conflict straight in.
copy ohlc_v2 (series_id, created_at, closed_at, open, high, low, close, volume, open_interest) from stdin;

-- name: create_stage
-- Where rows wait that may be stored already; text, so that casting happens once, in the merge.
create temporary table if not exists stage_ohlc_v2 (
    series_id text collate "C", created_at timestamptz, closed_at timestamptz,
    open text, high text, low text, close text, volume text, open_interest text
) on commit delete rows;

-- name: copy_stage
-- Fill the stage.
copy stage_ohlc_v2 (series_id, created_at, closed_at, open, high, low, close, volume, open_interest) from stdin;

-- name: merge_stage
-- Write the staged rows that are new or different, and log what was different; equal rows are not even locked.
with written as (
    select stage.series_id, stage.created_at, stage.closed_at, stage.open::numeric, stage.high::numeric,
           stage.low::numeric, stage.close::numeric, stage.volume::numeric, stage.open_interest::numeric,
           to_jsonb(stored) as old_value
    from stage_ohlc_v2 as stage
    left join lateral (
        select closed_at, open, high, low, close, volume, open_interest from ohlc_v2
        where series_id = stage.series_id and created_at = stage.created_at limit 1
    ) as stored on true
    where (stored.closed_at, stored.open, stored.high, stored.low, stored.close, stored.volume, stored.open_interest)
          is distinct from
          (stage.closed_at, stage.open::numeric, stage.high::numeric, stage.low::numeric, stage.close::numeric,
           stage.volume::numeric, stage.open_interest::numeric)
), logged as (
    insert into row_revision (table_name, series_id, created_at, old_value, new_value)
    select 'ohlc_v2', series_id, created_at, old_value, to_jsonb(written) - '{series_id,created_at,old_value}'::text[]
    from written where old_value is not null
    order by series_id, created_at
)
insert into ohlc_v2 (series_id, created_at, closed_at, open, high, low, close, volume, open_interest)
select series_id, created_at, closed_at, open, high, low, close, volume, open_interest from written
on conflict (series_id, created_at) do update set
    closed_at = excluded.closed_at, open = excluded.open, high = excluded.high, low = excluded.low,
    close = excluded.close, volume = excluded.volume, open_interest = excluded.open_interest;

-- name: read_last
-- The newest rows of each of some series, newest first.
select wanted.series_id, stored.created_at, stored.open, stored.high, stored.low, stored.close, stored.volume
from unnest(%(series_ids)s::text[]) as wanted (series_id)
cross join lateral (
    select * from ohlc_v2 where series_id = wanted.series_id order by created_at desc limit %(count)s
) as stored;

-- name: export
-- The rows of one series with created_at in [start, end), as CSV, times in epoch milliseconds.
copy (
    select (date_part('epoch', created_at) * 1000)::bigint as created_at,
           (date_part('epoch', closed_at) * 1000)::bigint as closed_at,
           open, high, low, close, volume, open_interest
    from ohlc_v2
    where series_id = %(series_id)s
      and created_at >= coalesce(%(start)s::timestamptz, '-infinity')
      and created_at < coalesce(%(end)s::timestamptz, 'infinity')
    order by created_at
) to stdout with (format csv, header);

-- name: digest_rows
-- The rows of one series with created_at in [start, end) in one way of writing them, to be digested.
copy (
    select (date_part('epoch', created_at) * 1000)::bigint, (date_part('epoch', closed_at) * 1000)::bigint,
           trim_scale(open), trim_scale(high), trim_scale(low), trim_scale(close), trim_scale(volume),
           trim_scale(open_interest)
    from ohlc_v2
    where series_id = %(series_id)s and created_at >= %(start)s::timestamptz and created_at < %(end)s::timestamptz
    order by created_at
) to stdout;

-- name: find_bars_across
-- One bar that lies across a stored bar of its series which begins at another moment, if there is any.
select new.series_id, (date_part('epoch', new.created_at) * 1000)::bigint,
       (date_part('epoch', stored.created_at) * 1000)::bigint
from unnest(%(series_ids)s::text[], %(created)s::timestamptz[], %(closed)s::timestamptz[])
     as new (series_id, created_at, closed_at)
join ohlc_v2 as stored
     on stored.series_id = new.series_id and stored.created_at <> new.created_at
    -- Bars of one duration are about equally long: from twice as far back nothing reaches into this one.
    and stored.created_at > new.created_at - 2 * (new.closed_at - new.created_at)
    and stored.created_at < new.closed_at and stored.closed_at > new.created_at
limit 1;
