-- What a person is asked: about a call of a tool, a question of the model, or about the item itself. A decision is bound to the hash of the
-- exact request and to the turn that made it. Lock order: the item, its waits, its calls. Channel animus_inbox: an item has asked, or was
-- decided; the payload is its id.

-- Returns what a decision about a call is bound to: the tool, and the input as it is written.
-- Locks: none. Raises: nothing.
create or replace function animus.digest_call(p_tool text, p_input json) returns bytea
language sql stable parallel safe as $$ select animus.digest_texts('tool_call', p_tool, p_input::text) $$;

-- Returns what a decision about anything else is bound to: the request as it is written; of a budget, the limit and its present amount, so that all that
-- waits for it asks for the same.
-- Locks: none. Raises: nothing.
create or replace function animus.digest_request(p_subject text, p_request json) returns bytea
language sql stable parallel safe as $$
  select case when p_subject = 'budget'
    then animus.digest_texts('budget', p_request ->> 'scope', p_request ->> 'subject', p_request ->> 'unit', p_request ->> 'period', p_request ->> 'starts',
           trim_scale((p_request ->> 'amount')::numeric)::text)
    else animus.digest_texts(p_subject, p_request::text) end
$$;

-- How many requests to people may be open at once: of an item, of a root item with all that is below it, and of a submitter.
-- Locks: none. Raises: nothing.
create or replace function animus.open_asks_of(p_what text) returns int
language sql immutable parallel safe as $$ select case p_what when 'item' then 20 when 'tree' then 60 when 'submitter' then 200 end $$;

-- Returns why an item may not ask people anything more now, or null. Requests of the engine itself (a budget, a provider, something lost) are asked in any case, once per
-- item. Items that ask at the same moment may pass a limit by a few.
-- Locks: none. Raises: nothing.
create or replace function animus.too_many_asks(p_id uuid) returns text
language plpgsql stable as $$
declare
  v_root      uuid := (select w.root_id from animus.work_items w where w.id = p_id);
  v_submitter text := animus.submitter_of(v_root);
  v_open      record;
begin
  select count(*) filter (where o.id = p_id) as of_item, count(*) filter (where o.root_id = v_root) as of_tree, count(*) as of_submitter into v_open
    from (select i.id, i.root_id
            from animus.waits w join animus.work_items i on i.id = w.work_item_id
           where w.resolved_at is null and w.subject is not null and w.subject not in ('budget', 'provider')
             and (i.root_id = v_root or animus.submitter_of(i.root_id) is not distinct from v_submitter)
          union all
          select v.work_item_id, coalesce((select i.root_id from animus.work_items i where i.id = v.work_item_id), v.work_item_id)
            from animus.skill_versions v where v.state = 'proposed' and (v.work_item_id = p_id or v.submitted_by is not distinct from v_submitter)) o;
  return (
    select format('%s %s requests open that no person has decided yet, and that is the limit. Go on without asking, or end and say what a person has to decide',
                  l.who, l.n)
      from (values ('this work item has', v_open.of_item, 'item'), ('this work item and the work that it belongs to have', v_open.of_tree, 'tree'),
                   ('the work of this submitter has', v_open.of_submitter, 'submitter')) l (who, n, what)
     where l.n >= animus.open_asks_of(l.what) limit 1);
end $$;

-- Returns who denied exactly this call in an attempt before, when and why; null: nobody did, or it was approved or the work retried by a person since.
-- Locks: none. Raises: nothing.
create or replace function animus.denied_before(p_id uuid, p_focus_id uuid, p_turn int, p_call_id text, p_final_input json) returns text
language sql stable as $$
  select case d.action when 'deny' then
           format('%s denied this call in an earlier attempt, at %s. %s', d.decided_by, animus.show_time(d.created_at),
                  case d.note when '' then 'No reason was given.' else 'The reason given: ' || d.note end) end
    from animus.foci f
    join animus.tool_calls c on c.focus_id = f.id and c.turn = p_turn and c.call_id = p_call_id
    join animus.decisions d on d.work_item_id = f.work_item_id
   where f.id = p_focus_id
     and d.created_at between (select min(e.started_at) from animus.foci e where e.id = any (animus.earlier_attempts(p_focus_id))) and f.started_at
     and (d.action = 'retry' or d.action in ('approve', 'deny') and d.subject = 'tool_call'
                            and d.subject_digest = animus.digest_call(c.name, coalesce(p_final_input, c.final_input, c.input)))
   order by d.id desc limit 1
$$;

