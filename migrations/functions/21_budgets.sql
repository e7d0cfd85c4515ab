-- Limits of what work may cost: which of them apply, what was spent under each, and who writes them.
--
-- Lock order: the item; then, account by account in the order of their ids: holds, the account, its slices. Whoever holds a slice never asks
-- for the account of the same id. Only a change of
-- a limit waits for the disk while it holds a slice or an account.

-- Returns whether any limit applies to an item.
-- Locks: none. Raises: nothing.
create or replace function animus.has_budget(p_id uuid, p_faculty text) returns boolean
language sql stable as $$
  select exists (select from animus.budget_limits l where l.scope = 'appliance')
      or exists (select from animus.budget_limits l where l.faculty = p_faculty and l.scope <> 'root')
      or exists (select from animus.work_items w join animus.budget_limits l on l.work_item_id in (w.id, w.root_id) where w.id = p_id)
      or exists (select from animus.work_items w join animus.work_items r on r.id = w.root_id
                   join animus.budget_limits l on l.faculty = r.faculty and l.scope = 'root' where w.id = p_id)
$$;

-- Returns the beginning of a period: the UTC day, or its month.
-- Locks: none. Raises: nothing.
create or replace function animus.period_start(p_period text, p_now timestamptz) returns date
language sql immutable parallel safe as $$
  select case p_period when 'day' then (p_now at time zone 'UTC')::date
                       when 'month' then date_trunc('month', p_now at time zone 'UTC')::date else date '1970-01-01' end
$$;

-- Returns the moment when a period is over; null without one.
-- Locks: none. Raises: nothing.
create or replace function animus.period_end(p_period text, p_starts date) returns timestamptz
language sql immutable parallel safe as $$
  select case p_period when 'day' then (p_starts + interval '1 day') at time zone 'UTC'
                       when 'month' then (p_starts + interval '1 month') at time zone 'UTC' end
$$;

-- Returns the limits that apply to an item now: one row for each thing, unit and period. What a person has approved counts before all others, then
-- an operator's limit on the item or root itself. Otherwise an operator's limit replaces that of the files, and a submitter can only lower
-- it. base: without what was approved. since: how long there has been a limit.
-- Locks: none. Raises: nothing.
create or replace function animus.budget_of(p_id uuid, p_now timestamptz)
returns table (scope text, subject text, unit text, period text, starts date, amount numeric, base numeric, on_exceeded text, since timestamptz)
language sql stable as $$
  with item as (
    select w.id, w.faculty, w.root_id, r.faculty as root_faculty from animus.work_items w join animus.work_items r on r.id = w.root_id where w.id = p_id),
  applied as (
    select l.*, l.work_item_id::text as named from item i join animus.budget_limits l on l.work_item_id = i.id and l.scope = 'item'
    union all
    select l.*, l.work_item_id::text from item i join animus.budget_limits l on l.work_item_id = i.root_id and l.scope = 'root'
    union all
    select l.*, case l.scope when 'item' then i.id::text else l.faculty end
      from item i join animus.budget_limits l on l.faculty = i.faculty and l.scope in ('item', 'faculty')
    union all
    select l.*, i.root_id::text from item i join animus.budget_limits l on l.faculty = i.root_faculty and l.scope = 'root'
    union all
    select l.*, '' from animus.budget_limits l where l.scope = 'appliance'),
  grouped as (
    select a.scope, a.named, a.unit, a.period,
           max(a.amount) filter (where a.origin = 'extension') as approved,
           coalesce(max(a.amount) filter (where a.origin = 'operator' and a.work_item_id is not null),
                    least(coalesce(max(a.amount) filter (where a.origin = 'operator'), min(a.amount) filter (where a.origin = 'file')),
                          min(a.amount) filter (where a.origin = 'submitter'))) as base,
           (array_agg(a.on_exceeded order by a.origin = 'operator' desc, a.work_item_id nulls last) filter (where a.on_exceeded is not null))[1] as on_exceeded,
           min(a.created_at) as since
      from applied a where a.expires_at is null or a.expires_at > p_now
     group by a.scope, a.named, a.unit, a.period)
  -- An extension whose limit is gone limits nothing.
  select g.scope, g.named, g.unit, g.period, animus.period_start(g.period, p_now), greatest(g.approved, g.base), g.base, coalesce(g.on_exceeded, 'wait'), g.since
    from grouped g where g.base is not null
