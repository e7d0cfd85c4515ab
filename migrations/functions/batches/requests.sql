-- Turns asked through the batch API of a provider (docs/batch.md). Two writers: a focus puts and closes its requests under its lease;
-- the poller of a place moves batches under the token of animus.batch_pollers. A place is a provider as what it is (kind, address, credential), whichever name it has
-- later: a batch is asked about nowhere else. Lock order: the poller, the item, its requests, its waits.

-- Puts the request of a begun turn into the outbox and opens its wait, named by the request's id. If the turn has a request under way, it
-- returns that one and opens its wait again, unless it is answered. p_request: {provider, place, path, model, headers, body, reserved_usd: what it may cost at most,
-- null: not known}, which is reserved from now on: before, nothing was sent. A turn whose last
-- request failed is asked again after a minute for each failure, at most ten.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA002, WA003, 57PA1.
create or replace function animus.put_turn(p_focus_id uuid, p_token bigint, p_turn int, p_request json, out id uuid, out state text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now    timestamptz := animus.now();
  v_item   animus.held_work := animus.hold_focus(p_focus_id, p_token);
  v_failed int;
begin
  perform from animus.turns t where t.focus_id = p_focus_id and t.turn = p_turn and t.recorded_at is null;
  if not found then
    perform animus.raise('WA002', format('turn %s of focus %s was never begun, or is recorded', p_turn, p_focus_id), p_focus_id);
  end if;
  select r.id, r.state into id, state from animus.batch_requests r
   where r.focus_id = p_focus_id and r.turn = p_turn and r.state in ('waiting', 'sent', 'answered');
  if not found then
    select least(count(*), 10) into v_failed from animus.batch_requests r where r.focus_id = p_focus_id and r.turn = p_turn and r.state = 'failed';
    id := animus.uuid_v7();
    state := 'waiting';
    insert into animus.batch_requests (id, work_item_id, focus_id, turn, provider, place, path, model, headers, body, state, created_at, ready_at)
    values (id, v_item.id, p_focus_id, p_turn, p_request ->> 'provider', coalesce(p_request ->> 'place', p_request ->> 'provider'), p_request ->> 'path', p_request ->> 'model',
            (p_request -> 'headers')::jsonb, p_request ->> 'body', state, v_now, v_now + v_failed * interval '1 minute');
  end if;
  update animus.turns t set reserved_usd = (p_request ->> 'reserved_usd')::numeric, open_request = coalesce(
           (select h.attempt from animus.budget_holds h where h.focus_id = p_focus_id and h.turn = p_turn and h.cost is null limit 1), put_turn.id)
   where t.focus_id = p_focus_id and t.turn = p_turn and t.recorded_at is null and t.open_request is null;
  update animus.budget_holds h set unsent = false where h.focus_id = p_focus_id and h.turn = p_turn and h.unsent;
  if state <> 'answered' then
    insert into animus.waits as w (work_item_id, call_id, kind, created_at) values (v_item.id, id::text, 'batch', v_now)
    on conflict (work_item_id, call_id) do update set resolved_at = null, result = null where w.resolved_at is not null;
  end if;
end $$;

drop function if exists animus.close_request(uuid, bigint, uuid, text);
-- Ends an answered request: 'recorded' in the transaction of record_turn, 'failed' before the turn is asked again or the attempt ends. p_free: it certainly cost
-- nothing, so that nothing is reserved for the turn until its request is put again.
-- Locks: the item's row, as hold_lease; the row of the turn; its holds. Raises: WA001, WA003, 57PA1.
create or replace function animus.close_request(p_focus_id uuid, p_token bigint, p_id uuid, p_state text, p_free boolean default false) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_turn int;
begin
  perform animus.hold_focus(p_focus_id, p_token);
  update animus.batch_requests set state = p_state, answer = null, body = null, ended_at = animus.now()
   where id = p_id and focus_id = p_focus_id and state = 'answered' returning turn into v_turn;
  if p_free and v_turn is not null then
    perform animus.count_lost(p_focus_id, v_turn, 0);
    update animus.budget_holds h set unsent = true where h.focus_id = p_focus_id and h.turn = v_turn and h.cost is null;
  end if;
end $$;

-- Returns whether the wait belongs to a turn under way of an open focus, whose answer will resolve it.
-- Locks: none. Raises: nothing.
create or replace function animus.awaits_batch(p_wait animus.waits) returns boolean
language sql stable as $$
  select p_wait.kind = 'batch' and exists (
    select from animus.batch_requests r join animus.foci f on f.id = r.focus_id
     where r.work_item_id = p_wait.work_item_id and r.id::text = p_wait.call_id and r.state in ('waiting', 'sent') and f.ended_as is null)
$$;

-- Returns whether a turn has a request under way: it is not lost, and it may not be asked live.
-- Locks: none. Raises: nothing.
create or replace function animus.turn_under_way(p_focus_id uuid, p_turn int) returns boolean
language sql stable as $$
  select exists (select from animus.batch_requests where focus_id = p_focus_id and turn = p_turn and state in ('waiting', 'sent', 'answered'))
$$;

-- Returns whether an item has a turn under way: only daemons that know batches may claim it.
-- Locks: none. Raises: nothing.
create or replace function animus.has_turn_under_way(p_work_item_id uuid) returns boolean
language sql stable as $$
  select exists (select from animus.batch_requests where work_item_id = p_work_item_id and state in ('waiting', 'sent', 'answered'))
$$;
