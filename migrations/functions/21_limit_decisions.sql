-- What people decide about limits, and what goes on because of it: one decision for all that waits for a limit. Lock order: the items, in the order of their
-- ids; the rows of the limit.

drop function if exists animus.extend_budget(uuid, json, json);

-- Returns the open waits for the limit that a wait is about. Of a limit of one item, that is the wait itself.
-- Locks: none. Raises: nothing.
create or replace function animus.waits_behind(p_wait animus.waits) returns setof animus.waits
language sql stable as $$
  select w.* from animus.waits w join animus.foci f on f.id = w.focus_id and f.ended_as is null
   where p_wait.subject = 'budget' and w.resolved_at is null and w.subject = 'budget'
     and (w.work_item_id = p_wait.work_item_id or p_wait.request ->> 'scope' in ('root', 'faculty', 'appliance'))
     and w.request ->> 'scope' = p_wait.request ->> 'scope' and w.request ->> 'subject' = p_wait.request ->> 'subject'
     and w.request ->> 'unit' = p_wait.request ->> 'unit' and w.request ->> 'period' = p_wait.request ->> 'period'
$$;

-- Returns the item that a decision names; or, if it no longer waits for its limit and nobody has decided about that, another one that still does
-- under the same id: a request stays open when the item with which it was shown was cancelled.
-- Locks: none. Raises: nothing.
create or replace function animus.item_behind(p_id uuid, p_ask uuid) returns uuid
language sql stable as $$
  select coalesce((
    select o.work_item_id
      from animus.waits w join animus.waits o on o.ask_id = w.ask_id and o.subject = 'budget' and o.resolved_at is null
     where w.work_item_id = p_id and w.ask_id = p_ask and w.subject = 'budget' and w.resolved_at is not null and not w.result ? 'decision'
     order by o.created_at, o.work_item_id limit 1), p_id)
$$;

-- Returns the items that a decision is about: those that wait for the same limit, 1,000 at most, and in any case the one that is named.
-- Locks: none. Raises: nothing.
create or replace function animus.items_behind(p_id uuid, p_ask uuid) returns uuid[]
language sql stable as $$
  select array_agg(distinct i.id) from (
    select p_id as id
    union all
    (select b.work_item_id from animus.waits w cross join lateral animus.waits_behind(w) b
      where w.work_item_id = p_id and w.subject = 'budget' and w.resolved_at is null and (p_ask is null or w.ask_id = p_ask)
      order by b.created_at, b.work_item_id limit 1000)) i
$$;

-- Returns the limit that a wait is about as it applies now: no row if none applies. spent: as exact as it is known.
-- Locks: none. Raises: nothing.
create or replace function animus.limit_of_wait(p_wait animus.waits, p_now timestamptz)
returns table (scope text, subject text, unit text, period text, starts date, amount numeric, base numeric, spent numeric)
language sql stable as $$
  select b.scope, b.subject, b.unit, b.period, b.starts, b.amount, b.base, u.spent
    from animus.budget_of(p_wait.work_item_id, p_now) b
    cross join lateral animus.budget_use(b.scope, b.subject, b.unit, b.period, b.starts, true) u
   where b.scope = p_wait.request ->> 'scope' and b.unit = p_wait.request ->> 'unit' and b.period = p_wait.request ->> 'period'
$$;

-- Returns what a message about a closed wait ends with: the limit that applies now. Empty for waits that are not about a limit.
-- Locks: none. Raises: nothing.
create or replace function animus.limit_now(p_wait animus.waits) returns text
language sql stable as $$
  select case when p_wait.subject = 'budget' then coalesce((
      select '; ' || animus.budget_name(l.scope, l.subject, l.unit, l.period, l.starts, l.amount) || ' holds now' from animus.limit_of_wait(p_wait, animus.now()) l),
    '; no limit applies now') else '' end
$$;

