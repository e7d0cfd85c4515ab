-- Who writes limits: daemons declare those of their files, people set those of the database. Lock order: as in 21_budgets.sql.

-- Writes the limits of a daemon's files, and removes those that its files no longer contain. p_limits: [{scope, faculty, period, unit,
-- amount, on_exceeded}]; p_faculties: the faculties that it has read. Where several running daemons have read different limits, the lowest counts.
-- Locks: the rows of the limits; the accounts and slices of those that were lowered. Raises: nothing.
create or replace function animus.declare_budgets(p_daemon_id uuid, p_limits jsonb, p_faculties text[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now     timestamptz := animus.now();
  v_changed record;
begin
  -- Most calls change nothing, and then write nothing.
  for v_changed in
    insert into animus.budget_limits as l (scope, faculty, period, unit, amount, on_exceeded, origin, daemon_id, set_by, created_at, set_at)
    select g.scope, g.faculty, g.period, g.unit, g.amount, g.on_exceeded, 'file', p_daemon_id, animus.actor(), v_now, v_now
      from jsonb_to_recordset(p_limits) as g (scope text, faculty text, period text, unit text, amount numeric, on_exceeded text)
     order by g.scope, g.faculty, g.period, g.unit
    on conflict (scope, faculty, work_item_id, period, unit, origin) do update
       set amount = excluded.amount, on_exceeded = excluded.on_exceeded, daemon_id = excluded.daemon_id, set_by = excluded.set_by, set_at = excluded.set_at
     where (l.amount, l.on_exceeded) is distinct from (excluded.amount, excluded.on_exceeded)
       and (l.daemon_id = excluded.daemon_id or excluded.amount < l.amount or not animus.daemon_lives(l.daemon_id, v_now))
    returning l.scope, l.faculty, l.created_at = v_now as is_new
  loop
    perform animus.refresh_accounts(v_changed.scope, null, v_changed.faculty, v_changed.is_new);
  end loop;
  delete from animus.budget_limits l
   where l.origin = 'file' and (l.scope = 'appliance' or l.faculty = any (p_faculties))
     and (l.daemon_id = p_daemon_id or not animus.daemon_lives(l.daemon_id, v_now))
     and not exists (select from jsonb_to_recordset(p_limits) as g (scope text, faculty text, period text, unit text)
                      where g.scope = l.scope and g.faculty is not distinct from l.faculty and g.period = l.period and g.unit = l.unit);
end $$;

-- Returns whether a daemon has been seen within two minutes and has not stopped.
-- Locks: none. Raises: nothing.
create or replace function animus.daemon_lives(p_id uuid, p_now timestamptz) returns boolean
language sql stable as $$
  select exists (select from animus.daemons d where d.id = p_id and d.stopped_at is null and d.seen_at > p_now - interval '2 minutes')
$$;

-- Returns slices to the accounts of a limit that was changed, so that it counts for the next turn of each daemon. p_new: there was no limit
-- before, so what was spent meanwhile is counted, and what is under way is held. p_subject: a faculty, an item, or null.
-- Locks: the accounts of the limit; holds whose cost is known; the slices. Raises: nothing.
create or replace function animus.refresh_accounts(p_scope text, p_item uuid, p_faculty text, p_new boolean) returns void
language plpgsql as $$
declare
  v_now     timestamptz := animus.now();
  v_account animus.budget_accounts;
begin
  for v_account in
    select a.* from animus.budget_accounts a
     where a.scope = p_scope and (p_item is null or a.subject = p_item::text) and (p_scope <> 'faculty' or a.subject = p_faculty)
       and a.starts = animus.period_start(a.period, v_now)
       and (p_new or exists (select from animus.budget_slices s where s.account_id = a.id))
     order by a.id for no key update
  loop
    perform animus.settle_account(v_account.id, '00000000-0000-0000-0000-000000000000');
    perform animus.collect_slices(v_account.id);
    continue when not p_new;
    update animus.budget_accounts a set spent = greatest(a.spent, animus.recorded_spend(a.scope, a.subject, a.unit, a.period, a.starts)) where a.id = v_account.id;
    perform animus.hold_under_way(v_account.id);
  end loop;
end $$;

-- Sets a limit of what work may cost. p_scope: 'item', 'root', 'faculty' or 'appliance'; p_subject: the id of a work item, or the name of a faculty (with 'item' and
-- 'root': for each item, or root item, of it), or null; p_period: 'none', 'day' or 'month' (UTC; items and roots have none); p_unit: 'usd' or
-- 'tokens'. An operator's limit replaces that of the faculty's file; that of a submitter, who can limit own items only, can only lower it.
-- A limit under which no turn could begin is refused: one of nothing, and others as far as a daemon has said what a turn costs (require_possible_budget).
-- Locks: the row of the limit; its accounts and their slices. Raises: WA003, WA004, 42501.
create or replace function animus.set_budget(
  p_scope text, p_subject text, p_period text, p_unit text, p_amount numeric, p_on_exceeded text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, gateway.
declare
  v_now  timestamptz := animus.now();
  v_item uuid;
  v_new  boolean;
begin
  if p_scope not in ('item', 'root', 'faculty', 'appliance') or p_period not in ('none', 'day', 'month') or p_unit not in ('usd', 'tokens')
     or coalesce(p_on_exceeded, 'wait') not in ('wait', 'die') or num_nulls(p_scope, p_period, p_unit, p_amount) > 0
     or p_amount < 0 or p_amount >= 1e14 or (p_scope = 'appliance') <> (p_subject is null) or (p_scope in ('item', 'root') and p_period <> 'none') then
    perform animus.raise('WA004', format('no limit can be %s', concat_ws(' ', p_scope, p_subject, p_period, p_unit, p_amount, p_on_exceeded)), null,
      'scope item, root, faculty or appliance; period none, day or month (none for items and roots); unit usd or tokens; amount above 0; on_exceeded wait or die');
  end if;
  if p_scope in ('item', 'root') and p_subject ~* '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' then v_item := p_subject::uuid; end if;
  if p_amount = 0 then
    perform animus.raise('WA004', format('a limit of 0 %s would let no turn begin; to stop %s', case p_unit when 'usd' then 'USD' else 'tokens' end,
      case when v_item is not null then format('the work, cancel it: animus work cancel %s', right(p_subject, 12))
           else concat_ws(' ', 'work, pause it: animus pause', p_subject) end), v_item);
  end if;
  if not animus.may_operate() then
    if v_item is null then
      raise insufficient_privilege using message = format('%I may only limit single items of its own', animus.actor());
    end if;
    perform from animus.work_items w where w.id = v_item and w.submitted_by = animus.actor();
    if not found then perform animus.raise('WA003', format('no work item %s', v_item), v_item); end if;
  end if;
  if v_item is not null then
    perform from animus.work_items w where w.id = v_item and (p_scope = 'item' or w.root_id = w.id);
    if not found then
      perform animus.raise('WA003', format('no work item %s%s', v_item, case p_scope when 'root' then ' without a parent' else '' end), v_item);
    end if;
  end if;
  perform animus.require_possible_budget(p_scope, case when v_item is null then p_subject else (select w.faculty from animus.work_items w where w.id = v_item) end,
    p_unit, p_amount, v_item, v_now);
  insert into animus.budget_limits as l (scope, faculty, work_item_id, period, unit, amount, on_exceeded, origin, set_by, created_at, set_at)
  values (p_scope, case when v_item is null then p_subject end, v_item, p_period, p_unit, p_amount, p_on_exceeded,
          case when animus.may_operate() then 'operator' else 'submitter' end, animus.actor(), v_now, v_now)
  on conflict (scope, faculty, work_item_id, period, unit, origin) do update
     set amount = excluded.amount, on_exceeded = excluded.on_exceeded, set_by = excluded.set_by, set_at = excluded.set_at
  returning l.created_at = v_now into v_new;
  if animus.may_operate() then
    delete from animus.budget_limits l
     where l.scope = p_scope and coalesce(l.work_item_id::text, l.faculty) is not distinct from p_subject and l.period = p_period and l.unit = p_unit
       and l.origin = 'extension';
  end if;
  perform animus.refresh_accounts(p_scope, v_item, p_subject, v_new);
end $$;

-- Refuses a limit under which a faculty could not begin any turn, or that could not be kept: its model has no price. What a turn costs at least is as
-- the daemons have read the files: of those that run, the lowest counts; else that of the last one that ran. For the appliance, all
-- faculties of running daemons count. A faculty that no daemon has served is not known, and allows everything.
-- Locks: none. Raises: WA004.
create or replace function animus.require_possible_budget(
  p_scope text, p_faculty text, p_unit text, p_amount numeric, p_item uuid, p_now timestamptz) returns void
language plpgsql stable as $$
declare
  v_least record;
begin
  select l.* into v_least from (
    select distinct on (f.name) f.name, (f.options #>> array['least', p_unit, 'amount'])::numeric as amount,
           f.options #>> array['least', p_unit, 'says'] as says, f.options #>> '{least,tokens,amount}' is not null as asks_model,
           d.alive
      from (select d.faculties, d.seen_at, d.stopped_at is null and d.seen_at > p_now - interval '2 minutes' as alive from animus.daemons d) d
      cross join lateral jsonb_each(d.faculties) f (name, options)
     where (f.name = p_faculty or p_scope = 'appliance' and d.alive) and f.options #> array['least', p_unit] is not null
     order by f.name, d.alive desc, case when d.alive then (f.options #>> array['least', p_unit, 'amount'])::numeric end nulls last, d.seen_at desc) l
   where (l.amount is null or l.amount > p_amount) and (p_scope <> 'appliance' or l.asks_model)
   order by l.amount desc nulls first, l.name limit 1;
  if not found then return; end if;
  perform animus.raise('WA004', case
      when v_least.amount is null then format('faculty %s can have no limit in %s: %s', v_least.name, case p_unit when 'usd' then 'USD' else 'tokens' end, v_least.says)
      else format('%s %s is less than one answer of faculty %s may cost: %s; raise the limit, or lower max_tokens', trim_scale(p_amount), case p_unit when 'usd' then 'USD' else 'tokens' end,
        v_least.name, v_least.says) end, p_item,
    case when v_least.amount is null then '' when v_least.alive then 'to stop its work, pause it' else 'start a daemon, which reads a changed max_tokens; to stop its work, pause it' end);
end $$;

-- Removes the limits that operators and submitters have set for a subject; those of files stay. Returns how many.
-- Locks: the rows of the limits. Raises: 42501.
create or replace function animus.remove_budget(p_scope text, p_subject text, p_period text, p_unit text) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_count int;
begin
  perform animus.require_operator();
  delete from animus.budget_limits l
   where l.scope = p_scope and coalesce(l.work_item_id::text, l.faculty) is not distinct from p_subject and l.period = p_period and l.unit = p_unit
     and l.origin <> 'file';
  get diagnostics v_count = row_count;
  return v_count;
end $$;
