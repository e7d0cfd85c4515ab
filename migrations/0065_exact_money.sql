-- Amounts of money are exact: numeric without a scale, rounded only where they are shown. What requests have cost that gave nothing is counted beside what
-- answers have cost. No table is rewritten, and no index but that of the daily sums: docs/operations.md says what an upgrade locks.

-- The type of a column that a view reads cannot be changed, so all views of these columns are dropped and created again here, with those of others and
-- with all their rights.
do $$
declare
  v_columns constant text[] := array['work_items.cost_usd', 'turns.cost_usd', 'turns.reserved_usd', 'turns.lost_usd', 'spend_calls.usd', 'spend_sums.usd',
    'spend_days.usd', 'spend.usd', 'skill_outcomes.cost_usd', 'budget_limits.amount', 'budget_accounts.spent', 'budget_accounts.held', 'budget_slices.free',
    'budget_slices.spent', 'budget_holds.amount', 'budget_holds.cost'];
  v_views  json;
  v_view   record;
  v_column record;
  v_grant  record;
  v_more   text;
  v_detail text;
begin
  with recursive reading as (
    select r.ev_class as id, 1 as depth
      from unnest(v_columns) c (name)
      join pg_class t on t.relnamespace = 'animus'::regnamespace and t.relname = split_part(c.name, '.', 1) and t.relkind = 'r'
      join pg_attribute a on a.attrelid = t.oid and a.attname = split_part(c.name, '.', 2)
      join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = t.oid and d.refobjsubid = a.attnum and d.classid = 'pg_rewrite'::regclass
      join pg_rewrite r on r.oid = d.objid
    union
    select r.ev_class, v.depth + 1
      from reading v
      join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = v.id and d.classid = 'pg_rewrite'::regclass
      join pg_rewrite r on r.oid = d.objid and r.ev_class <> v.id)
  select json_agg(json_build_object('id', c.oid, 'name', c.oid::regclass::text, 'kind', c.relkind, 'ours', c.relnamespace = 'animus'::regnamespace,
           'text', pg_get_viewdef(c.oid), 'options', array_to_string(c.reloptions, ', '), 'owner', pg_get_userbyid(c.relowner), 'said', obj_description(c.oid, 'pg_class'),
           'granted', (select json_agg(json_build_object('to', case when g.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(g.grantee)) end,
                                'may', g.privilege_type || g.columns, 'more', g.is_grantable))
                         from (select r.*, '' as columns from aclexplode(c.relacl) r
                               union all
                               select r.*, format('(%I)', a.attname) from pg_attribute a cross join lateral aclexplode(a.attacl) r where a.attrelid = c.oid) g
                        where g.grantee <> c.relowner),
           'more', (select json_agg(d.text)
                      from (select pg_get_triggerdef(t.oid) as text from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal
                            union all
                            select format('comment on column %s.%I is %L', c.oid::regclass, a.attname, col_description(c.oid, a.attnum)) from pg_attribute a
                             where a.attrelid = c.oid and a.attnum > 0 and col_description(c.oid, a.attnum) is not null
                            union all
                            select format('alter view %s alter column %I set default %s', c.oid::regclass, a.attname, pg_get_expr(f.adbin, f.adrelid)) from pg_attrdef f
                              join pg_attribute a on a.attrelid = f.adrelid and a.attnum = f.adnum where f.adrelid = c.oid) d)) order by v.depth)
    into v_views
    from (select id, max(depth) as depth from reading group by id) v join pg_class c on c.oid = v.id;

  for v_view in select v.* from rows from (json_to_recordset(v_views) as (name text, kind "char")) with ordinality as v (name, kind, nth) order by v.nth desc loop
    if v_view.kind = 'm' then
      raise exception 'the materialized view % reads amounts whose type changes', v_view.name using hint = 'drop it, migrate, and create it again';
    end if;
    begin
      execute format('drop view %s', v_view.name);
    exception when dependent_objects_still_exist then
      get stacked diagnostics v_detail = pg_exception_detail;
      raise exception 'the view % reads amounts whose type changes, and other objects depend on it', v_view.name
        using detail = v_detail, hint = 'drop these, migrate, and create them again';
    end;
  end loop;
  for v_column in
    select t.oid::regclass::text as place, a.attname as name
      from unnest(v_columns) c (name)
      join pg_class t on t.relnamespace = 'animus'::regnamespace and t.relname = split_part(c.name, '.', 1) and t.relkind = 'r'
      join pg_attribute a on a.attrelid = t.oid and a.attname = split_part(c.name, '.', 2)
  loop
    begin
      execute format('alter table %s alter column %I type numeric', v_column.place, v_column.name);
    exception when feature_not_supported or dependent_objects_still_exist then
      get stacked diagnostics v_detail = pg_exception_detail;
      raise exception '%: column %.%', sqlerrm, v_column.place, v_column.name using detail = v_detail, hint = 'drop it, migrate, and create it again';
    end;
  end loop;
  for v_view in
    select v.* from rows from (json_to_recordset(v_views) as (name text, ours boolean, text text, options text, owner text, said text, granted json, more json))
                    with ordinality as v (name, ours, text, options, owner, said, granted, more, nth) order by v.nth
  loop
    execute format('create view %s%s as %s', v_view.name, ' with (' || nullif(v_view.options, '') || ')',
      case when v_view.ours then replace(v_view.text, 'numeric(14,6)', 'numeric') else v_view.text end);
    if v_view.said is not null then execute format('comment on view %s is %L', v_view.name, v_view.said); end if;
    for v_grant in select g.* from json_to_recordset(v_view.granted) as g ("to" text, may text, more boolean) loop
      execute format('grant %s on %s to %s%s', v_grant.may, v_view.name, v_grant."to", case when v_grant.more then ' with grant option' else '' end);
    end loop;
    for v_more in select t from json_array_elements_text(v_view.more) t loop execute v_more; end loop;
    if v_view.owner <> current_user then
      begin
        execute format('alter view %s owner to %I', v_view.name, v_view.owner);
      exception when insufficient_privilege then
        execute format('grant all on %s to %I', v_view.name, v_view.owner);
      end;
    end if;
  end loop;
