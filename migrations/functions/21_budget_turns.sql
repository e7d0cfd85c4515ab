-- Turns under a limit: each holds what it may cost at most before its request is sent, in every account that applies to it. Lock order: as in
-- 21_budgets.sql. docs/budgets.md says what a crash at each point leaves.

-- Opens a turn that a limit applies to, for a caller that has locked the focus: holds its highest cost in every account, or says why it may not begin, as begin_turn.
-- p_lease: the token, which the caller has checked. p_attempt: names the request. p_sent: whether a model is asked at once.
-- Locks: accounts and slices for a moment. Raises: WA001, WA003, 57PA1.
create or replace function animus.hold_turn(
  p_item animus.held_work, p_focus_id uuid, p_lease bigint, p_turn int, p_reserved_usd numeric, p_reserved_tokens bigint, p_attempt uuid, p_batch boolean,
  p_sent boolean)
returns json
language plpgsql set jit = off set plan_cache_mode = force_generic_plan as $$
declare
  v_held json;
begin
  if animus.turn_under_way(p_focus_id, p_turn) then return animus.held_turn(p_focus_id, p_attempt); end if;
  v_held := animus.hold_budget(p_item, p_focus_id, p_lease, p_turn, p_reserved_usd, p_reserved_tokens, p_attempt);
  if v_held ->> 'permit' = 'go' then
    perform animus.put_turn_row(p_focus_id, p_turn, case when p_batch then 0 else p_reserved_usd end, case when p_sent then p_attempt end, p_reserved_tokens);
    if p_batch then
      update animus.budget_holds h set unsent = true where h.focus_id = p_focus_id and h.turn = p_turn and h.attempt = p_attempt;
    end if;
    -- Left by a crash after the wait was opened and before the item was parked.
    update animus.waits set resolved_at = animus.now(), result = '{"raised": true}'
     where work_item_id = p_item.id and subject = 'budget' and resolved_at is null;
  elsif v_held ->> 'action' = 'wait' then
    perform animus.open_item_wait(p_focus_id, p_lease, 'budget', 'budget', v_held -> 'request', (v_held ->> 'seconds')::float8);
  end if;
  return v_held;
end $$;

-- Returns the permit of a turn that was begun before, with the messages that were added to the context with it.
-- Locks: none. Raises: nothing.
create or replace function animus.held_turn(p_focus_id uuid, p_attempt uuid) returns json
language sql stable as $$
  select json_build_object('permit', 'go', 'used', '[]'::json, 'messages', (
    select coalesce(json_agg(w.content order by w.account_id), '[]') from animus.budget_warnings w where w.focus_id = p_focus_id and w.attempt = p_attempt))
$$;

-- Waits until the beginnings of these turns are on disk, for many foci at once, and returns for each, in order, whether its turn was begun: a server
-- that crashed since may have lost it, and then it has to be begun again before the request is sent.
-- Locks: none. Raises: nothing.
create or replace function animus.keep_turns(p_focus_ids uuid[], p_turns int[]) returns boolean[]
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  -- A commit that has written something waits until all that was committed before is on disk, too. turn 0: a hold without a turn.
  perform pg_logical_emit_message(true, 'animus', '');
  return array(
    select case u.turn when 0 then exists (select from animus.budget_holds h where h.focus_id = u.focus_id and h.turn = 0)
                       else exists (select from animus.turns t where t.focus_id = u.focus_id and t.turn = u.turn) end
      from unnest(p_focus_ids, p_turns) with ordinality as u (focus_id, turn, nth) order by u.nth);
end $$;

-- Holds amounts in every account that applies to the item, or in none, and settles what the focus held before. p_lease: the token, which the caller has
-- checked. Returns as begin_turn. Anyone who changes a limit may keep its transaction open, and two turns that draw a slice may wait for
-- each other: then nothing was written, and the caller tries again without keeping its connection.
-- Locks: the accounts' holds of this focus, accounts and slices, account by account; waits a fifth of a second at most for each. Raises: 57PA1.
create or replace function animus.hold_budget(
  p_item animus.held_work, p_focus_id uuid, p_lease bigint, p_turn int, p_reserved_usd numeric, p_reserved_tokens bigint, p_attempt uuid) returns json
language plpgsql set lock_timeout = '200ms' as $$
declare
  v_now     timestamptz := animus.now();
  v_limit   record;
  v_need    numeric;
  v_settled record;
  v_refused json;
  v_ids     bigint[] := '{}';
  v_amounts numeric[] := '{}';
