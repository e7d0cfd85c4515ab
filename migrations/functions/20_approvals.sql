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
-- run of it. Null: nobody approved it, whoever did has denied it since, or as many such calls as were approved have started, or were asked about, since. With four eyes,
-- an approval by whoever has caused the work does not count.
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

-- Has a person asked about a recorded call, which waits from now on. p_kind: approval or human; p_subject: tool_call, or what p_request is
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

-- Returns the id under which an operator is asked to acknowledge what of an item's worktree was lost. It is made of what was lost, so it names exactly that.
-- Locks: none. Raises: nothing.
create or replace function animus.ask_of_loss(p_id uuid, p_lost text) returns uuid
language sql immutable parallel safe as $$
  select overlay(overlay(md5(concat_ws(' ', 'lost', p_id, p_lost)) placing '8' from 13) placing '8' from 17)::uuid
$$;

-- What work items wait for from people, oldest first: what exactly is to be decided, and until when. Approve, deny and answer take `ask_id`, so that nobody
-- decides something else than what was shown.
create or replace view animus.asked as
  select w.work_item_id, i.faculty, animus.call_of(w.call_id, w.turn) as call_id, w.kind, w.subject, w.request, encode(w.request_hash, 'hex') as hash,
         w.created_at as asked_at, w.deadline, w.focus_id, w.turn, i.submitted_by, i.description, w.ask_id
    from animus.waits w
    join animus.work_items i on i.id = w.work_item_id
    join animus.foci f on f.id = w.focus_id and f.ended_as is null
   where w.resolved_at is null and w.subject is not null
   order by w.created_at, w.work_item_id, w.ask_id;

-- Everything that waits for a person, item by item, of what the actor may see: animus.asked, and the versions of skills that work has proposed, for which no
-- work waits, and whose work item may have been deleted meanwhile. `lost`: what of a worktree is gone, until an operator has acknowledged it with
-- animus.answer. items: how many work items wait for the same limit, this one included; 1 for anything else.
create or replace view animus.item_asks as
  select a.work_item_id, a.faculty, a.call_id, a.kind, a.subject, a.request, a.hash, a.asked_at, a.deadline, a.focus_id, a.turn, a.submitted_by, a.description, a.ask_id,
         case when a.subject = 'budget' and a.request ->> 'scope' in ('root', 'faculty', 'appliance') then (
           select count(*)::int from animus.waits o join animus.work_items i on i.id = o.work_item_id join animus.foci f on f.id = o.focus_id and f.ended_as is null
            where o.resolved_at is null and o.subject = 'budget' and o.request ->> 'scope' = a.request ->> 'scope' and o.request ->> 'subject' = a.request ->> 'subject'
              and o.request ->> 'unit' = a.request ->> 'unit' and o.request ->> 'period' = a.request ->> 'period'
              and (i.submitted_by = (select animus.actor()) or (select animus.sees_all()))) else 1 end as items
    from animus.asked a where a.submitted_by = (select animus.actor()) or (select animus.sees_all())
  union all
  select v.work_item_id, coalesce(v.faculty, ''), null::text, 'approval', 'skill',
         json_build_object('skill', v.name, 'version', v.version, 'base', v.base, 'description', v.description, 'note', v.note),
         v.content_hash, v.created_at, null::timestamptz, v.focus_id, null::int, v.submitted_by,
         coalesce((select w.description from animus.work_items w where w.id = v.work_item_id), ''), v.ask_id, 1
    from animus.skill_versions v where v.state = 'proposed' and (v.submitted_by = (select animus.actor()) or (select animus.sees_all()))
  union all
  select r.work_item_id, w.faculty, null::text, 'human', 'lost', json_build_object('lost', r.lost, 'branch', t.branch),
         encode(sha256(convert_to(r.lost, 'UTF8')), 'hex'), r.updated_at, null::timestamptz, null::uuid, null::int, w.submitted_by, w.description,
         animus.ask_of_loss(r.work_item_id, r.lost), 1
    from animus.worktree_results r join animus.work_items w on w.id = r.work_item_id left join animus.worktrees t on t.id = r.worktree_id
   where r.lost is not null and r.lost is distinct from r.lost_seen and (w.submitted_by = (select animus.actor()) or (select animus.sees_all()));

