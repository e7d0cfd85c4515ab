-- The turns of a focus: begun, recorded with their calls, and ended. All of it is fenced by the item's lease token.

drop function if exists animus.begin_turn(uuid, bigint, int, numeric);
drop function if exists animus.begin_budgeted_turn(uuid, bigint, int, jsonb, numeric, bigint, uuid, boolean);
-- Records the ends of calls and begins a turn before its request is sent, with what that may cost at most: one statement. p_results: as for
-- finish_tool_calls; they are recorded in every case. p_reserved_usd: null if a model of the chain has no price. p_request: names the request, so that calling
-- this again for the same one changes nothing. p_reserved_tokens: 0 where no model is asked; null: the caller holds nothing, so that under a limit the permit is
-- 'reserve'. p_batch: nothing is sent before put_turn, so that until then the turn costs nothing, whatever becomes of it.
-- Returns {permit}: 'go', 'cancelled', 'paused', or 'mail': messages to the work were added to the context after the newest turn, and the turn has to be begun
-- again with them. Where a limit applies, 'go' comes with {messages, used}: what was added to the context with the turn, and the accounts of which 80 % are used;
-- call animus.keep_turns before the request is sent. The turn may also be refused: 'budget_busy', only turns under way are in the way, so try again; 'budget', a
-- limit is used up: `action` is 'wait', and a wait for an operator is open, or 'die'. A turn that was begun and never recorded is requested again; its reservation
-- counts as lost.
-- The commit does not wait for the disk: a crash of the daemon loses nothing, a crash of the server at most the last three wal_writer_delay (0.6 s by default). The
-- next record_turn waits, and the WAL is written in order, so no answer is ever kept without the results it answers to. After a crash of the server, the daemon
-- finds the turn missing when it records the answer, and calls this again with the same results. If both crash, the lost calls appear as begun and not ended: they
-- are in doubt, except repeatable ones, which run again, and the request is sent again.
-- Locks: the item's row, as hold_lease; accounts and slices for a moment. Raises: WA001, WA003, 57PA1.
create or replace function animus.begin_turn(
  p_focus_id uuid, p_token bigint, p_turn int, p_reserved_usd numeric default 0, p_results jsonb default '[]', p_request uuid default null,
  p_reserved_tokens bigint default null, p_batch boolean default false) returns json
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_item animus.held_work := animus.hold_focus(p_focus_id, p_token);
begin
  perform set_config('synchronous_commit', 'off', true);
  if p_results <> '[]' then
    perform animus.end_calls(p_focus_id, p_results);
    perform animus.tell_readers(v_item.id);
  end if;
  return animus.open_turn(v_item, p_focus_id, p_turn, p_reserved_usd, p_request, p_token, p_reserved_tokens, p_batch);
end $$;

drop function if exists animus.open_turn(animus.held_work, uuid, int, numeric);
drop function if exists animus.open_turn(animus.held_work, uuid, int, numeric, uuid);
drop function if exists animus.refuse_turn(animus.held_work, uuid, int);
-- Opens a turn for a caller that has locked the focus, or returns why not: as begin_turn. Messages come after a turn whose request is under way in a batch.
-- Locks: accounts and slices, where a limit applies and p_reserved_tokens is not null. Raises: WA001, WA003, 57PA1.
create or replace function animus.open_turn(
  p_item animus.held_work, p_focus_id uuid, p_turn int, p_reserved_usd numeric, p_request uuid, p_lease bigint, p_reserved_tokens bigint, p_batch boolean)
returns json
language plpgsql as $$
declare
  v_now     timestamptz := animus.now();
  v_paused  boolean;
  v_limited boolean;
  v_sent    boolean := not p_batch and (p_reserved_tokens is null or p_reserved_tokens > 0 or p_reserved_usd is distinct from 0);
