-- Columns say what they are of: these pauses and misses are of the start of history alone, a gap has its own; and what a
-- page spans is no window, which is what a person asks for.
alter table series_state rename column tail_eligible_at to start_eligible_at;
alter table series_state rename column tail_misses to start_misses;
alter table series_state rename column last_window_ms to last_page_span_ms;