begin
  begin
    for v_limit in
      with applied as materialized (
        select animus.budget_account(b.scope, b.subject, b.unit, b.period, b.starts) as id, b.* from animus.budget_of(p_item.id, v_now) b)
      select * from applied
      union all
      select h.account_id, null, null, null, null, null, null, null, null, null from animus.budget_holds h
       where h.focus_id = p_focus_id and h.account_id not in (select a.id from applied a) group by h.account_id
       order by id
    loop
      select * into v_settled from animus.settle_own(p_focus_id, v_limit.id);
      v_need := case v_limit.unit when 'usd' then p_reserved_usd when 'tokens' then p_reserved_tokens else 0 end;
      if v_need is null or not animus.take_budget(v_limit.id, p_item.lease_owner, v_need, v_settled.credit, v_settled.spent, v_limit.amount, v_limit.scope = 'item') then
        v_refused := animus.refuse_budget(p_item, v_limit.id, v_limit.amount, v_limit.base, v_limit.on_exceeded, v_need);
        raise exception using errcode = 'WA000';
      end if;
      continue when v_limit.unit is null;
      insert into animus.budget_holds (focus_id, turn, account_id, work_item_id, token, attempt, amount)
      values (p_focus_id, p_turn, v_limit.id, p_item.id, p_lease, p_attempt, v_need);
      v_ids := v_ids || v_limit.id;
      v_amounts := v_amounts || v_limit.amount;
    end loop;
  exception
    when sqlstate 'WA000' then
      -- Nothing is held, and what the focus held before is settled later.
      return v_refused;
    when lock_not_available or deadlock_detected then
      perform animus.raise('57PA1', format('a budget of work item %s is locked by another transaction', p_item.id), p_item.id,
        'try again; look in pg_stat_activity for a session that is idle in transaction');
  end;
  return animus.warn_of_budget(v_ids, v_amounts, p_focus_id, p_turn, p_attempt, v_now);
end $$;

-- Removes the holds of a focus in one account whose requests are over: credit is what they did not use.
-- Locks: the holds. Raises: nothing.
create or replace function animus.settle_own(p_focus_id uuid, p_account bigint, out credit numeric, out spent numeric)
language plpgsql as $$
declare
  v_hold animus.budget_holds;
  v_cost numeric;
begin
  credit := 0;
  spent := 0;
  for v_hold in select h.* from animus.budget_holds h where h.focus_id = p_focus_id and h.account_id = p_account for update loop
    v_cost := animus.hold_cost(v_hold, true);
    continue when v_cost is null;
    perform animus.close_hold(v_hold);
    credit := credit + v_hold.amount - v_cost;
    spent := spent + v_cost;
  end loop;
end $$;

-- Takes an amount from a daemon's slice, draws a new slice where that is not enough, and collects the slices of all daemons where that is not
-- enough either. False: nothing was taken, and the account has no slices. p_whole: one daemon alone uses the account.
-- Locks: the slice; or the account, holds whose cost is known, and all slices. Raises: nothing.
create or replace function animus.take_budget(
  p_account bigint, p_daemon uuid, p_need numeric, p_credit numeric, p_spent numeric, p_amount numeric, p_whole boolean) returns boolean
language plpgsql as $$
declare
  v_free  numeric;
  v_short numeric;
  v_left  numeric;
  v_draw  numeric;
begin
  update animus.budget_slices s set free = s.free + p_credit - p_need, spent = s.spent + p_spent, used_at = animus.now()
   where s.account_id = p_account and s.daemon_id = p_daemon and s.free + p_credit >= p_need;
  if found then return true; end if;
  if p_amount is null then
    -- No limit any more: only the account is kept exact.
    perform animus.credit_slice(p_account, p_daemon, p_credit, p_spent);
    return true;
  end if;
  select p_amount - a.spent - a.held into v_left from animus.budget_accounts a where a.id = p_account for no key update;
  perform animus.credit_slice(p_account, p_daemon, p_credit, p_spent);
  select s.free into v_free from animus.budget_slices s where s.account_id = p_account and s.daemon_id = p_daemon;
  v_short := p_need - v_free;
  if v_left < v_short then
    perform animus.settle_account(p_account, p_daemon);
    perform animus.collect_slices(p_account);
    select p_amount - a.spent - a.held into v_left from animus.budget_accounts a where a.id = p_account;
    v_short := p_need;
  end if;
  if v_left < v_short then return false; end if;
  -- An eighth of what is left: near the limit a slice is a single turn.
  v_draw := greatest(v_short, case when p_whole then v_left else trunc(v_left / 8, 6) end);
  update animus.budget_accounts a set held = a.held + v_draw where a.id = p_account;
  perform animus.credit_slice(p_account, p_daemon, v_draw - p_need, 0);
  return true;
end $$;

-- Says why a turn is refused, once take_budget has found nothing, and what happens: try again, wait for an operator, or die.
-- Locks: none beyond those of the caller. Raises: nothing.
create or replace function animus.refuse_budget(
  p_item animus.held_work, p_account bigint, p_amount numeric, p_base numeric, p_on_exceeded text, p_need numeric) returns json
language plpgsql as $$
declare
  v_now     timestamptz := animus.now();
  v_account animus.budget_accounts;
  v_wait    animus.waits;
  v_request json;
  v_why     text;
  v_never   boolean;