-- The same, oldest first, where all that waits for one limit is one entry: that of the item that has waited longest. A decision about it is one about all
-- of them. Of such an entry, `needed` is the dearest next turn, `used` what was spent when the last one began to wait, and the
-- deadline the first one. work_items: the first hundred.
create or replace view animus.inbox as
  select a.work_item_id, a.faculty, a.call_id, a.kind, a.subject, a.request, a.hash, a.asked_at, a.deadline, a.focus_id, a.turn, a.submitted_by, a.description, a.ask_id,
         1 as items, array[a.work_item_id] as work_items
    from animus.item_asks a where (a.subject = 'budget' and a.request ->> 'scope' in ('root', 'faculty', 'appliance')) is not true
  union all
  select l.work_item_id, l.faculty, l.call_id, l.kind, l.subject,
         case l.items when 1 then l.request else (l.request::jsonb || jsonb_build_object('needed', l.needed, 'used', l.used))::json end,
         l.hash, l.asked_at, l.deadline, l.focus_id, l.turn, l.submitted_by, l.description, l.ask_id, l.items, l.work_items[1:100]
    from (select distinct on (a.request ->> 'scope', a.request ->> 'subject', a.request ->> 'unit', a.request ->> 'period')
                 a.work_item_id, a.faculty, a.call_id, a.kind, a.subject, a.request, a.hash, a.asked_at, a.focus_id, a.turn, a.submitted_by, a.description, a.ask_id,
                 min(a.deadline) over same as deadline, max((a.request ->> 'needed')::numeric) over same as needed, max((a.request ->> 'used')::numeric) over same as used, (count(*) over same)::int as items,
                 array_agg(a.work_item_id) over same as work_items
            from animus.item_asks a where a.subject = 'budget' and a.request ->> 'scope' in ('root', 'faculty', 'appliance')
          window same as (partition by a.request ->> 'scope', a.request ->> 'subject', a.request ->> 'unit', a.request ->> 'period'
                          order by a.asked_at, a.work_item_id rows between unbounded preceding and unbounded following)
           order by a.request ->> 'scope', a.request ->> 'subject', a.request ->> 'unit', a.request ->> 'period', a.asked_at, a.work_item_id) l
   order by 8, 1, 14;

-- They named what is decided by the id that a provider has given to a call.
drop function if exists animus.approve(uuid, text, text, json, text);
drop function if exists animus.deny(uuid, text, text, text);
drop function if exists animus.answer(uuid, text, text);
drop function if exists animus.decide(uuid, text, text, text, text, json, text);
drop function if exists animus.only_asked(uuid, text, text);
drop function if exists animus.require_open(animus.waits, uuid, text, text, timestamptz);
drop function if exists animus.is_proposed_skill(uuid, text);

-- Approves what waits for a person, and returns its id in animus.inbox. A call runs as soon as everything else that the item waits for
-- is decided, too. p_ask: the ask_id in animus.inbox, of something that this item asks; may be left out if only one approval is open. p_hash, hexadecimal as in
-- animus.inbox: the approval is refused if something else waits by now. p_input: the call runs with this input instead, which is recorded as a
-- decision `edit`; a budget is extended by it.
-- Locks: the item's row, or the skill; waits two seconds at most. Raises: WA002, WA003, WA004, 42501, 57PA1.
create or replace function animus.approve(
  p_id uuid, p_ask uuid default null, p_note text default '', p_input json default null, p_hash text default null) returns uuid
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.require_operator();
  return animus.decide(p_id, p_ask, 'approve', p_note, p_hash, p_input, null);
end $$;

-- Denies what waits for a person, and returns its id. The model gets the note. p_ask and p_hash: as for approve. A question
-- may be denied, too: then it stays without an answer.
-- Locks: as approve. Raises: WA002, WA003, WA004, 42501, 57PA1.
create or replace function animus.deny(p_id uuid, p_ask uuid default null, p_note text default '', p_hash text default null) returns uuid
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.require_operator();
  return animus.decide(p_id, p_ask, 'deny', p_note, p_hash, null, null);
end $$;

