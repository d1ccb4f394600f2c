-- name: list_parts
-- The parts of the ledger, the archived ones too, by what they are called.
select month from ledger_part order by month;

-- name: close_month
-- Write down the digest of what a part holds and no digest covers, if nothing more is to come into it; says if it did.
select close_ledger_month(%(month)s);

-- name: read_digests
-- What closed months held when they were closed.
select month, after_id, until_id, events, encode(digest, 'hex') from ledger_digest order by month, until_id;

-- name: digest_part
-- What a part holds now of the events of some numbers; no row if it is gone.
select made.events, coalesce(encode(made.digest, 'hex'), '')
from ledger_part cross join digest_ledger(part, %(after_id)s, %(until_id)s) as made
where month = %(month)s;
