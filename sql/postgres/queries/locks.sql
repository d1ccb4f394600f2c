-- name: try_capability
-- Take a capability for this session, or say at once that another has it.
select pg_try_advisory_lock(hashtextextended(%(cap_key)s, 0));

-- name: wait_capability
-- Take a capability for this session as soon as its holder lets go.
select pg_advisory_lock(hashtextextended(%(cap_key)s, 0));

-- name: release_capability
-- Let a capability go.
select pg_advisory_unlock(hashtextextended(%(cap_key)s, 0));

-- name: is_awaited
-- Whether another session waits for the capability. Fails when this session is gone, and the lock with it.
select exists (
    select from pg_locks
    where locktype = 'advisory' and objsubid = 1 and not granted
      and database = (select oid from pg_database where datname = current_database())
      and ((classid::bigint << 32) | objid::bigint) = hashtextextended(%(cap_key)s, 0)
);

-- name: share_table
-- The first lock of every transaction that touches ranges: those who compact a whole table exclude it.
select pg_advisory_xact_lock_shared(%(table_space)s, %(table_key)s);

-- name: own_table
-- Exclude every other writer of a table's ranges until the transaction ends.
select pg_advisory_xact_lock(%(table_space)s, %(table_key)s);

-- name: own_series
-- Exclude other writers of these series until the transaction ends; the keys come sorted.
select pg_advisory_xact_lock(%(series_space)s, key) from unnest(%(keys)s::integer[]) as key;
