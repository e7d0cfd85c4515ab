-- Requests that may have cost something and returned nothing. What a request may cost at most is reserved in the row of its turn, under the name of the request
-- (open_request), before it is sent. A reservation ends when the answer is recorded, when the request is given back because it certainly cost nothing, or when
-- it is lost: it failed, its turn was begun again for another request, its focus was resumed or ended. A side call has its reservation in the row of
-- the newest turn; a focus has one request at a time. docs/models.md says which failures cost what.

-- Ends the reservation of a turn, or of a side call (0), and counts this many requests as lost, each with what was reserved: 0 if the request certainly
-- cost nothing, or if what it cost is recorded elsewhere. Without a reservation, changes nothing. p_request: only this one; null: any.
-- Locks: the row of the turn. Raises: nothing.
create or replace function animus.count_lost(p_focus_id uuid, p_turn int, p_requests int, p_request uuid default null) returns void
language sql as $$
  update animus.turns t
     set lost_requests = t.lost_requests + p_requests, lost_usd = t.lost_usd + p_requests * coalesce(t.reserved_usd, 0),
         lost_unpriced = t.lost_unpriced + case when t.reserved_usd is null then p_requests else 0 end, reserved_usd = 0, open_request = null
   where t.focus_id = p_focus_id and t.open_request is not null and (p_request is null or t.open_request = p_request)
     and (p_turn = 0 or t.turn = p_turn and t.recorded_at is null)
$$;

-- Counts requests of a turn, or of a side call (0), that may have cost something and returned nothing. What is held for them under limits is spent.
-- Locks: the item's row, as hold_lease; the row of the turn; the holds. Raises: WA001, WA003, 57PA1.
create or replace function animus.lose_turn(p_focus_id uuid, p_token bigint, p_turn int, p_requests int) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_item animus.held_work := animus.hold_focus(p_focus_id, p_token);
begin
  perform animus.count_lost(p_focus_id, p_turn, p_requests);
  update animus.budget_holds h set cost = p_requests * h.amount where h.focus_id = p_focus_id and h.turn = p_turn and h.cost is null;
  perform animus.tell_readers(v_item.id);
end $$;

-- Counts the open requests of items' foci as lost, before these end or are resumed without them, or their items lose their lease. Those that are under way in a
-- batch are not lost. What is held for them under limits is settled later, as spent.
-- Locks: the rows of the turns. Raises: nothing.
create or replace function animus.lose_open_requests(p_work_item_ids uuid[]) returns void
language sql as $$
  select animus.count_lost(t.focus_id, case when t.recorded_at is null then t.turn else 0 end, 1) from animus.foci f join animus.turns t on t.focus_id = f.id
   where f.work_item_id = any (p_work_item_ids) and f.ended_as is null and t.open_request is not null and not animus.turn_under_way(t.focus_id, t.turn)
$$;

drop function if exists animus.reserve_side_call(uuid, uuid, numeric, bigint);
-- Reserves what a side call may cost, in the row of the newest turn, or of the first one, which begins after it. p_for: {model, operation}, under which
-- it counts while it is under way and when it is lost; null: not known.
-- Locks: the row of the turn. Raises: nothing.
create or replace function animus.reserve_side_call(p_focus_id uuid, p_request uuid, p_usd numeric, p_tokens bigint, p_for jsonb) returns void
language plpgsql as $$
declare
  v_today constant date := (animus.now() at time zone 'UTC')::date;
begin
  update animus.turns t set reserved_usd = p_usd, reserved_tokens = coalesce(p_tokens, 0), reserved_on = v_today, reserved_for = p_for, open_request = p_request
   where t.focus_id = p_focus_id and t.turn = (select max(n.turn) from animus.turns n where n.focus_id = p_focus_id);
  if not found then
    insert into animus.turns (focus_id, turn, reserved_usd, reserved_tokens, reserved_on, reserved_for, open_request, begun_at)
    values (p_focus_id, 1, p_usd, coalesce(p_tokens, 0), v_today, p_for, p_request, animus.now());
  end if;
end $$;

-- Gives back what was reserved and held for a request that certainly cost nothing: the provider refused it, or was not reached. turn 0: a side call.
-- Locks: the item's row, as hold_lease; the holds; the slices; waits a fifth of a second at most for each. Raises: WA001, WA003, 57PA1.
create or replace function animus.give_back_turn(p_focus_id uuid, p_token bigint, p_turn int) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms' as $$
declare
  v_item animus.held_work := animus.hold_focus(p_focus_id, p_token);
  v_hold animus.budget_holds;
begin
  perform set_config('synchronous_commit', 'off', true);
  perform animus.count_lost(p_focus_id, p_turn, 0);
  for v_hold in
    select h.* from animus.budget_holds h where h.focus_id = p_focus_id and h.turn = p_turn and h.cost is null order by h.account_id for update
  loop
    delete from animus.budget_holds h where h.focus_id = p_focus_id and h.turn = p_turn and h.account_id = v_hold.account_id;
    perform animus.credit_slice(v_hold.account_id, v_item.lease_owner, v_hold.amount, 0);
  end loop;
exception when lock_not_available or deadlock_detected then
  perform animus.raise('57PA1', format('a budget of work item %s is locked by another transaction', v_item.id), v_item.id,
    'try again; look in pg_stat_activity for a session that is idle in transaction');
end $$;
