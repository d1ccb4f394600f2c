-- Why time without data has none, and on what grounds. Stretches of data are in series_data_range; what is in neither
-- table is unknown, and is what remains to do.

create table coverage_evidence (
    series_id text collate "C" not null,
    table_name text collate "C" not null,
    kind text collate "C" not null check (kind in (
        'verified_empty', 'outage', 'pre_listing', 'beyond_retention', 'post_delisting', 'quarantined'
    )),
    start_time timestamptz not null,
    end_time timestamptz not null,
    request text not null,
    response_digest text not null,
    observed_at timestamptz not null,
    confirmed_at timestamptz not null,
    confirmations integer not null default 1 check (confirmations > 0),
    primary key (series_id, table_name, start_time, kind),
    check (start_time < end_time)
);
comment on column coverage_evidence.observed_at is 'when the vendor first said so';
comment on column coverage_evidence.confirmed_at is 'when it last said so; answers close together count as one';

create index coverage_evidence_outage on coverage_evidence (table_name, series_id)
    where kind = 'outage' and confirmations >= 2;

-- The gap nearest to now that is not a proven outage, of those series that have proven outages.
create view series_open_gap as
select series_id, table_name,
       max(covered_until) filter (where covered_until < start_time) as gap_start,
       max(start_time) filter (where covered_until < start_time) as gap_end
from (
    select series_id, table_name, start_time,
           max(end_time) over (
               partition by series_id, table_name order by start_time rows between unbounded preceding and 1 preceding
           ) as covered_until
    from (
        select series_id, table_name, start_time, end_time from coverage_evidence
        where kind = 'outage' and confirmations >= 2
        union all
        select stored.series_id, stored.table_name, stored.start_time, stored.end_time
        from series_data_range as stored
        where exists (
            select from coverage_evidence as known
            where known.series_id = stored.series_id and known.table_name = stored.table_name
              and known.kind = 'outage' and known.confirmations >= 2
        )
    ) as accounted
) as ordered
group by series_id, table_name;

alter table series_state
    add column floor_grounds text[] not null default '{}',
    add column nothing_earlier_at timestamptz,
    add column recheck_at timestamptz;
comment on column series_state.floor_grounds is 'what speaks for the start of the stored history being the start of all';
comment on column series_state.nothing_earlier_at is 'when the vendor first answered that nothing is earlier';
comment on column series_state.recheck_at is 'when the floor is to be verified again';
-- Floors from before had one ground; they are verified again now.
update series_state set recheck_at = now() where floor_time is not null;

alter table capability_state add column pages_per_minute real;
