-- How many rows of each series its pages have brought that were new or different, since this is counted.
alter table series_state add column new_rows bigint not null default 0;