begin
  select a.* into v_account from animus.budget_accounts a where a.id = p_account;
  if p_need is null then
    return json_strip_nulls(json_build_object('permit', 'budget', 'action', 'die', 'unpriced', case when p_on_exceeded = 'wait' then true end, 'message',
      format('%s cannot be kept: a model of the work has no price (give it one in animus.toml, or limit tokens)',
        animus.budget_name(v_account.scope, v_account.subject, v_account.unit, v_account.period, v_account.starts, p_amount))));
  end if;
  if p_amount - v_account.spent >= p_need then return json_build_object('permit', 'budget_busy'); end if;
  v_request := animus.budget_request(v_account.scope, v_account.subject, v_account.unit, v_account.period, v_account.starts, p_amount, p_base, v_account.spent, p_need);
  v_why := v_request ->> 'reason';
  -- What does not fit into the whole limit does not fit tomorrow either.
  v_never := p_base < p_need;
  -- What was decided about this limit, as it is now, in this focus: another limit, a raised one and a new attempt of the work ask again.
  select w.* into v_wait from animus.waits w join animus.foci f on f.id = w.focus_id and f.ended_as is null
   where w.work_item_id = p_item.id and w.subject = 'budget' and w.resolved_at is not null
     and (w.request ->> 'scope', w.request ->> 'subject', w.request ->> 'unit', w.request ->> 'period') = (v_account.scope, v_account.subject, v_account.unit, v_account.period)
     and ((w.request ->> 'starts')::date = v_account.starts or v_never) and (w.request ->> 'amount')::numeric = p_amount;
  if found and v_wait.result ->> 'decision' = 'deny' then
    p_on_exceeded := 'die';
    v_why := v_why || format('; %s has denied more%s', v_wait.result ->> 'by', ': ' || (v_wait.result ->> 'note'));
  elsif found and v_wait.result ? 'timed_out' and (v_never or v_account.period = 'none') then
    p_on_exceeded := 'die';
    v_why := v_why || '; nobody has decided about it in time';
  end if;
  return json_build_object('permit', 'budget', 'action', p_on_exceeded, 'message', v_why, 'seconds', animus.budget_patience(v_request, v_now), 'request', v_request);
end $$;

-- Names a limit for people and models.
-- Locks: none. Raises: nothing.
create or replace function animus.budget_name(p_scope text, p_subject text, p_unit text, p_period text, p_starts date, p_amount numeric) returns text
language sql immutable as $$
  select format('the limit of %s %s for %s%s', trim_scale(p_amount), case p_unit when 'usd' then 'USD' else 'tokens' end,
    case p_scope when 'item' then 'this work item' when 'root' then format('work item %s and all that it has spawned', p_subject)
                 when 'faculty' then format('faculty %s', p_subject) else 'all work' end,
    case p_period when 'day' then format(' on %s (UTC)', to_char(p_starts, 'YYYY-MM-DD')) when 'month' then format(' in %s (UTC)', to_char(p_starts, 'YYYY-MM')) else '' end)
$$;

-- Adds a message to the context for each account of which 80 % is used, once for each focus and amount of the limit. Returns the permit 'go' with the
-- messages, and with the accounts that nobody was told about before at this amount.
-- Locks: none beyond those of the caller. Raises: nothing.
create or replace function animus.warn_of_budget(
  p_ids bigint[], p_amounts numeric[], p_focus_id uuid, p_turn int, p_attempt uuid, p_now timestamptz) returns json
language plpgsql as $$
declare
  v_used     record;
  v_content  text;
  v_messages text[] := '{}';
  v_first    json[] := '{}';
begin
  for v_used in
    select a.*, b.amount, a.spent + a.held - coalesce(s.free, 0) as used
      from unnest(p_ids, p_amounts) as b (id, amount) join animus.budget_accounts a on a.id = b.id
      left join lateral (select sum(s.free) as free from animus.budget_slices s where s.account_id = a.id) s on true
     where p_turn > 0 and a.spent + a.held - coalesce(s.free, 0) >= 0.8 * b.amount
       and not exists (select from animus.budget_warnings w where w.account_id = a.id and w.focus_id = p_focus_id and coalesce(w.amount = b.amount, true))
     order by a.id
  loop
    v_content := format('Most of the budget is used: of %s, %s are left, the present turn not counted. Come to an end: what is not done when the budget is used up may stay undone.',
      animus.budget_name(v_used.scope, v_used.subject, v_used.unit, v_used.period, v_used.starts, v_used.amount), trim_scale(greatest(v_used.amount - v_used.used, 0)));
    if not exists (select from animus.budget_warnings w where w.account_id = v_used.id and coalesce(w.amount = v_used.amount, true)) then
      v_first := v_first || json_build_object('scope', v_used.scope, 'subject', v_used.subject, 'unit', v_used.unit, 'period', v_used.period,
        'amount', v_used.amount, 'used', v_used.used);
    end if;
    insert into animus.budget_warnings (account_id, focus_id, attempt, content, amount) values (v_used.id, p_focus_id, p_attempt, v_content, v_used.amount);
    insert into animus.focus_messages (focus_id, seq, after_turn, kind, content, tokens, created_at)
    values (p_focus_id, 1 + (select coalesce(max(m.seq), 0) from animus.focus_messages m where m.focus_id = p_focus_id), p_turn - 1, 'notice', v_content,
            ceil(octet_length(v_content) / 3.5), p_now);
    v_messages := v_messages || v_content;
  end loop;
  return json_build_object('permit', 'go', 'messages', to_json(v_messages), 'used', to_json(v_first));
end $$;