-- Decides about all that waits for a limit, for a caller that has locked these items: what fits under the raised limit goes on; what does not asks anew,
-- about the limit as it is now. Denied, all of it dies. Each item gets a decision of its own, under the id of the request.
-- Locks: the rows of the limit; waits two seconds at most. Raises: WA002, WA004, 42501, 57PA1.
create or replace function animus.decide_budget(
  p_wait animus.waits, p_ids uuid[], p_action text, p_note text, p_input json, p_now timestamptz) returns void
language plpgsql as $$
declare
  v_hash   bytea := p_wait.request_hash;
  v_least  numeric;
  v_most   numeric;
  v_one    animus.waits;
  v_state  text;
  v_starts date;
  v_amount numeric;
  v_base   numeric;
  v_spent  numeric;
begin
  if p_input is not null then v_hash := animus.edit_asked(p_wait, p_input); end if;
  if p_action = 'approve' then
    perform animus.require_four_eyes(b.work_item_id, b.focus_id, b.request) from animus.waits_behind(p_wait) b;
    select min((b.request ->> 'needed')::numeric), max((b.request ->> 'needed')::numeric) into v_least, v_most from animus.waits_behind(p_wait) b;
    select l.starts, l.amount, l.base, l.spent into v_starts, v_amount, v_base, v_spent from animus.raise_limit(p_wait, p_input, v_least, v_most, p_now) l;
  end if;
  for v_one in select b.* from animus.waits_behind(p_wait) b where b.work_item_id = any (p_ids) order by b.work_item_id loop
    if v_amount < v_spent + (v_one.request ->> 'needed')::numeric then
      perform animus.ask_again(v_one, v_starts, v_amount, v_base, v_spent, p_now);
      continue;
    end if;
    -- Those that began to wait at the same moment may have asked under ids of their own.
    v_one.ask_id := p_wait.ask_id;
    if p_input is not null then perform animus.record_decision(v_one, 'edit', '', v_one.request_hash, p_now); end if;
    perform animus.record_decision(v_one, p_action, p_note, v_hash, p_now);
    update animus.waits w
       set resolved_at = p_now, ask_id = p_wait.ask_id,
           result = jsonb_strip_nulls(jsonb_build_object('decision', p_action, 'by', animus.actor(), 'note', nullif(p_note, ''),
             'approved', case p_action when 'approve' then encode(v_hash, 'hex') end, 'limit', v_amount))
     where w.work_item_id = v_one.work_item_id and w.call_id = v_one.call_id;
    select w.state into v_state from animus.work_items w where w.id = v_one.work_item_id;
    perform animus.wake_if_resolved(v_one.work_item_id, v_state, p_now);
    perform animus.notify_of('animus_asks', v_one.work_item_id);
  end loop;
end $$;

-- Raises a limit that a person has approved. p_input: {"amount": the new limit} or {"add": how much more than the present one}; without it, the limit is
-- raised by its configured amount, as often as the dearest next turn needs it (p_most). Refused if the limit is not the one that was shown any more, so that
-- two people who approve the same do not raise it twice; and if even the cheapest next turn (p_least) does not fit. Limits of a day or a month are raised for
-- that period only. Returns the limit that holds now: without an amount if none applies any more, and unchanged if its period is over.
-- Locks: the rows of the limit; waits two seconds at most. Raises: WA002, WA004, 57PA1.
create or replace function animus.raise_limit(
  p_wait animus.waits, p_input json, p_least numeric, p_most numeric, p_now timestamptz,
  out starts date, out amount numeric, out base numeric, out spent numeric)
language plpgsql set lock_timeout = '2s' as $$
declare
  v_limit  record;
  v_set    record;
  v_unit   text := case p_wait.request ->> 'unit' when 'usd' then 'USD' else 'tokens' end;
  v_name   text;
  v_amount numeric;
