-- Asks about a limit again, says what is asked, and goes on with what waited for it.

-- Asks again, about a limit as it is now, for an item that waits for it and that the caller has locked.
-- Locks: none beyond those of the caller. Raises: nothing.
create or replace function animus.ask_again(
  p_wait animus.waits, p_starts date, p_amount numeric, p_base numeric, p_spent numeric, p_now timestamptz) returns void
language plpgsql as $$
declare
  v_request json := animus.budget_request(p_wait.request ->> 'scope', p_wait.request ->> 'subject', p_wait.request ->> 'unit', p_wait.request ->> 'period', p_starts,
    p_amount, p_base, p_spent, (p_wait.request ->> 'needed')::numeric);
begin
  perform animus.store_ask(p_wait.work_item_id, p_wait.call_id, p_wait.kind, p_wait.subject, v_request, animus.digest_request('budget', v_request),
    p_now + make_interval(secs => animus.budget_patience(v_request, p_now)), p_now, p_wait.focus_id, p_wait.turn);
end $$;

-- Returns what an item asks that waits for a limit.
-- Locks: none. Raises: nothing.
create or replace function animus.budget_request(
  p_scope text, p_subject text, p_unit text, p_period text, p_starts date, p_amount numeric, p_base numeric, p_used numeric, p_needed numeric) returns json
language sql stable as $$
  select json_build_object('scope', p_scope, 'subject', p_subject, 'unit', p_unit, 'period', p_period, 'starts', p_starts, 'amount', p_amount, 'base', p_base,
    'used', p_used, 'needed', p_needed, 'reason', format('%s would be exceeded: %s spent so far, and the next turn may cost %s',
        animus.budget_name(p_scope, p_subject, p_unit, p_period, p_starts, p_amount), trim_scale(p_used), trim_scale(p_needed))
      -- What does not fit into the whole limit does not fit tomorrow either.
      || case when p_base < p_needed then case p_period when 'none' then ', more than all of it' else format(', more than the %s of a new %s, so that one does not help', trim_scale(p_base), p_period) end else '' end)
$$;

-- Returns for how many seconds an item waits for a decision about a limit: until the period is over, if its next turn fits into the next one, else a day.
-- Locks: none. Raises: nothing.
create or replace function animus.budget_patience(p_request json, p_now timestamptz) returns float8
language sql stable as $$
  select coalesce(case when (p_request ->> 'base')::numeric >= (p_request ->> 'needed')::numeric
    then extract(epoch from animus.period_end(p_request ->> 'period', (p_request ->> 'starts')::date) - p_now) end, 86400)::float8
$$;

-- Returns what a decision about a limit did: {scope, subject, unit, period, starts, amount, ends, items, work_items, waiting}; null if the request was about
-- something else. amount: of the limit that holds now, until ends; null if none applies any more. items: how many were decided about, which go on or, denied,
-- end; work_items: the first hundred of them. waiting: how many wait for this limit still. A denial leaves what is above 1,000 under the id of the request: this is
-- about the last decision under it. Of what the actor may see, for an operator.
-- Locks: none. Raises: 42501.
create or replace function animus.decided_budget(p_ask uuid) returns json
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now   timestamptz := animus.now();
  v_ids   uuid[];
  v_wait  animus.waits;
  v_limit record;
begin
  perform animus.require_operator();
  v_ids := array(
    select d.id from (
      select w.work_item_id as id, w.resolved_at = max(w.resolved_at) over () as is_last
        from animus.waits w where w.ask_id = p_ask and w.subject = 'budget' and w.result ? 'decision') d
     where d.is_last order by d.id);
  if v_ids = '{}' then return null; end if;
  select * into v_wait from animus.waits w where w.ask_id = p_ask and w.work_item_id = v_ids[1];
  select * into v_limit from animus.limit_of_wait(v_wait, v_now);
  return json_build_object('scope', v_wait.request ->> 'scope', 'subject', v_wait.request ->> 'subject', 'unit', v_wait.request ->> 'unit', 'period', v_wait.request ->> 'period',
    'starts', v_limit.starts, 'amount', v_limit.amount, 'ends', animus.period_end(v_wait.request ->> 'period', v_limit.starts),
    'items', cardinality(v_ids), 'work_items', v_ids[1:100], 'waiting', (select count(*) from animus.waits_behind(v_wait)));
end $$;

-- Returns the name of the limit that something waits for: the same for all that waits for it.
-- Locks: none. Raises: nothing.
create or replace function animus.limit_waited_for(p_request json) returns text
language sql immutable parallel safe as $$
  select concat_ws(' ', p_request ->> 'scope', p_request ->> 'unit', p_request ->> 'period', p_request ->> 'subject')
$$;

-- Wakes work that waits for a limit under which its next turn fits again: the limit was raised or removed, the period is over, or what other turns
-- held was not needed. Where the limit was changed and the next turn still does not fit, the work asks anew. Returns how many items it has changed.
-- Locks: the rows of the items, and skips those that others have locked; then their waits. Raises: nothing.
create or replace function animus.wake_budgets(p_limit int default 100) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now   timestamptz := animus.now();
  v_count int := 0;
  v_found record;
  v_wait  animus.waits;
  v_limit record;
  v_of    text;
  v_state text;
begin
  for v_found in
    -- A limit is looked up once, however much waits for it.
    with limits as materialized (
      select g.of, g.sample, l.starts, l.amount, l.base, coalesce(animus.budget_used(l.scope, l.subject, l.unit, l.period, l.starts), 0) as used
        from (select distinct on (1) animus.limit_waited_for(w.request) as of, w.work_item_id as sample, w.request
                from animus.waits w where w.resolved_at is null and w.subject = 'budget') g
        left join lateral (
          select b.* from animus.budget_of(g.sample, v_now) b
           where b.scope = g.request ->> 'scope' and b.unit = g.request ->> 'unit' and b.period = g.request ->> 'period') l on true)
    select w.ask_id, w.work_item_id as id, b.of, coalesce(b.amount >= (w.request ->> 'needed')::numeric + b.used, true) as fits
      from animus.waits w join limits b on b.of = animus.limit_waited_for(w.request)
     where w.resolved_at is null and w.subject = 'budget'
       and (coalesce(b.amount >= (w.request ->> 'needed')::numeric + b.used, true)
            or b.starts = (w.request ->> 'starts')::date and b.amount <> (w.request ->> 'amount')::numeric)
     order by w.work_item_id limit p_limit
  loop
    -- A locked item is woken by the next sweep.
    select w.state into v_state from animus.work_items w where w.id = v_found.id for no key update skip locked;
    continue when not found;
    select * into v_wait from animus.waits w where w.work_item_id = v_found.id and w.ask_id = v_found.ask_id and w.resolved_at is null;
    continue when not found;
    v_count := v_count + 1;
    if not v_found.fits then
      if v_of is distinct from v_found.of then
        select * into v_limit from animus.limit_of_wait(v_wait, v_now);
        v_of := v_found.of;
      end if;
      perform animus.ask_again(v_wait, v_limit.starts, v_limit.amount, v_limit.base, v_limit.spent, v_now);
      continue;
    end if;
    update animus.waits w set resolved_at = v_now, result = '{"raised": true}' where w.work_item_id = v_wait.work_item_id and w.call_id = v_wait.call_id;
    perform animus.wake_if_resolved(v_found.id, v_state, v_now);
    perform animus.notify_of('animus_asks', v_found.id);
  end loop;
  return v_count;
end $$;