$$;

drop function if exists animus.budget_account(text, text, text, text, date, timestamptz);
-- Returns the account of a thing, unit and period. A new one begins with what was spent before there was a limit, and holds what is under way.
-- Locks: none; a new account waits for another transaction that creates the same. Raises: nothing.
create or replace function animus.budget_account(p_scope text, p_subject text, p_unit text, p_period text, p_starts date) returns bigint
language plpgsql as $$
declare
  v_id bigint;
begin
  select a.id into v_id from animus.budget_accounts a
   where a.scope = p_scope and a.subject = p_subject and a.unit = p_unit and a.period = p_period and a.starts = p_starts;
  if found then return v_id; end if;
  insert into animus.budget_accounts (scope, subject, unit, period, starts, spent)
  values (p_scope, p_subject, p_unit, p_period, p_starts, animus.recorded_spend(p_scope, p_subject, p_unit, p_period, p_starts))
  on conflict do nothing returning id into v_id;
  if v_id is not null then
    perform animus.hold_under_way(v_id);
  else
    select a.id into v_id from animus.budget_accounts a
     where a.scope = p_scope and a.subject = p_subject and a.unit = p_unit and a.period = p_period and a.starts = p_starts;
  end if;
  return v_id;
end $$;

drop function if exists animus.recorded_spend(text, text, text, date);
-- Returns what counts as spent in a period before anything is held: what is recorded and lost, and what the embeddings of memories hold that are under way.
-- Locks: none. Raises: nothing.
create or replace function animus.recorded_spend(p_scope text, p_subject text, p_unit text, p_period text, p_starts date) returns numeric
language plpgsql stable as $$
begin
  return (
    select u.spent + coalesce((select sum(case p_unit when 'usd' then e.held_usd else e.held_tokens end) from animus.embedders e
                                where p_scope = 'appliance' and animus.period_start(p_period, e.begun_at) = p_starts), 0)
      from animus.budget_use(p_scope, p_subject, p_unit, p_period, p_starts, true) u);
end $$;

-- Holds in a new account what is under way already, as far as it is known what that may cost: without a limit, it may be nothing. It is settled like any other hold.
-- Locks: none beyond those of the caller. Raises: nothing.
create or replace function animus.hold_under_way(p_account bigint) returns void
language sql as $$
  with held as (
    insert into animus.budget_holds (focus_id, turn, account_id, work_item_id, token, attempt, amount)
    select u.focus_id, u.turn, a.id, u.work_item_id, u.token, coalesce(u.request, gen_random_uuid()), case a.unit when 'usd' then u.usd else u.tokens end
      from animus.budget_accounts a cross join lateral animus.requests_under_way(a.scope, a.subject) u
     where a.id = p_account and animus.period_start(a.period, u.begun_at) = a.starts
    on conflict do nothing returning amount)
  update animus.budget_accounts a set held = a.held + h.amount from (select sum(amount) as amount from held) h where a.id = p_account and h.amount is not null
$$;

-- Returns what a turn under way has cost in the end: as recorded, or all that was held for it if it was lost or the provider did not say, or nothing if it was never sent;
-- null while it is open. p_over: the caller knows that the request is not under way any more, because it runs the focus itself.
-- Locks: none. Raises: nothing.
create or replace function animus.hold_cost(p_hold animus.budget_holds, p_over boolean) returns numeric
language plpgsql stable as $$
declare
  v_turn record;
  v_unit text;
