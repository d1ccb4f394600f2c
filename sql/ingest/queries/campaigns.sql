-- name: begin
-- Begin the part of a campaign that is in one table; what is seen to have changed from now on belongs to its report.
insert into refresh_campaign (
    campaign_id, table_name, series_ids, window_from, window_to, begun_at, revisions_after
)
values (%(campaign_id)s, %(table_name)s, %(series_ids)s, %(window_from)s, %(window_to)s, %(begun_at)s,
        (select coalesce(max(revision_id), 0) from row_revision));

-- name: finish
-- End a campaign, once.
update refresh_campaign
set finished_at = %(finished_at)s, revisions_until = (select coalesce(max(revision_id), 0) from row_revision)
where campaign_id = %(campaign_id)s and finished_at is null;

-- name: read
-- The tables' parts of one campaign, of those that are not finished, or of all; the newest campaign first.
select campaign_id, table_name, series_ids, (date_part('epoch', window_from) * 1000)::bigint,
       (date_part('epoch', window_to) * 1000)::bigint, (date_part('epoch', begun_at) * 1000)::bigint,
       (date_part('epoch', finished_at) * 1000)::bigint, revisions_after, revisions_until
from refresh_campaign
where (%(campaign_id)s::text is null or campaign_id = %(campaign_id)s)
  and (not %(unfinished)s or finished_at is null)
order by begun_at desc, campaign_id, table_name;
