-- Which question a decision means, and whether it may still be decided so.

-- Returns the wait of an item for a limit as it was when a decision under this id resolved it, for messages: the item asks anew in the same row.
-- Locks: none. Raises: nothing.
create or replace function animus.decided_before(p_id uuid, p_ask uuid) returns animus.waits
language plpgsql stable as $$
declare
  v_wait     animus.waits;
  v_decision record;
begin
  select d.action, d.decided_by, d.created_at into v_decision from animus.decisions d
   where d.work_item_id = p_id and d.ask_id = p_ask and d.subject = 'budget' order by d.id desc limit 1;
  if found then
    select * into v_wait from animus.waits w where w.work_item_id = p_id and w.subject = 'budget' order by w.created_at desc limit 1;
    v_wait.resolved_at := v_decision.created_at;
    v_wait.result := jsonb_build_object('decision', v_decision.action, 'by', v_decision.decided_by);
  end if;
  return v_wait;
end $$;

-- Returns the wait that a decision is about, for a caller that has locked the item: that with this id, or the only open one that such a decision fits.
-- Locks: none beyond those of the caller. Raises: WA002, WA003, WA004.
create or replace function animus.open_ask(p_id uuid, p_ask uuid, p_action text, p_state text, p_now timestamptz) returns animus.waits
language plpgsql stable as $$
declare
  v_wait animus.waits;
begin
  p_ask := coalesce(p_ask, animus.only_asked(p_id, p_action, p_state));
  select * into v_wait from animus.waits w where w.work_item_id = p_id and w.ask_id = p_ask and w.subject is not null;
  if not found then
    -- A limit was decided about, and this item waits for more than it was raised by, under a new id.
    select * into v_wait from animus.waits w where w.ask_id = p_ask and w.subject = 'budget' and w.result ? 'decision' limit 1;
    if not found then v_wait := animus.decided_before(p_id, p_ask); end if;
  end if;
  perform animus.require_open(v_wait, p_id, p_ask, p_action, p_now);
  return v_wait;
end $$;

-- Returns the id of the only open wait that such a decision fits.
-- Locks: none. Raises: WA002, WA004.
create or replace function animus.only_asked(p_id uuid, p_action text, p_state text) returns uuid
language plpgsql stable as $$
declare
  v_open uuid[];
begin
  v_open := array(
    select x.ask_id from animus.asked x
     where x.work_item_id = p_id and (p_action = 'deny' or (x.kind = 'human') = (p_action = 'answer')) order by x.asked_at, x.ask_id);
  if cardinality(v_open) = 0 then
    perform animus.raise('WA002', format('no %s is open for work item %s, which %s',
      case p_action when 'answer' then 'question' when 'approve' then 'approval' else 'request' end, p_id,
      case when not exists (select from animus.asked x where x.work_item_id = p_id) then 'is ' || p_state
           when p_action = 'answer' then 'waits for an approval: approve or deny it' else 'asks a question: answer it' end), p_id);
  end if;
  if cardinality(v_open) > 1 then
    perform animus.raise('WA004', format('work item %s waits for %s decisions: %s; decide them one by one, by the id of the request', p_id, cardinality(v_open),
      array_to_string(v_open[1:20], ', ')), p_id);
  end if;
  return v_open[1];
end $$;

-- Refuses a decision about a wait that is not open, or of a kind that this decision does not fit.
-- Locks: none. Raises: WA002, WA003.
create or replace function animus.require_open(p_wait animus.waits, p_id uuid, p_ask uuid, p_action text, p_now timestamptz) returns void
language plpgsql stable as $$
declare
  v_what text := format('request %s of work item %s', p_ask, p_id);
begin
  if p_wait.work_item_id is null then
    perform animus.raise('WA003', format('no %s', v_what), p_id, 'see what waits: select * from animus.inbox');
  elsif p_wait.resolved_at is not null and p_wait.result ? 'decision' then
    perform animus.raise('WA002', format('%s has been decided: %s by %s at %s%s', v_what, p_wait.result ->> 'decision', p_wait.result ->> 'by',
      animus.show_time(p_wait.resolved_at), animus.limit_now(p_wait)), p_id);
  elsif p_wait.resolved_at is not null or not exists (select from animus.foci f where f.id = p_wait.focus_id and f.ended_as is null) then
    perform animus.raise('WA002', format('%s no longer waits%s', v_what, animus.limit_now(p_wait)), p_id);
  elsif p_wait.deadline <= p_now then
    perform animus.raise('WA002', format('the deadline of %s has passed: %s', v_what, animus.show_time(p_wait.deadline)), p_id);
  elsif p_action = 'answer' and p_wait.kind <> 'human' then
    perform animus.raise('WA002', format('%s is not a question', v_what), p_id, 'decide it with animus.approve or animus.deny');
  elsif p_action = 'approve' and p_wait.kind = 'human' then
    perform animus.raise('WA002', format('%s is a question', v_what), p_id, 'answer it with animus.answer');
  end if;
end $$;