begin
  if p_hold.cost is not null then return p_hold.cost; end if;
  if p_hold.turn > 0 then
    select t.recorded_at, t.cost_usd, t.usage into v_turn from animus.turns t where t.focus_id = p_hold.focus_id and t.turn = p_hold.turn;
    if v_turn.recorded_at is not null then
      select a.unit into v_unit from animus.budget_accounts a where a.id = p_hold.account_id;
      -- Without a cost: a model without a price, under a limit in USD that was set meanwhile.
      return case when v_unit = 'usd' then coalesce(v_turn.cost_usd, p_hold.amount) when v_turn.usage is null then p_hold.amount
        else coalesce((v_turn.usage ->> 'input')::bigint, 0) + coalesce((v_turn.usage ->> 'output')::bigint, 0) end;
    end if;
    if animus.turn_under_way(p_hold.focus_id, p_hold.turn) then return null; end if;
  end if;
  if not p_over and exists (select from animus.work_items w where w.id = p_hold.work_item_id and w.lease_token = p_hold.token and w.state in ('claimed', 'running')) then
    return null;
  end if;
  return case when p_hold.unsent then 0 else p_hold.amount end;
end $$;

drop function if exists animus.close_hold(animus.budget_holds, numeric);
-- Removes a hold whose cost is known. Where nobody has said what the request cost, and no answer was recorded, it is lost: all that was held is spent.
-- Locks: none beyond those of the caller, who has locked the hold, and the item of a request that is lost. Raises: nothing.
create or replace function animus.close_hold(p_hold animus.budget_holds) returns void
language plpgsql as $$
begin
  if p_hold.cost is null then
    -- Of the holds of a request, the first one that is closed ends its reservation.
    perform animus.count_lost(p_hold.focus_id, p_hold.turn, 1, p_hold.attempt);
  end if;
  delete from animus.budget_holds h where h.focus_id = p_hold.focus_id and h.turn = p_hold.turn and h.account_id = p_hold.account_id;
end $$;

-- Returns whether a hold that is over says that its request gave nothing, and nobody has counted that yet.
-- Locks: none. Raises: nothing.
create or replace function animus.is_loss(p_hold animus.budget_holds) returns boolean
language sql stable as $$
  select p_hold.cost is null and exists (select from animus.turns t where t.focus_id = p_hold.focus_id and t.open_request = p_hold.attempt)
$$;

-- Settles the holds of an account whose cost is known by now, in favour of a daemon's slice. Returns how many.
-- Locks: the holds, and skips those that others have locked; the items of lost requests, as the holds; then the slice. Raises: nothing.
create or replace function animus.settle_account(p_account bigint, p_daemon uuid) returns int
language plpgsql as $$
declare
  v_hold   animus.budget_holds;
  v_cost   numeric;
  v_credit numeric := 0;
  v_spent  numeric := 0;
  v_count  int := 0;
begin
  for v_hold in
    select h.* from animus.budget_holds h
     where h.account_id = p_account and animus.hold_cost(h, false) is not null order by h.focus_id, h.turn for update skip locked
  loop
    v_cost := animus.hold_cost(v_hold, false);
    continue when v_cost is null;
    if animus.is_loss(v_hold) then
      -- Without waiting, because items come before holds in the order of locks. A deleted item is no obstacle.
      perform from animus.work_items w where w.id = v_hold.work_item_id for no key update skip locked;
      continue when not found and exists (select from animus.work_items w where w.id = v_hold.work_item_id);
    end if;
    perform animus.close_hold(v_hold);
    v_credit := v_credit + v_hold.amount - v_cost;
    v_spent := v_spent + v_cost;
    v_count := v_count + 1;
  end loop;
  if v_count > 0 then perform animus.credit_slice(p_account, p_daemon, v_credit, v_spent); end if;
  return v_count;
end $$;

-- Adds to a daemon's slice of an account.
-- Locks: the slice. Raises: nothing.
create or replace function animus.credit_slice(p_account bigint, p_daemon uuid, p_free numeric, p_spent numeric) returns void
language sql as $$
  insert into animus.budget_slices as s (account_id, daemon_id, free, spent, used_at) values (p_account, p_daemon, p_free, p_spent, animus.now())
  on conflict (account_id, daemon_id) do update set free = s.free + excluded.free, spent = s.spent + excluded.spent, used_at = excluded.used_at
