-- name: read
-- What was seen to have changed in some series after one revision and until another, a line for each changed column.
select revision.table_name, revision.series_id, (date_part('epoch', revision.created_at) * 1000)::bigint,
       before.name, before.value #>> '{}', (revision.new_value -> before.name) #>> '{}',
       (date_part('epoch', revision.seen_at) * 1000)::bigint
from row_revision as revision
cross join lateral jsonb_each(revision.old_value) as before (name, value)
where revision.table_name = %(table_name)s and revision.series_id = any(%(series_ids)s::text[])
  and revision.revision_id > %(after)s and revision.revision_id <= coalesce(%(until)s, 9223372036854775807)
  and before.value is distinct from revision.new_value -> before.name
order by revision.series_id, revision.created_at, revision.revision_id, before.name
limit %(most)s;

-- name: count
-- How many rows of each of some series were seen to have changed after one revision and until another.
select series_id, count(distinct created_at) from row_revision
where table_name = %(table_name)s and series_id = any(%(series_ids)s::text[])
  and revision_id > %(after)s and revision_id <= coalesce(%(until)s, 9223372036854775807)
group by series_id
order by series_id;
