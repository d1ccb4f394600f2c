-- name: upsert
-- Bring the products of a vendor up to date; rows that say the same are left alone.
insert into product (
    product_id, vendor, name, base_currency, quote_currency, price_step, volume_step, value_scale,
    allow_long, allow_short, no_interest_rate, market_id, listed_at, delisted_at
)
select product_id, %(vendor)s, name, base_currency, quote_currency, price_step, volume_step, value_scale,
       allow_long, allow_short, no_interest_rate, market_id,
       to_timestamp(listed_ms / 1000.0), to_timestamp(delisted_ms / 1000.0)
from jsonb_to_recordset(%(products)s::jsonb) as new (
    product_id text, name text, base_currency text, quote_currency text, price_step numeric, volume_step numeric,
    value_scale numeric, allow_long boolean, allow_short boolean, no_interest_rate boolean, market_id text,
    listed_ms bigint, delisted_ms bigint
)
order by product_id
on conflict (product_id) do update set
    vendor = excluded.vendor, name = excluded.name, base_currency = excluded.base_currency,
    quote_currency = excluded.quote_currency, price_step = excluded.price_step, volume_step = excluded.volume_step,
    value_scale = excluded.value_scale, allow_long = excluded.allow_long, allow_short = excluded.allow_short,
    no_interest_rate = excluded.no_interest_rate, market_id = excluded.market_id,
    listed_at = excluded.listed_at, delisted_at = excluded.delisted_at
where (product.vendor, product.name, product.base_currency, product.quote_currency, product.price_step,
       product.volume_step, product.value_scale, product.allow_long, product.allow_short, product.no_interest_rate,
       product.market_id, product.listed_at, product.delisted_at)
      is distinct from
      (excluded.vendor, excluded.name, excluded.base_currency, excluded.quote_currency, excluded.price_step,
       excluded.volume_step, excluded.value_scale, excluded.allow_long, excluded.allow_short,
       excluded.no_interest_rate, excluded.market_id, excluded.listed_at, excluded.delisted_at);

-- name: list_ids
-- Every product id, with whether it has no interest rate.
select product_id, no_interest_rate from product order by product_id;

-- name: list
-- Products as a person wants to see them, those whose id contains a text.
select product_id, vendor, name, base_currency, quote_currency, price_step, volume_step, no_interest_rate,
       listed_at, delisted_at
from product
where product_id like %(pattern)s
order by product_id;
