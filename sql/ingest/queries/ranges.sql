-- name: read
-- The ranges of some series, oldest first.
select series_id,
       (date_part('epoch', start_time) * 1000)::bigint as start_ms,
       (date_part('epoch', end_time) * 1000)::bigint as end_ms
from series_data_range
where table_name = %(table_name)s and series_id = any(%(series_ids)s::text[])
order by series_id, start_time, end_time;

-- name: add
-- Add the ranges of a group of pages; one that lies inside a stored range says nothing new.
insert into series_data_range (series_id, table_name, start_time, end_time)
select new.series_id, %(table_name)s, new.start_time, new.end_time
from unnest(%(series_ids)s::text[], %(starts)s::timestamptz[], %(ends)s::timestamptz[])
     as new (series_id, start_time, end_time)
where not exists (
    select from series_data_range old
    where old.series_id = new.series_id and old.table_name = %(table_name)s
      and old.start_time <= new.start_time and old.end_time >= new.end_time
)
on conflict do nothing;

-- name: compact
-- Merge strictly overlapping ranges: delete what the merged ranges no longer need, insert what they add.
with old as (
    select series_id, start_time, end_time from series_data_range
    where table_name = %(table_name)s
      and (%(series_ids)s::text[] is null or series_id = any(%(series_ids)s::text[]))
), merged as (
    select series_id, lower(stretch) as start_time, upper(stretch) as end_time
    from (
        select series_id, unnest(range_agg(tstzrange(start_time, end_time, '()'))) as stretch
        from old group by series_id having count(*) > 1
    ) as stretches
), surplus as (
    select series_id, start_time, end_time from old
    where series_id in (select series_id from merged)
    except
    select series_id, start_time, end_time from merged
), deleted as (
    delete from series_data_range as target using surplus
    where target.series_id = surplus.series_id and target.table_name = %(table_name)s
      and target.start_time = surplus.start_time and target.end_time = surplus.end_time
    returning target.series_id, target.start_time, target.end_time
), inserted as (
    insert into series_data_range (series_id, table_name, start_time, end_time)
    select series_id, %(table_name)s, start_time, end_time from merged
    except
    select series_id, %(table_name)s, start_time, end_time from old
    on conflict do nothing
    returning series_id, start_time, end_time
)
select 'deleted' as change, series_id,
       (date_part('epoch', start_time) * 1000)::bigint as start_ms,
       (date_part('epoch', end_time) * 1000)::bigint as end_ms
from deleted
union all
select 'inserted', series_id,
       (date_part('epoch', start_time) * 1000)::bigint, (date_part('epoch', end_time) * 1000)::bigint
from inserted;

-- name: widen_memory
-- Let this transaction sort and hash in memory what would else spill to disk.
select set_config('work_mem', '64MB', true);