begin
  -- In one query: without any limit in the database, looking for one costs next to nothing.
  select exists (select from animus.pauses p where p.faculty in (p_item.faculty, '*') and (p.until is null or p.until > v_now)),
         exists (select from animus.budget_limits) into v_paused, v_limited;
  if v_limited then v_limited := animus.has_budget(p_item.id, p_item.faculty); end if;
  if v_limited then
    -- Before messages are delivered: the turn is begun again.
    if p_reserved_tokens is null then return '{"permit": "reserve"}'; end if;
    -- A request that was begun stays so: with messages that came since, what is held for it would be lost.
    if exists (select from animus.budget_holds h where h.focus_id = p_focus_id and h.turn = p_turn and h.attempt = p_request) then
      return animus.held_turn(p_focus_id, p_request);
    end if;
  end if;
  if p_item.cancel_requested_at is not null then return '{"permit": "cancelled"}'; end if;
  if v_paused then return '{"permit": "paused"}'; end if;
  -- Nested, so that items that cannot have messages pay one comparison.
  if p_item.has_mail or p_item.keyed then
    -- Nor for a request that was begun, as above: its response was lost.
    if not animus.turn_under_way(p_focus_id, p_turn)
       and not exists (select from animus.turns t where t.focus_id = p_focus_id and t.turn = p_turn and t.open_request = p_request)
       and animus.deliver_mail(p_item.id, p_focus_id, p_turn - 1) > 0 then
      return '{"permit": "mail"}';
    end if;
  end if;
  if v_limited then
    return animus.hold_turn(p_item, p_focus_id, p_lease, p_turn, p_reserved_usd, p_reserved_tokens, coalesce(p_request, gen_random_uuid()), p_batch, v_sent);
  end if;
  perform animus.put_turn_row(p_focus_id, p_turn, case when p_batch then 0 else p_reserved_usd end, case when v_sent then p_request end);
  return '{"permit": "go"}';
end $$;

drop function if exists animus.put_turn_row(uuid, int, numeric);
-- Writes the row of a turn that begins, perhaps again: the request before it is lost, unless it is the same (p_request), its end is known, or it is under way in a
-- batch. p_reserved_usd: null, not known; p_request: null, names nothing: with a reservation, it is a request that no other one equals.
-- Locks: none beyond those of the caller. Raises: nothing.
create or replace function animus.put_turn_row(p_focus_id uuid, p_turn int, p_reserved_usd numeric, p_request uuid, p_reserved_tokens bigint default 0) returns void
language plpgsql as $$
declare
  v_lost int;
begin
  insert into animus.turns as t (focus_id, turn, reserved_usd, reserved_tokens, open_request, begun_at)
  values (p_focus_id, p_turn, p_reserved_usd, p_reserved_tokens, coalesce(p_request, case when p_reserved_usd > 0 then gen_random_uuid() end), animus.now())
  on conflict (focus_id, turn) do update
     set lost_requests = t.lost_requests + (t.open_request is not null)::int,
         lost_usd = t.lost_usd + case when t.open_request is not null then coalesce(t.reserved_usd, 0) else 0 end,
         lost_unpriced = t.lost_unpriced + (t.open_request is not null and t.reserved_usd is null)::int,
         reserved_usd = excluded.reserved_usd, reserved_tokens = excluded.reserved_tokens, reserved_on = null, reserved_for = null, open_request = excluded.open_request, begun_at = excluded.begun_at
   where t.recorded_at is null and (p_request is null or t.open_request is distinct from p_request) and not animus.turn_under_way(t.focus_id, t.turn)
  returning t.lost_requests into v_lost;
  -- What was held for a request before this one, under a limit that applies no more, is spent.
  if v_lost > 0 and p_request is not null then
    update animus.budget_holds h set cost = h.amount where h.focus_id = p_focus_id and h.turn = p_turn and h.cost is null and h.attempt <> p_request;
  end if;
end $$;

-- Makes an answer durable before anything acts on it, together with the calls it asks for: one statement and one commit, which waits for the disk. p_answer:
-- {provider, model, content, response_id, stop_reason, raw_stop_reason, cut_tool_calls, usage: {input, output, …, estimated} | null, cost_usd: null if it is not
-- known, duration_ms, time_to_first_token_ms, lost: how many requests for it returned nothing, and may have cost what was reserved for one}; p_calls: [{call_id, name,
-- input, state}] in order, and [{…, output, is_error, details, duration_ms}] for those that have ended: calls that only read are started before their answer is
-- recorded. p_next_request: names the request of the next turn, which is opened in the same commit, with what it may cost; null: none is. Returns its permit, as
-- begin_turn, and 'reserve' where a limit applies: begin it by itself. The answer is recorded in every case. Recording a recorded turn changes nothing, and opens
-- the next turn again.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA002, WA003, 57PA1.
create or replace function animus.record_turn(
  p_focus_id uuid, p_token bigint, p_turn int, p_answer json, p_calls json, p_next_reserved_usd numeric, p_next_request uuid)
returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_item animus.held_work := animus.hold_focus(p_focus_id, p_token);
begin
  perform animus.store_answer(v_item, p_focus_id, p_turn, p_answer, p_calls);
  if p_next_request is null then return null; end if;
  return animus.open_turn(v_item, p_focus_id, p_turn + 1, p_next_reserved_usd, p_next_request, p_token, null, false) ->> 'permit';
end $$;

-- Stores an answer, its calls and its cost for a caller that has locked the focus. An answer that is stored already stays as it is. Where its cost is not
-- known, what was reserved for it counts as an estimate.
-- Locks: none beyond those of the caller. Raises: WA002.
create or replace function animus.store_answer(p_item animus.held_work, p_focus_id uuid, p_turn int, p_answer json, p_calls json) returns void
language plpgsql as $$
declare
  v_now       timestamptz := animus.now();
  v_answer    record;
  v_turn      record;
  v_origin    record;
  v_estimated boolean;
  v_counted   boolean;
begin
  -- Read in one go: every -> on a json value parses the whole answer again.
  select a.*, coalesce((a.usage ->> 'input')::bigint, 0) as input_tokens, coalesce((a.usage ->> 'output')::bigint, 0) as output_tokens into v_answer
    from json_to_record(p_answer) as a (
      provider text, model text, content json, response_id text, stop_reason text, raw_stop_reason text, cut_tool_calls text[],
      usage jsonb, cost_usd numeric, duration_ms float8, time_to_first_token_ms float8, lost int);
  update animus.turns
     set provider = v_answer.provider, model = v_answer.model, response = v_answer.content,
         response_id = v_answer.response_id, stop_reason = v_answer.stop_reason, raw_stop_reason = v_answer.raw_stop_reason,
         cut_tool_calls = coalesce(v_answer.cut_tool_calls, '{}'), usage = nullif(v_answer.usage, 'null'),
         cost_usd = coalesce(v_answer.cost_usd, nullif(reserved_usd, 0)), recorded_at = v_now,
         lost_requests = lost_requests + coalesce(v_answer.lost, 0), lost_usd = lost_usd + coalesce(v_answer.lost * reserved_usd, 0),
         lost_unpriced = lost_unpriced + case when reserved_usd is null then coalesce(v_answer.lost, 0) else 0 end, reserved_usd = 0, open_request = null,
         duration_ms = v_answer.duration_ms, time_to_first_token_ms = v_answer.time_to_first_token_ms
   where focus_id = p_focus_id and turn = p_turn and recorded_at is null
  returning cost_usd, usage, (begun_at at time zone 'UTC')::date as day, reserved_tokens into v_turn;
  if not found then
    perform from animus.turns where focus_id = p_focus_id and turn = p_turn;
    if found then return; end if;
    perform animus.raise('WA002', format('turn %s of focus %s was never begun', p_turn, p_focus_id), p_focus_id);
  end if;
  if v_answer.lost > 0 then
    -- What is held for the turn is for one request.
    update animus.budget_holds h
       set cost = v_answer.lost * h.amount + coalesce(case when a.unit = 'usd' then v_turn.cost_usd when v_turn.usage is not null then v_answer.input_tokens + v_answer.output_tokens end, h.amount)
      from animus.budget_accounts a where h.focus_id = p_focus_id and h.turn = p_turn and h.cost is null and a.id = h.account_id;
  end if;
  insert into animus.tool_calls (focus_id, turn, call_id, position, name, input, state, output, output_bytes, is_error, details,
                                 started_at, ended_at, duration_ms)
  select p_focus_id, p_turn, c.call_id, n, c.name, c.input, c.state, c.output, octet_length(c.output), c.is_error, nullif(c.details, 'null'),
         case when c.state <> 'pending' then v_now - coalesce(c.duration_ms, 0) * interval '1 ms' end,
         case when c.output is not null then v_now end, c.duration_ms
    from rows from (json_to_recordset(p_calls) as (
           call_id text, name text, input json, state text, output text, is_error boolean, details jsonb, duration_ms float8))
         with ordinality as c (call_id, name, input, state, output, is_error, details, duration_ms, n);
  -- Code without a model has no tokens to count.
  v_counted := v_turn.usage is not null or v_answer.provider is not distinct from 'animus';
  v_estimated := v_answer.cost_usd is null and v_turn.cost_usd is not null or animus.is_estimate(v_turn.usage, v_turn.cost_usd);
  update animus.work_items set turns = turns + 1, calls = calls + 1, cost_usd = cost_usd + coalesce(v_turn.cost_usd, 0),
         estimated_usd = case when v_estimated then estimated_usd + v_turn.cost_usd else estimated_usd end,
         unpriced_calls = unpriced_calls + (v_turn.cost_usd is null)::int, uncounted_calls = uncounted_calls + (not v_counted)::int,
         assumed_tokens = case when v_counted then assumed_tokens else assumed_tokens + v_turn.reserved_tokens end,
         input_tokens = input_tokens + v_answer.input_tokens, output_tokens = output_tokens + v_answer.output_tokens,
         -- The row is written anyway, and the column has no index.
         lease_expires_at = greatest(lease_expires_at, v_now + make_interval(secs => coalesce(lease_seconds, 0))) where id = p_item.id
  returning case when depth = 0 then submitted_by else animus.submitter_of(root_id) end as submitter,
            case when depth = 0 then source else animus.source_of(root_id) end as source into v_origin;
  insert into animus.spend_calls (faculty, model, day, usd, input_tokens, output_tokens, submitter, source, estimated, counted, assumed_tokens)
  values (p_item.faculty, coalesce(v_answer.provider, '') || '/' || coalesce(v_answer.model, ''), v_turn.day, v_turn.cost_usd, v_answer.input_tokens,
          v_answer.output_tokens, v_origin.submitter, v_origin.source, v_estimated, v_counted, case when v_counted then 0 else v_turn.reserved_tokens end);
  perform animus.tell_readers(p_item.id);
