-- name: find_stored
-- For each page's window, the first and the last stored row inside it: rows outside those two can't conflict.
select page.ordinal,
       (select date_part('epoch', created_at) * 1000 from ${table} as stored
        where stored.series_id = page.series_id and created_at between page.first and page.last
        order by created_at limit 1) as first_ms,
       (select date_part('epoch', created_at) * 1000 from ${table} as stored
        where stored.series_id = page.series_id and created_at between page.first and page.last
        order by created_at desc limit 1) as last_ms
from unnest(%(series_ids)s::text[], %(firsts)s::timestamptz[], %(lasts)s::timestamptz[])
     with ordinality as page (series_id, first, last, ordinal);

-- name: copy
-- Write rows that can't conflict straight in.
copy ${table} (series_id, created_at, ${columns}) from stdin;

-- name: create_stage
-- Where rows wait that may be stored already; text, so that casting happens once, in the merge.
create temporary table if not exists stage_${table} (
    series_id text collate "C", created_at timestamptz, ${stage_columns}
) on commit delete rows;

-- name: copy_stage
-- Fill the stage.
copy stage_${table} (series_id, created_at, ${columns}) from stdin;

-- name: merge_stage
-- Write the staged rows that are new or different, and log what was different; equal rows are not even locked.
-- Tells how many of each series were.
with written as (
    select stage.series_id, stage.created_at, ${staged}, to_jsonb(stored) as old_value
    from stage_${table} as stage
    left join lateral (
        select ${columns} from ${table}
        where series_id = stage.series_id and created_at = stage.created_at limit 1
    ) as stored on true
    where (${stored}) is distinct from (${staged})
), logged as (
    insert into row_revision (table_name, series_id, created_at, old_value, new_value)
    select '${table}', series_id, created_at, old_value, to_jsonb(written) - '{series_id,created_at,old_value}'::text[]
    from written where old_value is not null
    order by series_id, created_at
), merged as (
    insert into ${table} (series_id, created_at, ${columns})
    select series_id, created_at, ${columns} from written
    on conflict (series_id, created_at) do update set ${excluded}
    returning series_id
)
select series_id, count(*) from merged group by series_id;

-- name: read_last
-- The newest rows of each of some series, newest first.
select wanted.series_id, stored.created_at, ${shown}
from unnest(%(series_ids)s::text[]) as wanted (series_id)
cross join lateral (
    select * from ${table} where series_id = wanted.series_id order by created_at desc limit %(count)s
) as stored;

-- name: export
-- The rows of one series with created_at in [start, end), as CSV, times in epoch milliseconds.
copy (
    select ${named_times}, ${values}
    from ${table}
    where series_id = %(series_id)s
      and created_at >= coalesce(%(start)s::timestamptz, '-infinity')
      and created_at < coalesce(%(end)s::timestamptz, 'infinity')
    order by created_at
) to stdout with (format csv, header);

-- name: digest_rows
-- The rows of one series with created_at in [start, end) in one way of writing them, to be digested.
copy (
    select ${plain_times}, ${trimmed}
    from ${table}
    where series_id = %(series_id)s and created_at >= %(start)s::timestamptz and created_at < %(end)s::timestamptz
    order by created_at
) to stdout;

-- name: remove
-- Take rows of one series back, and log what they said.
with gone as (
    delete from ${table} as stored
    where series_id = %(series_id)s and created_at = any(%(created)s::timestamptz[])
    returning created_at, to_jsonb(stored) - '{series_id,created_at,updated_at}'::text[] as old_value
)
insert into row_revision (table_name, series_id, created_at, old_value, new_value)
select '${table}', %(series_id)s, created_at, old_value, '{}'::jsonb from gone order by created_at;

-- name: find_bars_across
-- One bar that lies across a stored bar of its series which begins at another moment, if there is any.
select new.series_id, (date_part('epoch', new.created_at) * 1000)::bigint,
       (date_part('epoch', stored.created_at) * 1000)::bigint
from unnest(%(series_ids)s::text[], %(created)s::timestamptz[], %(closed)s::timestamptz[])
     as new (series_id, created_at, closed_at)
join ${table} as stored
     on stored.series_id = new.series_id and stored.created_at <> new.created_at
    -- Bars of one duration are about equally long: from twice as far back nothing reaches into this one.
    and stored.created_at > new.created_at - 2 * (new.closed_at - new.created_at)
    and stored.created_at < new.closed_at and stored.closed_at > new.created_at
limit 1;

-- name: find_bars_inside
-- The bars that are stored inside holes which a vendor told of.
select hole.series_id, (date_part('epoch', created_at) * 1000)::bigint, (date_part('epoch', closed_at) * 1000)::bigint
from unnest(%(series_ids)s::text[], %(starts)s::timestamptz[], %(ends)s::timestamptz[])
     as hole (series_id, start_time, end_time)
join ${table} as bar
     on bar.series_id = hole.series_id and bar.created_at >= hole.start_time and bar.created_at < hole.end_time;
