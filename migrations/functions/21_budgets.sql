-- Limits of what work may cost: which of them apply, what was spent under each, and who writes them.
--
-- Lock order: the item; then, account by account in the order of their ids: holds, the account, its slices. A transaction that holds a slice never asks
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
