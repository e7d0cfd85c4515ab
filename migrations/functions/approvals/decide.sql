-- What decides about what was asked, and what a decision does. Lock order: as in ask.sql.

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
    perform animus.raise('WA002', format('request %s has changed since it was shown', v_wait.ask_id), p_id, 'look again: animus work show');
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
-- it, has changed a description, or has said something that one of them answers or was told (a duplicate, too), or that comes before it in its conversation.
-- Locks: none. Raises: nothing.
create or replace function animus.has_caused(p_actor text, p_id uuid) returns boolean
language plpgsql stable as $$
begin
  return exists (
    select from animus.work_items w
     where w.id = any (animus.ancestors(p_id) || p_id) and (
       w.submitted_by = p_actor or w.trigger_info -> 'written_by' ? p_actor
       or exists (select from animus.decisions d where d.work_item_id = w.id and d.action = 'change' and d.subject_digest is not null and d.decided_by = p_actor)
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
