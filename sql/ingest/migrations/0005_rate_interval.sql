-- Funding intervals differ and change, so how late a rate is can only be judged by the interval seen last.

alter table series_state add column interval_ms bigint check (interval_ms > 0);
comment on column series_state.interval_ms is 'the shortest time between the newest rates seen; null for bars';
