-- The ledger of progress: every page leaves an event in its own transaction, and the current value only advances.

create table ing_cursor (
    series_id text collate "C" not null,
    table_name text collate "C" not null,
    operation text collate "C" not null check (operation in ('HARVEST', 'BACKFILL')),
    value timestamptz not null,
    updated_at timestamptz not null default now(),
    primary key (series_id, table_name, operation)
) with (fillfactor = 70);

create table ing_cursor_event (
    event_id bigint generated always as identity primary key,
    series_id text collate "C" not null,
    table_name text collate "C" not null,
    operation text collate "C" not null check (operation in ('HARVEST', 'BACKFILL')),
    direction text not null check (direction in ('FORWARD', 'BACKFILL')),
    prev_value timestamptz,
    new_value timestamptz,
    window_from timestamptz,
    window_to timestamptz,
    reason text not null check (reason in ('advanced', 'no-forward')),
    cap_key text collate "C" not null,
    run_id text,
    request_time timestamptz not null,
    row_count integer not null,
    recorded_at timestamptz not null default now()
);