-- Answers a question of the model, and returns its id. p_ask may be left out if only one question is open. That of something that was lost
-- with a worktree: acknowledges it; the answer is a note about it.
-- Locks: as approve. Raises: WA002, WA003, WA004, 42501, 57PA1.
create or replace function animus.answer(p_id uuid, p_text text, p_ask uuid default null) returns uuid
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.require_operator();
  return animus.decide(p_id, p_ask, 'answer', '', null, null, p_text);
end $$;

-- Decides about anything that waits for a person, for a caller who may. The kind of what p_ask names is that of its row, and not part of its name.
-- Of several who decide at once, one succeeds, and the others get WA002 with the name of that one.
-- Locks: the item's row, or the skill; waits two seconds at most. Raises: WA002, WA003, WA004, 42501, 57PA1.
create or replace function animus.decide(
  p_id uuid, p_ask uuid, p_action text, p_note text, p_hash text, p_input json, p_answer text) returns uuid
language plpgsql as $$
declare
  v_skill text;
  v_lost  text;
begin
  if p_action = 'answer' and (coalesce(p_answer, '') !~ '[^[:space:]]' or octet_length(p_answer) > 1048576) then
    perform animus.raise('WA004', 'an answer has 1 byte to 1 MiB of text', p_id);
  end if;
  select v.name into v_skill from animus.skill_versions v where v.ask_id = p_ask and v.work_item_id is not distinct from p_id;
  if found then
    if p_action = 'answer' or p_input is not null then
      perform animus.raise('WA002', format('request %s is a proposed skill: it is approved or denied as it is', p_ask), p_id);
    end if;
    perform case p_action when 'approve' then animus.approve_skill(v_skill, p_note, p_hash, p_ask) else animus.deny_skill(v_skill, p_note, p_hash, p_ask) end;
    return p_ask;
  end if;
  select r.lost into v_lost from animus.worktree_results r where r.work_item_id = p_id and animus.ask_of_loss(p_id, r.lost) = p_ask;
  if found then
    if p_action <> 'answer' then
      perform animus.raise('WA002', format('request %s is about what was lost: it is acknowledged by an answer', p_ask), p_id);
    end if;
    perform animus.acknowledge_loss(p_id, p_answer, v_lost);
    return p_ask;
  end if;
  return animus.decide_wait(p_id, p_ask, p_action, p_note, p_hash, p_input, p_answer);
end $$;

-- Records a decision about a wait and resolves it; wakes the item if it was the last wait. A decision about a limit is one about all that waits for it.
-- Locks: the item's row, and those of the others that wait for the same limit; waits two seconds at most. Raises: WA002, WA003, WA004, 42501, 57PA1.
create or replace function animus.decide_wait(
  p_id uuid, p_ask uuid, p_action text, p_note text, p_hash text, p_input json, p_answer text) returns uuid
language plpgsql as $$
declare
  v_now   timestamptz;
  v_state text;
  v_wait  animus.waits;
  v_hash  bytea;
  v_ids   uuid[];
begin
  p_id := animus.item_behind(p_id, p_ask);
  v_ids := animus.items_behind(p_id, p_ask);
  perform animus.lock_work(v_ids, 10);
  select state into v_state from animus.work_items where id = p_id;
  if not found then
    perform animus.raise('WA003', format('no work item %s', p_id), p_id);
  end if;
  v_now := animus.now();
  v_wait := animus.open_ask(p_id, p_ask, p_action, v_state, v_now);
  if p_hash is not null and lower(p_hash) <> encode(v_wait.request_hash, 'hex') then
    perform animus.raise('WA002', format('what waits as %s is not what was shown', v_wait.ask_id), p_id, 'look again: animus work show');
  end if;
  if p_action = 'approve' then perform animus.require_four_eyes(p_id, v_wait.focus_id, v_wait.request); end if;
  v_hash := v_wait.request_hash;
  p_note := animus.cut_text(coalesce(p_note, ''), 10000);
  if v_wait.subject = 'budget' then
    perform animus.decide_budget(v_wait, v_ids, p_action, p_note, p_input, v_now);
    return v_wait.ask_id;
  end if;
  if p_input is not null then
    v_hash := animus.edit_asked(v_wait, p_input);
    perform animus.record_decision(v_wait, 'edit', '', v_wait.request_hash, v_now);
  end if;
  perform animus.record_decision(v_wait, p_action, coalesce(animus.cut_text(p_answer, 10000), p_note), v_hash, v_now);
  update animus.waits
     set resolved_at = v_now,
         result = jsonb_strip_nulls(jsonb_build_object('decision', p_action, 'by', animus.actor(), 'note', nullif(p_note, ''), 'answer', p_answer,
           'approved', case p_action when 'approve' then encode(v_hash, 'hex') end))
   where ask_id = v_wait.ask_id;
  perform animus.notify_of('animus_asks', p_id);
  if v_wait.subject = 'provider' and p_action = 'deny' then
    perform animus.keep_denial(v_wait.focus_id, format('%s: that was denied by %s', v_wait.request ->> 'reason', concat_ws(': ', animus.actor(), nullif(p_note, ''))));
  end if;
  perform animus.wake_if_resolved(p_id, v_state, v_now);
  return v_wait.ask_id;
