-- name: find_role
-- Who this session works as.
select current_user;

-- name: lock_admission
-- Let one process at a time change who may do what.
select pg_advisory_xact_lock(hashtextextended('admit_writer', 0));

-- name: admit_writer
-- Give a role what a writer needs and nothing more.
select admit_writer(%(writer)s);

-- name: read_protection
-- The tables of events, whose they are, what refuses changes there, and whether this role could take that away.
select parts.oid::regclass::text, pg_get_userbyid(relowner),
       (select count(*) from pg_trigger join pg_proc on pg_proc.oid = tgfoid
        where tgrelid = parts.oid and tgenabled = 'A' and tgqual is null and tgattr::text = ''
          -- Before each updated or deleted row, before truncating, and by the function that refuses.
          and (tgname, tgtype) in (('refuse_change', 27), ('refuse_truncate', 34))
          and proname = 'refuse_change' and md5(prosrc) = '0c89c3f1a69b7f1b73dbe003751dfcbb') = 2,
       role.rolsuper or role.rolcreaterole and current_setting('server_version_num')::integer < 160000
           or pg_has_role(relowner, 'MEMBER') or pg_has_role(nspowner, 'MEMBER')
from pg_class as parts
join pg_namespace on pg_namespace.oid = relnamespace
join pg_roles as role on role.rolname = current_user
where parts.oid = 'ing_cursor_event'::regclass or parts.oid in (select part from ledger_part)
order by parts.oid::regclass::text;
