-- A page costs the ledger less. Postgres reads a table's generated columns and checks anew for every statement, and a
-- function in them is parsed each time.

-- Whoever writes gives the names' number, and `verify` compares. Archived months change too, so that one can be attached.
do $$
declare
    ledger_table regclass;
begin
    for ledger_table in
        select unnest(array['ing_cursor', 'ing_cursor_event']::regclass[])
        union all
        select oid from pg_class where relnamespace = 'ledger_archive'::regnamespace and relkind = 'r'
    loop
        execute format($alter$
            alter table %s alter column namespace_id drop expression, drop constraint namespace_matrix,
                add constraint namespace_matrix check (cursor_type in ('TIME', 'ID', 'TOKEN') and (
                    (operation = 'HARVEST' and namespace_scope in ('GLOBAL', 'EXPR') and direction = 'FORWARD')
                    or (operation = 'BACKFILL' and namespace_scope = 'CUSTOM' and direction = 'BACKFILL')
                    or (operation = 'UPDATE' and namespace_scope = 'CUSTOM' and direction = 'FORWARD')
                ))
        $alter$, ledger_table);
    end loop;
end
$$;
drop function is_namespace;

-- As before, with the numbers.
create or replace function archive_ledger_partition(
    gone regclass, moment timestamptz, out archived text, out events bigint, out copied bigint, out carried bigint
) language plpgsql as $$
declare
    name text := (select relname from pg_class where oid = gone);
    part regclass;
    last_id bigint;
begin
    execute format('alter table ing_cursor_event detach partition %s', gone);
    -- Detaching takes the parent's triggers away.
    execute format(
        'create trigger refuse_change before update or delete on %s for each row execute function refuse_change()', gone
    );
    execute format('alter table %s enable always trigger refuse_change', gone);
    execute format('select count(*), max(event_id) from %s', gone) into events, last_id;
    archived := name;
    if to_regclass('ledger_archive.' || name) is not null then
        archived := name || '_' || last_id;
        execute format('alter table %s rename to %I', gone, archived);
        for part in select indexrelid from pg_index where indrelid = gone loop
            execute format('alter index %s rename to %I', part, archived || '_' || part::oid);
        end loop;
    end if;
    execute format('alter table %s set schema ledger_archive', gone);
    if name = 'ing_cursor_event_default' then
        create table ing_cursor_event_default partition of ing_cursor_event default;
        perform protect_ledger('ing_cursor_event_default');
    end if;
    execute format($copy$
        insert into ing_cursor_event (
            event_id, namespace_id, prev_position, new_position, prev_token, new_token, recorded_at, window_from,
            window_to, page_number, row_count, table_name, series_id, operation, namespace_scope, namespace_key,
            direction, cursor_type, reason, cap_key, run_id, lane, request, idempotent_key
        )
        select past.event_id, past.namespace_id, prev_position, new_position, prev_token, new_token, $1, window_from,
               window_to, page_number, row_count, table_name, series_id, operation, namespace_scope, namespace_key, direction,
               cursor_type, reason, cap_key, run_id, lane, request, 'carried/' || idempotent_key
        from (select namespace_id, max(event_id) as last_id from %1$s group by namespace_id) as ended
        cross join lateral (
            select min(event_id) as first_id from ing_cursor_event where namespace_id = ended.namespace_id
        ) as staying
        join %1$s as past on past.namespace_id = ended.namespace_id and past.event_id > staying.first_id
        where ended.last_id > staying.first_id and past.reason <> 'no-forward'
    $copy$, gone) using moment;
    get diagnostics copied = row_count;
    execute format($carry$
        insert into ing_cursor_event (
            namespace_id, prev_position, new_position, prev_token, new_token, recorded_at, table_name, series_id,
            operation, namespace_scope, namespace_key, direction, cursor_type, reason, request, idempotent_key
        )
        select last.namespace_id, ended.position, ended.position, last.new_token, last.new_token, $1, table_name,
               series_id, operation, namespace_scope, namespace_key, direction, cursor_type, 'no-forward', 'carried from ' || $2,
               format('carried/%%s/%%s', $2, last.namespace_id)
        from (
            select namespace_id, max(event_id) as last_id, max(new_position) as high, min(new_position) as low
            from %1$s where new_position is not null or new_token is not null group by namespace_id
        ) as value
        join %1$s as last on last.namespace_id = value.namespace_id and last.event_id = value.last_id
        cross join lateral (select case direction when 'FORWARD' then high else low end as position) as ended
        where not exists (
            select from ing_cursor_event as staying
            where staying.namespace_id = value.namespace_id
              and (staying.reason <> 'no-forward' or staying.new_position = ended.position
                   or staying.new_token = last.new_token)
        )
        -- Sorting makes it look for all of them before it appends the first.
        order by value.last_id
    $carry$, gone) using moment, archived;
    get diagnostics carried = row_count;
end
$$;
