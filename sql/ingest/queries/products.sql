-- name: upsert
-- Bring the products of a vendor up to date; rows that say the same are left alone, and so are other vendors'.
with offered as (
    select said.product_id collate "C" as product_id, said.name, said.base_currency, said.quote_currency,
           said.price_step, said.volume_step, said.value_scale, said.allow_long, said.allow_short,
           said.no_interest_rate, said.market_id, to_timestamp(listed_ms / 1000.0) as listed_at,
           coalesce(to_timestamp(delisted_ms / 1000.0),
                    case when not trading then coalesce(known.delisted_at, %(seen_at)s) end) as delisted_at
    from jsonb_to_recordset(%(products)s::jsonb) as said (
        product_id text, name text, base_currency text, quote_currency text, price_step numeric, volume_step numeric,
        value_scale numeric, allow_long boolean, allow_short boolean, no_interest_rate boolean, market_id text,
        listed_ms bigint, delisted_ms bigint, trading boolean
    )
    left join product as known on known.product_id = said.product_id collate "C"
)
insert into product (
    product_id, vendor, name, base_currency, quote_currency, price_step, volume_step, value_scale,
    allow_long, allow_short, no_interest_rate, market_id, listed_at, delisted_at
)
select offered.product_id, %(vendor)s::text, offered.name, offered.base_currency, offered.quote_currency,
       offered.price_step, offered.volume_step, offered.value_scale, offered.allow_long, offered.allow_short,
       offered.no_interest_rate, offered.market_id, offered.listed_at, offered.delisted_at
from offered left join product as known using (product_id)
where (known.vendor, known.name, known.base_currency, known.quote_currency, known.price_step, known.volume_step,
       known.value_scale, known.allow_long, known.allow_short, known.no_interest_rate, known.market_id,
       known.listed_at, known.delisted_at)
      is distinct from
      (%(vendor)s::text, offered.name, offered.base_currency, offered.quote_currency, offered.price_step,
       offered.volume_step, offered.value_scale, offered.allow_long, offered.allow_short, offered.no_interest_rate,
       offered.market_id, offered.listed_at, offered.delisted_at)
order by offered.product_id
on conflict (product_id) do update set
    vendor = excluded.vendor, name = excluded.name, base_currency = excluded.base_currency,
    quote_currency = excluded.quote_currency, price_step = excluded.price_step, volume_step = excluded.volume_step,
    value_scale = excluded.value_scale, allow_long = excluded.allow_long, allow_short = excluded.allow_short,
    no_interest_rate = excluded.no_interest_rate, market_id = excluded.market_id,
    listed_at = excluded.listed_at, delisted_at = excluded.delisted_at
where product.vendor = excluded.vendor or product.product_id = any(%(taken_over)s::text[]);

-- name: delist
-- Say that these products of a vendor are delisted since a moment.
update product set delisted_at = %(delisted_at)s
where product_id = any(%(product_ids)s::text[]) and vendor = %(vendor)s and delisted_at is null;

-- name: list_known
-- Every product, whose it is, whether it has no interest rate, and whether nobody has called it delisted.
select product_id, vendor, no_interest_rate, delisted_at is null from product order by product_id;

-- name: list
-- Products as a person wants to see them.
select product_id, vendor, name, base_currency, quote_currency, price_step, volume_step, no_interest_rate,
       listed_at, delisted_at
from product
order by product_id;