-- Returns the result that a wait about this call would have: exactly this call was approved in an attempt before, where it never started, and the approval is for one
-- run of it. Null: nobody approved it, the one who did has denied it since, or as many such calls as were approved have started, or were asked about, since. With four eyes,
-- an approval by those who caused the work does not count.
-- Locks: none. Raises: nothing.
create or replace function animus.approved_before(p_id uuid, p_focus_id uuid, p_turn int, p_call_id text, p_tool text, p_digest bytea, p_four_eyes boolean) returns jsonb
language plpgsql stable as $$
begin
  return (
  with attempts as materialized (
    select animus.earlier_attempts(f.id) as foci, f.started_at as until from animus.foci f where f.id = p_focus_id),
  decided as materialized (
    select d.* from attempts a, animus.decisions d
     where d.work_item_id = p_id and d.action in ('approve', 'deny') and d.subject = 'tool_call' and d.subject_digest = p_digest
       and d.created_at between (select min(e.started_at) from animus.foci e where e.id = any (a.foci)) and a.until)
  select jsonb_strip_nulls(jsonb_build_object('decision', 'approve', 'by', d.decided_by, 'note', nullif(d.note, ''), 'approved', encode(p_digest, 'hex'),
           'decided_at', d.created_at))
    from (select * from decided order by id desc limit 1) d
   where d.action = 'approve' and not (p_four_eyes and animus.has_caused(d.decided_by, p_id))
     and (select count(*) from decided x where x.action = 'approve') > (
           select count(*) from attempts a, animus.tool_calls c
            where c.focus_id = any (a.foci || p_focus_id) and (c.focus_id, c.turn, c.call_id) <> (p_focus_id, p_turn, p_call_id)
              and c.name = p_tool and animus.digest_call(c.name, coalesce(c.final_input, c.input)) = p_digest
              and case when c.focus_id = p_focus_id then c.state <> 'pending' else c.started_at is not null end));
end $$;

-- A function with fewer columns cannot be replaced.
do $$
begin
  if pg_get_function_result(to_regprocedure('animus.ask_person(uuid, bigint, int, text, text, text, json, double precision, json)')) !~ 'refused' then
    drop function animus.ask_person(uuid, bigint, int, text, text, text, json, double precision, json);
  end if;
end $$;

