-- name: upsert
-- Make the active capabilities of a vendor exactly these; some others of it stay as they are.
with wanted as (
    select * from jsonb_to_recordset(%(capabilities)s::jsonb) as wanted (
        cap_key text, method text, table_name text, product_prefix text, direction text, durations text[],
        grace_ms integer, page_rows integer
    )
), retired as (
    update capability_state set active = false
    where active and vendor = %(vendor)s and cap_key <> all(%(kept)s::text[])
      and not exists (select from wanted where wanted.cap_key = capability_state.cap_key)
    returning 1
), upserted as (
    insert into capability_state (cap_key, vendor, method, table_name, product_prefix, direction, durations,
                                  grace_ms, page_rows)
    select cap_key, %(vendor)s, method, table_name, product_prefix, direction, durations, grace_ms, page_rows
    from wanted order by cap_key
    on conflict (cap_key) do update set
        vendor = excluded.vendor, durations = excluded.durations, grace_ms = excluded.grace_ms,
        page_rows = excluded.page_rows, active = true
    where (capability_state.vendor, capability_state.durations, capability_state.grace_ms, capability_state.page_rows,
           capability_state.active)
          is distinct from (excluded.vendor, excluded.durations, excluded.grace_ms, excluded.page_rows, true)
    returning 1
)
select (select count(*) from upserted), (select count(*) from retired);

-- name: read
-- Every active capability with its pause and whether a lane holds it.
select cap_key, vendor, method, table_name, product_prefix, direction, durations, grace_ms, page_rows, backoff_ms,
       (date_part('epoch', next_eligible_at) * 1000)::bigint as next_eligible_ms, last_error,
       (date_part('epoch', last_error_at) * 1000)::bigint as last_error_ms,
       (date_part('epoch', last_success_at) * 1000)::bigint as last_success_ms,
       exists (
           select from pg_locks
           where locktype = 'advisory' and objsubid = 1 and granted
             and database = (select oid from pg_database where datname = current_database())
             and ((classid::bigint << 32) | objid::bigint) = hashtextextended(cap_key, 0)
       ) as in_flight
from capability_state
where active
order by cap_key;

-- name: find_vendors
-- Who serves some capabilities, or did when they were last offered.
select cap_key, vendor from capability_state where cap_key = any(%(cap_keys)s::text[]);

-- name: read_pause
-- The pause of one capability.
select backoff_ms, (date_part('epoch', next_eligible_at) * 1000)::bigint from capability_state
where cap_key = %(cap_key)s;

-- name: write_pause
-- Pause a capability that said no.
update capability_state set backoff_ms = %(backoff_ms)s, next_eligible_at = %(next_eligible_at)s,
    last_error = %(error)s, last_error_at = %(now)s
where cap_key = %(cap_key)s;

-- name: note_error
-- Remember what went wrong last; it need not be the vendor's fault.
update capability_state set last_error = %(error)s, last_error_at = %(now)s where cap_key = %(cap_key)s;

-- name: clear_pause
-- A request succeeded: the pause is over.
update capability_state set backoff_ms = 0, next_eligible_at = null, last_error = null, last_success_at = %(now)s
where cap_key = %(cap_key)s;

-- name: note_success
-- A request succeeded where there was no pause: that says nothing of what went wrong with another.
update capability_state set last_success_at = %(now)s where cap_key = %(cap_key)s;

-- name: drop_error
-- Tell no longer of what went wrong without a pause once no active series has it as its own last error.
update capability_state as capability set last_error = null
where cap_key = %(cap_key)s and last_error is not null and backoff_ms = 0
  and not exists (
      select from series_state as state
      where state.cap_key = capability.cap_key and active and state.last_error = capability.last_error
  );

-- name: write_backlogs
-- Publish how many heads wait in some capabilities.
update capability_state set head_backlog = observed.head_backlog, head_backlog_at = %(now)s
from unnest(%(cap_keys)s::text[], %(backlogs)s::integer[]) as observed (cap_key, head_backlog)
where capability_state.cap_key = observed.cap_key;

-- name: sum_backlogs
-- How many heads wait in all the other capabilities that were looked at lately and are not paused.
select coalesce(sum(head_backlog), 0)::integer from capability_state
where active and cap_key <> %(cap_key)s and head_backlog_at > %(since)s
  and (next_eligible_at is null or next_eligible_at <= %(now)s);

-- name: write_pace
-- Remember how many pages a minute the last lane fetched.
update capability_state set pages_per_minute = %(pages_per_minute)s where cap_key = %(cap_key)s;

-- name: read_paces
-- How many pages a minute each capability's last lane fetched.
select cap_key, pages_per_minute from capability_state where pages_per_minute is not null;
