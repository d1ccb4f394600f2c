-- A service may say how many rows its pages hold, so that forward requests step back by exactly one page.

alter table capability_state add column page_rows integer check (page_rows > 1);