end $$;

alter table animus.turns
  add column reserved_tokens bigint not null default 0, -- what the newest request that is reserved in the row may use at most, as far as it is known
  add column reserved_for    jsonb,                     -- {model, operation} of a call that is no turn; null: not known, or reserved_usd is of the turn
  add column reserved_on     date;                      -- UTC; of a call that is no turn, when it began; null: reserved_usd is of the turn

alter table animus.work_items
  add column lost_usd        numeric not null default 0, -- of requests that gave nothing; not in cost_usd
  add column lost_requests   int not null default 0,     -- of these, those without a known price are in unpriced_calls
  add column estimated_usd   numeric not null default 0, -- part of cost_usd: of answers whose tokens the provider did not count
  add column calls           int not null default 0,     -- since version 0065 of the schema
  add column uncounted_calls int not null default 0,     -- whose tokens nobody has counted
  add column assumed_tokens  bigint not null default 0;  -- of lost requests and uncounted answers, as limits count them

alter table animus.spend_calls
  add column calls          int not null default 1, -- 0: a request that gave nothing, or a correction
  add column estimated      boolean not null default false,
  add column counted        boolean not null default true,
  add column lost_usd       numeric not null default 0,
  add column lost_requests  int not null default 0,
  add column lost_unpriced  int not null default 0,
  add column assumed_tokens bigint not null default 0,
  add column source         text; -- of the root item

alter table animus.spend_sums
  add column estimated_usd   numeric not null default 0,
  add column lost_usd        numeric not null default 0,
  add column lost_requests   bigint not null default 0,
  add column uncounted_calls bigint not null default 0,
  add column assumed_tokens  bigint not null default 0,
  add column source          text not null default ''; -- '': unknown
alter table animus.spend_sums drop constraint spend_sums_pkey, add primary key (day, faculty, model, operation, submitter, source);

-- What the request under way may cost, which the limits for all work count as spent already; begun_at is null without one.
alter table animus.embedders
  add column held_usd    numeric default 0, -- null: without a price
  add column held_tokens bigint not null default 0,
  add column begun_at    timestamptz;

-- A turn says what was lost with it; the item and the spend count it in the same transaction, whoever says so (functions/15_spend.sql).
create function animus.count_loss() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_usd    constant numeric := new.lost_usd - old.lost_usd;
  v_lost   constant int := new.lost_requests - old.lost_requests;
  v_tokens constant bigint := v_lost * old.reserved_tokens;
  v_item   record;
begin
  update animus.work_items w set lost_usd = w.lost_usd + v_usd, lost_requests = w.lost_requests + v_lost, assumed_tokens = w.assumed_tokens + v_tokens,
         unpriced_calls = w.unpriced_calls + new.lost_unpriced - old.lost_unpriced
    from animus.foci f where f.id = new.focus_id and w.id = f.work_item_id returning w.faculty, w.root_id into v_item;
  insert into animus.spend_calls (faculty, model, day, usd, input_tokens, output_tokens, submitter, source, calls, lost_usd, lost_requests, lost_unpriced,
                                  assumed_tokens)
  select v_item.faculty, coalesce(new.provider || '/' || new.model, '(unknown)'), (old.begun_at at time zone 'UTC')::date, 0, 0, 0, r.submitted_by, r.source, 0, v_usd, v_lost,
         new.lost_unpriced - old.lost_unpriced, v_tokens
    from animus.work_items r where r.id = v_item.root_id;
  return null;
end $$;
create trigger turns_count_loss after update of lost_usd, lost_requests on animus.turns for each row
  when (new.lost_usd <> old.lost_usd or new.lost_requests <> old.lost_requests) execute function animus.count_loss();

-- What was lost before, in an unknown number of requests. Nobody can change a turn while this transaction lasts.
with lost as (
  select f.work_item_id, coalesce(t.provider || '/' || t.model, '(unknown)') as model, (t.begun_at at time zone 'UTC')::date as day, sum(t.lost_usd) as usd
    from animus.turns t join animus.foci f on f.id = t.focus_id where t.lost_usd > 0 group by 1, 2, 3),
counted as (
  update animus.work_items w set lost_usd = w.lost_usd + l.usd from (select work_item_id, sum(usd) as usd from lost group by 1) l where w.id = l.work_item_id)
insert into animus.spend_calls (faculty, model, day, usd, input_tokens, output_tokens, submitter, source, calls, lost_usd)
select w.faculty, l.model, l.day, 0, 0, 0, r.submitted_by, r.source, 0, l.usd
  from lost l join animus.work_items w on w.id = l.work_item_id join animus.work_items r on r.id = w.root_id;