end $$;

-- Records the ends of calls. p_results: [{turn, call_id, state, output, is_error, details, duration_ms}]. Returns how many it
-- recorded: a call that had already ended keeps its first result.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA003, 57PA1.
create or replace function animus.finish_tool_calls(p_focus_id uuid, p_token bigint, p_results jsonb) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_item animus.held_work := animus.hold_focus(p_focus_id, p_token);
begin
  perform animus.tell_readers(v_item.id);
  return animus.end_calls(p_focus_id, p_results);
end $$;

-- Records the ends of calls for a caller that has locked the focus; returns how many it recorded.
-- Locks: none beyond those of the caller. Raises: nothing.
create or replace function animus.end_calls(p_focus_id uuid, p_results jsonb) returns int
language plpgsql as $$
declare
  v_now   timestamptz := animus.now();
  v_count int;
begin
  update animus.tool_calls t
     set state = r ->> 'state', output = r ->> 'output', output_bytes = octet_length(r ->> 'output'), is_error = (r ->> 'is_error')::boolean,
         details = nullif(r -> 'details', 'null'), ended_at = v_now, duration_ms = (r ->> 'duration_ms')::float8
    from jsonb_array_elements(p_results) r
   where t.focus_id = p_focus_id and t.turn = (r ->> 'turn')::int and t.call_id = r ->> 'call_id' and t.state in ('pending', 'started', 'waiting');
  get diagnostics v_count = row_count;
  return v_count;
end $$;

-- The two below are for daemons of version 0.1, which may run while a daemon of this version migrates the schema. Their connections keep prepared
-- statements, so the types of the results stay as they were.

drop function if exists animus.begin_next_turn(uuid, bigint, int, numeric, jsonb, uuid);
-- Begins a turn as begin_turn does, and returns its permit.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA003, 57PA1.
create or replace function animus.begin_next_turn(p_focus_id uuid, p_token bigint, p_turn int, p_reserved_usd numeric, p_results jsonb) returns text
language sql security definer set search_path = pg_catalog, pg_temp as $$
  select animus.begin_turn(p_focus_id, p_token, p_turn, p_reserved_usd, p_results) ->> 'permit'
$$;

drop function if exists animus.record_turn_and_begin(uuid, bigint, int, json, json, numeric);
drop function if exists animus.record_turn_and_begin(uuid, bigint, int, json, json, numeric, uuid);
-- Records a turn as the other record_turn does, and begins no other.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA002, WA003, 57PA1.
create or replace function animus.record_turn(p_focus_id uuid, p_token bigint, p_turn int, p_answer json, p_calls json) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.record_turn(p_focus_id, p_token, p_turn, p_answer, p_calls, null, null);
end $$;