$$;

-- Returns all slices of an account to it.
-- Locks: none beyond those of the caller, who has locked the account; the slices. Raises: nothing.
create or replace function animus.collect_slices(p_account bigint) returns void
language sql as $$
  with gone as (delete from animus.budget_slices s where s.account_id = p_account returning s.free, s.spent),
  sums as (select coalesce(sum(free), 0) as free, coalesce(sum(spent), 0) as spent from gone)
  update animus.budget_accounts a set spent = a.spent + sums.spent, held = a.held - sums.spent - sums.free from sums where a.id = p_account
$$;

-- Settles what can be settled, in favour of a daemon's slices; returns how many holds. For the sweep of a daemon, and whoever wants exact sums.
-- An account whose limit somebody is changing is left for the next sweep.
-- Locks: the holds, and skips those that others have locked; the slices of the daemon, and waits a fifth of a second at most. Raises: nothing.
create or replace function animus.settle_budgets(p_daemon_id uuid, p_limit int default 1000) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms' as $$
declare
  v_account bigint;
  v_count   int := 0;
begin
  perform set_config('synchronous_commit', 'off', true);
  perform animus.lose_embeddings(null);
  for v_account in select distinct h.account_id from animus.budget_holds h order by h.account_id limit p_limit loop
    begin
      v_count := v_count + animus.settle_account(v_account, p_daemon_id);
    exception when lock_not_available or deadlock_detected then null;
    end;
  end loop;
  return v_count;
end $$;

-- Returns slices to their accounts: those of the daemon itself if p_all, and those that nobody has used for a minute. Returns how many.
-- Locks: the accounts, and skips those that others have locked; their slices. Raises: nothing.
create or replace function animus.return_slices(p_daemon_id uuid, p_all boolean default false) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_ids   bigint[];
  v_id    bigint;
  v_count int;
begin
  perform set_config('synchronous_commit', 'off', true);
  select coalesce(array_agg(distinct s.account_id), '{}'), count(*) into v_ids, v_count from animus.budget_slices s
   where s.used_at < animus.now() - interval '1 minute' or (p_all and s.daemon_id = p_daemon_id);
  for v_id in select a.id from animus.budget_accounts a where a.id = any (v_ids) order by a.id for no key update skip locked loop
    perform animus.collect_slices(v_id);
  end loop;
  return v_count;
end $$;

-- Removes what no turn needs any more: accounts of items that have ended and of days and months more than 400 days ago, limits of deleted
-- items, notes of what deleted foci were told, and extensions that are over. An account that is needed again is made from the recorded turns. Returns how many accounts.
-- Locks: the accounts, and skips those that others have locked. Raises: nothing.
create or replace function animus.prune_budgets(p_limit int default 1000) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := animus.now();
  v_ids bigint[];
begin
  v_ids := array(
    select a.id from animus.budget_accounts a
     where a.held = 0 and not exists (select from animus.budget_holds h where h.account_id = a.id)
       and not exists (select from animus.budget_slices s where s.account_id = a.id)
       and (a.period <> 'none' and a.starts < (v_now - interval '400 days')::date
            or a.scope = 'item' and not exists (select from animus.work_items w where w.id = a.subject::uuid and w.resolved_at is null)
            or a.scope = 'root' and not exists (select from animus.work_items w where w.id = a.subject::uuid))
     order by a.id limit p_limit for update skip locked);
  delete from animus.budget_warnings n
   where n.account_id = any (v_ids) or not exists (select from animus.foci f where f.id = n.focus_id);
  delete from animus.budget_accounts a where a.id = any (v_ids);
  delete from animus.budget_limits l where l.expires_at < v_now
      or l.work_item_id is not null and not exists (select from animus.work_items w where w.id = l.work_item_id);
  return cardinality(v_ids);