-- Puts another input in place of the one that was asked about, and returns the hash that the approval is bound to then.
-- Locks: the call. Raises: WA002, WA004.
create or replace function animus.edit_asked(p_wait animus.waits, p_input json) returns bytea
language plpgsql as $$
begin
  if p_wait.subject = 'provider' then
    perform animus.raise('WA004', 'a change of the provider is approved as it is, or denied', p_wait.work_item_id);
  end if;
  if json_typeof(p_input) <> 'object' or octet_length(p_input::text) > 4194304 or strpos(p_input::text, E'\\u0000') > 0 then
    perform animus.raise('WA004', E'the input is a JSON object of at most 4 MiB, without \\u0000', p_wait.work_item_id);
  end if;
  if p_wait.subject <> 'tool_call' then return animus.digest_texts(p_wait.subject, p_input::text); end if;
  update animus.tool_calls set final_input = p_input
   where focus_id = p_wait.focus_id and turn = p_wait.turn and call_id = p_wait.call_id and state = 'waiting';
  if not found then
    perform animus.raise('WA002', format('the call of request %s no longer waits', p_wait.ask_id), p_wait.work_item_id);
  end if;
  return animus.digest_call(p_wait.request ->> 'tool', p_input);
end $$;

-- Marks a recorded call as running, and stores the input that it runs with, before it runs: p_final_input, if a hook has changed it. A call that
-- waits starts only if a person has approved it with this input. p_grant_id: the grant that lets it run without a person. A call that was started
-- already stays as it is.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA002, WA003, 57PA1.
create or replace function animus.start_call(
  p_focus_id uuid, p_token bigint, p_turn int, p_call_id text, p_final_input json default null, p_grant_id bigint default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now  timestamptz := animus.now();
  v_item animus.held_work := animus.hold_focus(p_focus_id, p_token);
  v_call record;
begin
  select c.state, c.name, coalesce(p_final_input, c.final_input, c.input) as input into v_call
    from animus.tool_calls c where c.focus_id = p_focus_id and c.turn = p_turn and c.call_id = p_call_id;
  if not found then
    perform animus.raise('WA003', format('no call %s in turn %s of focus %s', p_call_id, p_turn, p_focus_id), p_focus_id);
  end if;
  if v_call.state not in ('pending', 'started', 'waiting') then
    perform animus.raise('WA002', format('call %s has ended (%s)', p_call_id, v_call.state), v_item.id);
  end if;
  if v_call.state = 'waiting' and not exists (
    select from animus.waits w
     where w.work_item_id = v_item.id and w.call_id = p_call_id and w.focus_id = p_focus_id and w.turn = p_turn and w.subject = 'tool_call'
       and w.resolved_at is not null and w.result ->> 'approved' = encode(animus.digest_call(v_call.name, v_call.input), 'hex')) then
    perform animus.raise('WA002', format('call %s waits, and nobody has approved it with this input', p_call_id), v_item.id);
  end if;
  if p_grant_id is not null and not exists (
    select from animus.grants g
     where g.id = p_grant_id and g.revoked_at is null and g.expires_at > v_now and g.tool = v_call.name and g.faculty = v_item.faculty
       and (g.scope = 'faculty' or g.work_item_id = v_item.id)
       and (g.request_hash is null or g.request_hash = animus.digest_call(v_call.name, v_call.input))) then
    perform animus.raise('WA002', format('grant %s is not for call %s', p_grant_id, p_call_id), v_item.id);
  end if;
  update animus.tool_calls
     set state = 'started', started_at = coalesce(started_at, v_now), final_input = coalesce(p_final_input, final_input),
         grant_id = coalesce(p_grant_id, grant_id)
   where focus_id = p_focus_id and turn = p_turn and call_id = p_call_id;
end $$;

-- Returns what waits for people, for `animus status`: how many (counted up to 10,000), and the ten oldest.
-- Locks: none. Raises: nothing.
create or replace function animus.asks_status() returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: reader, operator, daemon.
declare
  v_first   jsonb;
  v_waiting bigint;
begin
  -- A new session takes 13 ms for each plan with the view.
  if not exists (select from animus.waits w where w.resolved_at is null and w.subject is not null)
     and not exists (select from animus.skill_versions v where v.state = 'proposed')
     and not exists (select from animus.worktree_results r where r.lost is not null and r.lost is distinct from r.lost_seen) then
    return '{"asks": {"waiting": 0, "first": []}}';
  end if;
  select jsonb_agg(jsonb_build_object('work_item_id', x.work_item_id, 'faculty', x.faculty, 'ask_id', x.ask_id, 'call_id', x.call_id, 'kind', x.kind, 'subject', x.subject,
           'tool', x.request ->> 'tool', 'shown', left(coalesce(x.request ->> 'input', x.request ->> 'question', x.request ->> 'reason', x.request ->> 'lost', x.request::text), 300),
           'asked_at', x.asked_at, 'deadline', x.deadline, 'items', x.items) order by x.asked_at, x.work_item_id, x.ask_id), count(*)
    into v_first, v_waiting
    from (select * from animus.inbox limit 10) x;
  if v_waiting = 10 then select count(*) into v_waiting from (select from animus.inbox limit 10000) x; end if;
  return jsonb_build_object('asks', jsonb_build_object('waiting', v_waiting, 'first', coalesce(v_first, '[]')));
end $$;
