-- A granted slot said nothing of when its request left; all budgets are kept by turns now, which are settled.

drop function reserve_slot(text, integer, integer, integer);
drop table rate_grant;