end $$;

-- Where a faculty asks for four eyes: refuses an approval by somebody who has caused the work (has_caused). p_request: what the focus asked; null: something else,
-- for which the settings of the focus count.
-- Locks: none. Raises: 42501.
create or replace function animus.require_four_eyes(p_id uuid, p_focus_id uuid, p_request json) returns void
language plpgsql stable as $$
begin
  if coalesce((p_request ->> 'four_eyes')::boolean, (
       select (coalesce(f.faculty_snapshot, s.faculty_snapshot) #>> '{permissions,fourEyes}')::boolean
         from animus.foci f left join animus.focus_settings s on s.id = f.settings_id where f.id = p_focus_id)) is true
     and animus.has_caused(animus.actor(), p_id) then
    raise insufficient_privilege using message = format('%s has submitted work item %s or written to it, and its faculty asks for four eyes', animus.actor(), p_id),
      hint = 'another operator approves it; anybody who may decide may deny it';
  end if;
end $$;

-- Returns whether somebody has caused what an item does: has submitted it or an item above it, has written the schedule that began
-- it, or has said something that one of them answers or was told (a duplicate, too), or that stands before it in its conversation.
-- Locks: none. Raises: nothing.
create or replace function animus.has_caused(p_actor text, p_id uuid) returns boolean
language plpgsql stable as $$
begin
  return exists (
    select from animus.work_items w
     where w.id = any (animus.ancestors(p_id) || p_id) and (
       w.submitted_by = p_actor or w.trigger_info -> 'written_by' ? p_actor
       or exists (select from animus.mailbox m where m.work_item_id = w.id and m.author = p_actor)
       or exists (select from animus.chat_messages a join animus.chat_messages m on m.file_id = a.file_id and m.role = 'user' and (m.id <= a.id or m.work_item_id = w.id) and m.author = p_actor
                   where a.work_item_id = w.id and a.role = 'user' and not a.told)));
end $$;

-- Adds a decision about a wait to the chain of its item. p_hash: what exactly was decided.
-- Locks: the first row of the chain. Raises: nothing.
create or replace function animus.record_decision(p_wait animus.waits, p_action text, p_note text, p_hash bytea, p_now timestamptz) returns void
language sql as $$
  insert into animus.decisions (work_item_id, call_id, action, note, decided_by, created_at, subject_digest, ask_id, subject)
  values (p_wait.work_item_id, animus.call_of(p_wait.call_id, p_wait.turn), p_action, p_note, animus.actor(), p_now, p_hash, p_wait.ask_id, p_wait.subject)
$$;

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
    perform animus.raise('WA002', format('%s is no question', v_what), p_id, 'decide it with animus.approve or animus.deny');
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
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select jsonb_build_object('asks', jsonb_build_object('waiting', (select count(*) from (select from animus.inbox limit 10000) x), 'first', coalesce((
    select jsonb_agg(jsonb_build_object('work_item_id', x.work_item_id, 'faculty', x.faculty, 'ask_id', x.ask_id, 'call_id', x.call_id, 'kind', x.kind, 'subject', x.subject,
             'tool', x.request ->> 'tool', 'shown', left(coalesce(x.request ->> 'input', x.request ->> 'question', x.request ->> 'reason', x.request ->> 'lost', x.request::text), 300),
             'asked_at', x.asked_at, 'deadline', x.deadline, 'items', x.items) order by x.asked_at, x.work_item_id, x.ask_id)
      from (select * from animus.inbox limit 10) x), '[]')))
$$;
