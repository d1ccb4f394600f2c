-- name: purge_events
-- Delete old events of finished runs, but the newest materialization and observation of each asset and partition.
delete from event_logs
where timestamp < %(before)s::timestamptz at time zone 'UTC'
  and not exists (
      select from runs
      where runs.run_id = event_logs.run_id
        and runs.status not in ('SUCCESS', 'FAILURE', 'CANCELED')
  )
  and id not in (
      select max(id) from event_logs
      where asset_key is not null
      group by asset_key, partition, dagster_event_type
  );

-- name: purge_runs
-- Delete old finished runs that hold no event any more; tags go with them.
delete from runs
where status in ('SUCCESS', 'FAILURE', 'CANCELED')
  and update_timestamp < %(before)s::timestamptz at time zone 'UTC'
  and not exists (select from event_logs where event_logs.run_id = runs.run_id);
