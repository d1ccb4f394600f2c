-- A vendor could take another vendor's product by listing it, and so delist it or blank its name. What a vendor has
-- although none of its services ever covered it goes back to the one whose service does; the next sync fills the rest.
-- That nothing is after the end of such a product was concluded from the thief's word.

with given_back as (
    update product
    set delisted_at = null,
        vendor = (
            select owner.vendor from capability_state as owner
            where starts_with(product.product_id, owner.product_prefix)
            order by owner.active desc, length(owner.product_prefix) desc, owner.cap_key
            limit 1
        )
    where not exists (
            select from capability_state as own
            where own.vendor = product.vendor and starts_with(product.product_id, own.product_prefix)
        )
        and exists (
            select from capability_state as other where starts_with(product.product_id, other.product_prefix)
        )
    returning product_id
)
delete from coverage_evidence as known
using series_state as state, given_back
where state.product_id = given_back.product_id and known.kind = 'post_delisting'
  and known.series_id = state.series_id and known.table_name = state.table_name;
