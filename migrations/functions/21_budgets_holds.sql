-- What is held and spent under a limit: holds of calls under way, and the slices of daemons. Lock order: as in 21_budgets.sql.

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

-- Returns whether a hold that is over says that its request returned nothing, and nobody has counted that yet.
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
      -- Without waiting, because items come before holds in the order of locks. A deleted item does not prevent it.
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

-- Settles what can be settled, in favour of a daemon's slices; returns how many holds. For the sweep of a daemon, and for readers that need exact sums.
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

-- Removes what no turn needs any longer: accounts of items that have ended and of days and months more than 400 days ago, limits of deleted
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