-- Asks a person about a recorded call, which waits from now on. p_kind: approval or human; p_subject: tool_call, or what p_request is
-- about. For a tool call the request is made here, of the recorded call: its tool, the input that it would run with (p_final_input, if a hook
-- has changed it), and `reason`, `gate` and `four_eyes` of p_request. After p_seconds the answer is no; null: never. For a call that waits already, or has ended, it
-- changes nothing and returns asked = false. Nor if the item has asked enough (too_many_asks), or a person denied exactly this call in an attempt before:
-- then `refused` says so, and the caller ends the call. If a person approved exactly this call before and it never started, the call waits with that decision: nobody is
-- asked, and it starts when the item has parked.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA003, 57PA1.
create or replace function animus.ask_person(
  p_focus_id uuid, p_token bigint, p_turn int, p_call_id text, p_kind text, p_subject text, p_request json, p_seconds double precision,
  p_final_input json default null, out asked boolean, out deadline timestamptz, out refused text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now  timestamptz := animus.now();
  v_item animus.held_work := animus.hold_focus(p_focus_id, p_token);
  v_name text;
  v_json json;
  v_hash bytea;
begin
  asked := false;
  if exists (select from animus.tool_calls c where c.focus_id = p_focus_id and c.turn = p_turn and c.call_id = p_call_id and c.state in ('pending', 'started')) then
    refused := coalesce(
      case when p_subject = 'tool_call' then animus.denied_before(v_item.id, p_focus_id, p_turn, p_call_id, p_final_input) end,
      animus.too_many_asks(v_item.id));
    if refused is not null then return; end if;
  end if;
  update animus.tool_calls c set state = 'waiting', final_input = coalesce(p_final_input, c.final_input)
   where c.focus_id = p_focus_id and c.turn = p_turn and c.call_id = p_call_id and c.state in ('pending', 'started')
  returning c.name, coalesce(c.final_input, c.input) into v_name, v_json;
  if not found then return; end if;
  asked := true;
  deadline := v_now + make_interval(secs => p_seconds);
  if p_subject = 'tool_call' then
    p_request := case when (p_request ->> 'four_eyes')::boolean
      then json_build_object('tool', v_name, 'input', v_json, 'reason', p_request -> 'reason', 'gate', p_request -> 'gate', 'four_eyes', true)
      else json_build_object('tool', v_name, 'input', v_json, 'reason', p_request -> 'reason', 'gate', p_request -> 'gate') end;
  end if;
  v_hash := case p_subject when 'tool_call' then animus.digest_call(v_name, v_json) else animus.digest_texts(p_subject, p_request::text) end;
  perform animus.store_ask(v_item.id, p_call_id, p_kind, p_subject, p_request, v_hash, deadline, v_now, p_focus_id, p_turn,
    case p_subject when 'tool_call' then
      animus.approved_before(v_item.id, p_focus_id, p_turn, p_call_id, v_name, v_hash, coalesce((p_request ->> 'four_eyes')::boolean, false)) end);
end $$;

-- Asks a person about the item itself, for its focus: more budget, for example. p_call_id names the wait, and no call has that name. The focus then parks.
-- After p_seconds the answer is no; null: never. Returns false if the same is asked already.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA003, 57PA1.
create or replace function animus.open_item_wait(
  p_focus_id uuid, p_token bigint, p_call_id text, p_subject text, p_request json, p_seconds double precision default null) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now  timestamptz := animus.now();
  v_item animus.held_work := animus.hold_focus(p_focus_id, p_token);
begin
  if exists (select from animus.waits w
              where w.work_item_id = v_item.id and w.call_id = p_call_id and w.resolved_at is null and w.focus_id = p_focus_id) then
    return false;
  end if;
  perform animus.store_ask(v_item.id, p_call_id, 'approval', p_subject, p_request, animus.digest_request(p_subject, p_request),
    v_now + make_interval(secs => p_seconds), v_now, p_focus_id, null);
  return true;
end $$;

-- Stores what a person is asked, for a caller that has locked the item. Replaces what an earlier focus or turn left under the same name, under a new id: what
-- an id names never changes. What waits for a limit that other work waits for, too, gets the id under which that asks. p_result: it is decided already.
-- Locks: none beyond those of the caller. Raises: 23514.
drop function if exists animus.store_ask(uuid, text, text, text, json, bytea, timestamptz, timestamptz, uuid, int);
create or replace function animus.store_ask(
  p_id uuid, p_call_id text, p_kind text, p_subject text, p_request json, p_hash bytea, p_deadline timestamptz, p_now timestamptz, p_focus_id uuid,
  p_turn int, p_result jsonb default null) returns void
language plpgsql as $$
begin
  insert into animus.waits as w (work_item_id, call_id, kind, subject, request, request_hash, deadline, created_at, focus_id, turn, resolved_at, result, ask_id)
  values (p_id, p_call_id, p_kind, p_subject, p_request, p_hash, p_deadline, p_now, p_focus_id, p_turn, case when p_result is not null then p_now end, p_result,
          coalesce(animus.ask_of_limit(p_subject, p_request, p_hash), gen_random_uuid()))
  on conflict (work_item_id, call_id) do update
     set kind = excluded.kind, subject = excluded.subject, request = excluded.request, request_hash = excluded.request_hash, targets = '{}', mode = null,
         deadline = excluded.deadline, created_at = excluded.created_at, resolved_at = excluded.resolved_at, result = excluded.result, focus_id = excluded.focus_id,
         turn = excluded.turn, ask_id = excluded.ask_id;
  if p_result is null then perform animus.notify_of('animus_asks', p_id); end if;
end $$;

-- Returns the call that a wait is about, as its provider has named it: for people to read, never to decide by. Null: the item itself waits.
-- Locks: none. Raises: nothing.
create or replace function animus.call_of(p_call_id text, p_turn int) returns text
language sql immutable parallel safe as $$ select case when p_turn is not null then p_call_id end $$;

-- Returns the id under which other work asks about the same limit, as it is now; null: none does, or it is about something else. Work that begins to wait at
-- the same moment may get ids of its own; a decision under any of them is about all.
-- Locks: none. Raises: nothing.
create or replace function animus.ask_of_limit(p_subject text, p_request json, p_hash bytea) returns uuid
language sql stable as $$
  select w.ask_id from animus.waits w join animus.foci f on f.id = w.focus_id and f.ended_as is null
   where p_subject = 'budget' and p_request ->> 'scope' in ('root', 'faculty', 'appliance')
     and w.resolved_at is null and w.subject = 'budget' and w.request_hash = p_hash
     and w.request ->> 'scope' = p_request ->> 'scope' and w.request ->> 'subject' = p_request ->> 'subject'
     and w.request ->> 'unit' = p_request ->> 'unit' and w.request ->> 'period' = p_request ->> 'period'
   order by w.created_at, w.work_item_id limit 1
$$;

-- Returns the id under which an operator is asked to acknowledge what was lost of an item's worktree. It is made of what was lost, so it names exactly that.
-- Locks: none. Raises: nothing.
create or replace function animus.ask_of_loss(p_id uuid, p_lost text) returns uuid
language sql immutable parallel safe as $$
  select overlay(overlay(md5(concat_ws(' ', 'lost', p_id, p_lost)) placing '8' from 13) placing '8' from 17)::uuid
$$;