end $$;

-- Writes the limits of a daemon's files, and removes those that its files do not contain any more. p_limits: [{scope, faculty, period, unit,
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
      raise insufficient_privilege using message = format('%I may limit single items of its own only', animus.actor());
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
      else format('%s %s are less than one answer of faculty %s may cost: %s; raise the limit, or lower max_tokens', trim_scale(p_amount), case p_unit when 'usd' then 'USD' else 'tokens' end,
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

-- Returns the lines of budget_left and budget_shown. p_exact: as budget_use.
-- Locks: none. Raises: nothing.
create or replace function animus.budget_lines(p_id uuid, p_exact boolean) returns json
language plpgsql stable as $$
begin
  if not exists (select from animus.budget_limits) then return null; end if;
  return (
    select json_agg(json_build_object('scope', b.scope, 'subject', b.subject, 'unit', b.unit, 'period', b.period, 'ends', animus.period_end(b.period, b.starts),
             'amount', b.amount, 'spent', u.spent, 'held', u.held, 'used', u.spent + u.held, 'left', greatest(b.amount - u.spent - u.held, 0),
             'on_exceeded', b.on_exceeded) order by b.scope, b.period, b.unit)
      from animus.budget_of(p_id, animus.now()) b
      cross join lateral animus.budget_use(b.scope, b.subject, b.unit, b.period, b.starts, p_exact) u);
end $$;

-- Returns the limits that apply to an item with what is left of each, for the first message of a focus; null if none applies. As budget_shown, but a turn that has
-- ended may count as what was held for it for up to 15 seconds.
-- Locks: none. Raises: nothing.
create or replace function animus.budget_left(p_id uuid) returns json
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select animus.budget_lines(p_id, false)
$$;

-- Returns the limits that apply to an item with what is left of each, for people: [{scope, subject, unit, period, ends, amount, spent, held, used, left,
-- on_exceeded}]; null if none applies. used: what is spent and what is held for turns under way.
-- Locks: none. Raises: nothing.
create or replace function animus.budget_shown(p_id uuid) returns json
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select animus.budget_lines(p_id, true)
$$;

-- Returns what is used of an account, turns under way included; null without an account.
-- Locks: none. Raises: nothing.
create or replace function animus.budget_used(p_scope text, p_subject text, p_unit text, p_period text, p_starts date) returns numeric
language sql stable as $$
  select a.spent + a.held - (select coalesce(sum(s.free), 0) from animus.budget_slices s where s.account_id = a.id)
    from animus.budget_accounts a
   where a.scope = p_scope and a.subject = p_subject and a.unit = p_unit and a.period = p_period and a.starts = p_starts
$$;

drop function if exists animus.budget_use(bigint, boolean);
-- Returns what counts under a limit: what is spent, and what is held for requests under way. p_exact: as animus.costs says; else as its account says, in which a turn
-- that has ended may count for up to 15 seconds as what was held for it, which does not read the turns under way.
-- Locks: none. Raises: nothing.
create or replace function animus.budget_use(
  p_scope text, p_subject text, p_unit text, p_period text, p_starts date, p_exact boolean, out spent numeric, out held numeric)
language plpgsql stable as $$
begin
  if p_exact then
    select case p_unit when 'usd' then c.usd else c.input_tokens + c.output_tokens + c.assumed_tokens end, case p_unit when 'usd' then c.held_usd else c.held_tokens end
      into spent, held
      from animus.count_costs(p_scope, p_subject, case when p_period <> 'none' then p_starts end, (animus.period_end(p_period, p_starts) at time zone 'UTC')::date) c;
    return;
  end if;
  select coalesce(sum(a.spent + s.spent), 0), coalesce(sum(a.held - s.free - s.spent), 0) into spent, held
    from animus.budget_accounts a
    cross join lateral (select coalesce(sum(b.free), 0) as free, coalesce(sum(b.spent), 0) as spent from animus.budget_slices b where b.account_id = a.id) s
   where a.scope = p_scope and a.subject = p_subject and a.unit = p_unit and a.period = p_period and a.starts = p_starts;
end $$;

-- Returns limits of which 80 % or more are used, at most 20, for `animus status`: those of faculties and of the appliance, and those of items and roots
-- whose running focus was warned, so that its cost depends on neither the number of items nor that of their limits.
-- Locks: none. Raises: nothing.
create or replace function animus.budget_status() returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := animus.now();
begin
  if not exists (select from animus.budget_limits) then return '{"budgets": []}'; end if;
  return jsonb_build_object('budgets', coalesce((
    with general as (
      select l.scope, coalesce(l.faculty, '') as subject, l.unit, l.period, max(l.amount) filter (where l.origin = 'extension') as approved,
             coalesce(max(l.amount) filter (where l.origin = 'operator'), min(l.amount) filter (where l.origin = 'file')) as base
        from animus.budget_limits l
       where l.scope in ('faculty', 'appliance') and (l.expires_at is null or l.expires_at > v_now) group by l.scope, l.faculty, l.unit, l.period),
    warned as (
      select distinct f.work_item_id, a.scope, a.subject, a.unit
        from animus.work_items w
        join animus.foci f on f.work_item_id = w.id and f.ended_as is null
        join animus.budget_warnings n on n.focus_id = f.id
        join animus.budget_accounts a on a.id = n.account_id and a.scope in ('item', 'root')
       where w.state in ('claimed', 'running') limit 20),
    applied as (
      select g.scope, g.subject, g.unit, g.period, animus.period_start(g.period, v_now) as starts, greatest(g.approved, g.base) as amount
        from general g where g.base is not null
      union
      select b.scope, b.subject, b.unit, b.period, b.starts, b.amount
        from warned d cross join lateral animus.budget_of(d.work_item_id, v_now) b where (b.scope, b.subject, b.unit) = (d.scope, d.subject, d.unit)),
    near as (
      select p.*,
             case when a.id is null then animus.recorded_spend(p.scope, p.subject, p.unit, p.period, p.starts) else a.spent + a.held - coalesce(s.free, 0) end as used
        from applied p
        left join animus.budget_accounts a
               on (a.scope, a.subject, a.unit, a.period, a.starts) = (p.scope, p.subject, p.unit, p.period, p.starts)
        left join (select b.account_id, sum(b.free) as free from animus.budget_slices b group by b.account_id) s on s.account_id = a.id)
    select jsonb_agg(jsonb_build_object('scope', t.scope, 'subject', t.subject, 'unit', t.unit, 'period', t.period,
             'ends', animus.period_end(t.period, t.starts), 'amount', t.amount, 'spent', u.spent, 'held', u.held, 'used', u.spent + u.held)
             order by t.used / nullif(t.amount, 0) desc, t.scope, t.subject)
      from (select * from near n where n.used >= 0.8 * n.amount order by n.used / nullif(n.amount, 0) desc, n.scope, n.subject limit 20) t
      cross join lateral animus.budget_use(t.scope, t.subject, t.unit, t.period, t.starts, true) u
     where u.spent + u.held >= 0.8 * t.amount), '[]'));
end $$;

-- A function with fewer columns cannot be replaced.
do $$
begin
  if pg_get_function_result(to_regprocedure('animus.list_budgets(int)')) !~ 'lost' then drop function animus.list_budgets(int); end if;
end $$;

-- Returns all limits with what is used of each now, as `animus budget list` prints them: what is spent, with the parts of it that are estimated and lost; what
-- is held for requests under way; and spent and held as used; null for limits of each item of a faculty. One row for each limit: origin and set_by are those of what counts now (an approval, what an operator or a
-- submitter has set, or a file), base is what it is without an approval.
-- Locks: none. Raises: 42501.
create or replace function animus.list_budgets(p_limit int default 1000)
returns table (scope text, subject text, period text, unit text, amount numeric, used numeric, on_exceeded text, origin text, set_by text, set_at timestamptz, expires_at timestamptz,
               spent numeric, held numeric, base numeric, estimated numeric, lost numeric)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := animus.now();
begin
  perform animus.require_operator();
  return query
    with counting as (
      select distinct on (l.scope, l.faculty, l.work_item_id, l.period, l.unit) l.*, g.base, g.then
        from animus.budget_limits l
        join lateral (
          select coalesce(max(o.amount) filter (where o.origin = 'operator'), max(o.amount) filter (where o.origin = 'submitter'), max(o.amount) filter (where o.origin = 'file')) as base,
                 (array_agg(o.on_exceeded order by o.origin = 'operator' desc) filter (where o.on_exceeded is not null))[1] as then
            from animus.budget_limits o
           where (o.scope, o.period, o.unit) = (l.scope, l.period, l.unit) and o.faculty is not distinct from l.faculty and o.work_item_id is not distinct from l.work_item_id
             and (o.expires_at is null or o.expires_at > v_now)) g on true
       where (l.expires_at is null or l.expires_at > v_now)
         -- What was approved counts while it is more than what is set, as in budget_of.
         and (l.origin <> 'extension' or l.amount > g.base
              -- What was approved for one item counts above the limit of each item, as long as the item has not ended.
              or g.base is null and exists (select from animus.work_items w where w.id = l.work_item_id and w.state not in ('completed', 'dead', 'merged', 'cancelled')))
       order by l.scope, l.faculty, l.work_item_id, l.period, l.unit, array_position(array['extension', 'operator', 'submitter', 'file'], l.origin)),
    shown as materialized (
      select c.*, coalesce(c.work_item_id::text, c.faculty) as named from counting c
       order by c.work_item_id is not null, array_position(array['appliance', 'faculty', 'root', 'item'], c.scope), coalesce(c.work_item_id::text, c.faculty), c.period, c.unit limit p_limit)
    select c.scope, c.named, c.period, c.unit, c.amount, u.spent + u.held, coalesce(c.then, b.on_exceeded), c.origin, c.set_by, c.set_at, c.expires_at, u.spent, u.held,
           coalesce(c.base, b.base), u.estimated, u.lost
      from shown c
      -- For one item, what its faculty says of each counts, too.
      left join lateral (
        select o.base, o.on_exceeded from animus.budget_of(c.work_item_id, v_now) o
         where c.work_item_id is not null and o.scope = c.scope and o.unit = c.unit and o.period = c.period) b on true
      left join lateral (
        select case c.unit when 'usd' then x.usd else x.input_tokens + x.output_tokens + x.assumed_tokens end as spent,
               case c.unit when 'usd' then x.held_usd else x.held_tokens end as held, case c.unit when 'usd' then x.estimated_usd end as estimated,
               case c.unit when 'usd' then x.lost_usd else x.assumed_tokens end as lost
          from animus.count_costs(c.scope, case when c.scope in ('item', 'root') then c.work_item_id::text else coalesce(c.faculty, '') end,
                            case when c.period <> 'none' then animus.period_start(c.period, v_now) end,
                            (animus.period_end(c.period, animus.period_start(c.period, v_now)) at time zone 'UTC')::date) x
         where c.scope not in ('item', 'root') or c.work_item_id is not null) u on true
     order by c.work_item_id is not null, array_position(array['appliance', 'faculty', 'root', 'item'], c.scope), 2, c.period, c.unit;
end $$;

-- Once, after the upgrade that counts lost requests as part of what was spent (0065): accounts that began without them get them.
do $$
begin
  insert into animus.settings (key, value) values ('losses_in_accounts_since', to_jsonb(animus.now())) on conflict (key) do nothing;
  if not found then return; end if;
  perform animus.refresh_accounts(l.scope, l.work_item_id, l.faculty, true)
     from (select distinct g.scope, case when g.faculty is null then g.work_item_id end as work_item_id, case when g.scope = 'faculty' then g.faculty end as faculty
             from animus.budget_limits g) l;
end $$;