begin
  -- A misspelt key must not raise the limit by its configured amount.
  if p_input is not null and (num_nonnulls(p_input ->> 'amount', p_input ->> 'add') <> 1
     or exists (select from json_each(p_input) i where i.key not in ('amount', 'add') or json_typeof(i.value) <> 'number')) then
    perform animus.raise('WA004', 'expected {"add": N} or {"amount": N}', p_wait.work_item_id);
  end if;
  begin
    perform from animus.budget_limits l join animus.work_items w on w.id = p_wait.work_item_id join animus.work_items r on r.id = w.root_id
     where l.scope = p_wait.request ->> 'scope' and l.unit = p_wait.request ->> 'unit' and l.period = p_wait.request ->> 'period'
       and (l.scope = 'appliance' or l.faculty in (w.faculty, r.faculty) or l.work_item_id in (w.id, r.id)) order by l.id for no key update of l;
  exception when lock_not_available then
    perform animus.raise('57PA1', 'the limit is locked by another transaction', p_wait.work_item_id, 'try again; look in pg_stat_activity for a session that is idle in transaction');
  end;
  select * into v_limit from animus.limit_of_wait(p_wait, p_now);
  if not found then return; end if;
  starts := v_limit.starts;
  amount := v_limit.amount;
  base := v_limit.base;
  spent := v_limit.spent;
  v_name := animus.budget_name(v_limit.scope, v_limit.subject, v_limit.unit, v_limit.period, starts, amount);
  if starts = (p_wait.request ->> 'starts')::date and amount <> (p_wait.request ->> 'amount')::numeric then
    -- A limit of each item or root of a faculty stands under the faculty's name.
    select l.set_by, l.set_at into v_set
      from animus.budget_limits l join animus.work_items w on w.id = p_wait.work_item_id join animus.work_items r on r.id = w.root_id
     where l.scope = v_limit.scope and l.unit = v_limit.unit and l.period = v_limit.period and l.amount = v_limit.amount
       and (l.expires_at is null or l.expires_at > p_now)
       and (coalesce(l.work_item_id::text, l.faculty, '') = v_limit.subject or l.faculty = case l.scope when 'item' then w.faculty when 'root' then r.faculty end)
     order by l.work_item_id nulls last, l.set_at desc limit 1;
    perform animus.raise('WA002', format('%s applies now%s, not the one of %s %s that this request is about', v_name,
      coalesce(format(' (%s, %s)', v_set.set_by, animus.show_time(v_set.set_at)), ''), trim_scale((p_wait.request ->> 'amount')::numeric), v_unit), p_wait.work_item_id,
      'look again: animus inbox; what fits under it goes on by itself');
  end if;
  -- It waits since an earlier day or month, and what was to be raised then is over.
  if starts <> (p_wait.request ->> 'starts')::date and amount >= spent + p_least then return; end if;
  v_amount := coalesce((p_input ->> 'amount')::numeric, amount + coalesce((p_input ->> 'add')::numeric,
    base * greatest(1, ceil((spent + p_most - amount) / nullif(base, 0)))));
  if v_amount <= amount or v_amount >= 1e14 then
    perform animus.raise('WA004', format('the new limit must be above the present one, %s %s: give {"add": N} or {"amount": N}', trim_scale(amount), v_unit), p_wait.work_item_id);
  end if;
  if v_amount < spent + p_least then
    perform animus.raise('WA004', format('%s %s is still too low: the present limit is %s %s, %s spent so far, and the next turn may cost %s: give {"add": %s} or more', trim_scale(v_amount), v_unit,
      trim_scale(amount), v_unit, trim_scale(spent), trim_scale(p_least), trim_scale(spent + p_least - amount)), p_wait.work_item_id);
  end if;
  insert into animus.budget_limits as l (scope, faculty, work_item_id, period, unit, amount, origin, set_by, created_at, set_at, expires_at)
  values (v_limit.scope, case v_limit.scope when 'faculty' then v_limit.subject end, case when v_limit.scope in ('item', 'root') then v_limit.subject::uuid end,
          v_limit.period, v_limit.unit, v_amount, 'extension', animus.actor(), p_now, p_now, animus.period_end(v_limit.period, starts))
  on conflict (scope, faculty, work_item_id, period, unit, origin) do update
     set amount = excluded.amount, expires_at = excluded.expires_at, set_by = excluded.set_by, set_at = excluded.set_at;
  amount := v_amount;
end $$;
