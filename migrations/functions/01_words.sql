-- The words allowed in columns of the engine's tables, for lists that a part of animus may extend. Add a word here, in
-- src/core/work/words.ts and in docs/sql-api.md; a test compares the three. Never remove a word: rows may contain it.

-- Returns the words that a column may contain; null for a column without a list.
-- Locks: none. Raises: nothing.
create or replace function animus.words(p_list text) returns text[]
language sql immutable parallel safe as $$
  select case p_list
    when 'foci.phase' then array['orient', 'engage', 'consolidate', 'recover']
    when 'tool_calls.origin' then array['model', 'sandbox']
    when 'focus_messages.kind' then array['orient', 'digest', 'skill', 'nudge', 'notice', 'operator', 'stub', 'summary', 'hook', 'attachment']
    when 'waits.kind' then array['children', 'approval', 'timer', 'human', 'batch']
    when 'waits.subject' then array['tool_call', 'plan', 'skill', 'budget', 'deployment', 'question', 'lost', 'provider']
    when 'hook_runs.event' then array['before_llm_call', 'before_tool_call', 'after_tool_call']
    when 'decisions.action' then array['approve', 'deny', 'steer', 'answer', 'cancel', 'retry', 'pause', 'resume', 'edit', 'erase', 'grant', 'revoke', 'pin', 'archive', 'adopt', 'rollback', 'discard']
  end
$$;

-- Refuses a word as a check constraint of the column would.
-- Locks: none. Raises: 23514.
create or replace function animus.refuse_word(p_table text, p_column text, p_word text) returns void
language plpgsql as $$
begin
  raise check_violation using schema = 'animus', table = p_table, constraint = format('%s_%s_check', p_table, p_column),
    message = format('%s is no %s of animus.%s', quote_nullable(p_word), p_column, p_table),
    hint = 'one of ' || array_to_string(animus.words(p_table || '.' || p_column), ', ');
end $$;

-- Refuses a phase that is not in the list. Each column has its own trigger function: reading a column by name would cost more than
-- the check, and the list is a constant of the plan.
-- Locks: none. Raises: 23514.
create or replace function animus.check_foci_phase() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.phase <> all (animus.words('foci.phase')) then perform animus.refuse_word('foci', 'phase', new.phase); end if;
  return new;
end $$;

-- Refuses an origin of a call that is not in the list.
-- Locks: none. Raises: 23514.
create or replace function animus.check_tool_calls_origin() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.origin <> all (animus.words('tool_calls.origin')) then perform animus.refuse_word('tool_calls', 'origin', new.origin); end if;
  return new;
end $$;

-- Refuses a kind of message that is not in the list.
-- Locks: none. Raises: 23514.
create or replace function animus.check_focus_messages_kind() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.kind <> all (animus.words('focus_messages.kind')) then perform animus.refuse_word('focus_messages', 'kind', new.kind); end if;
  return new;
end $$;

-- Refuses a kind of wait that is not in the list.
-- Locks: none. Raises: 23514.
create or replace function animus.check_waits_kind() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.kind <> all (animus.words('waits.kind')) then perform animus.refuse_word('waits', 'kind', new.kind); end if;
  return new;
end $$;

-- Refuses a subject that is not in the list. A wait that asks nobody has none.
-- Locks: none. Raises: 23514.
create or replace function animus.check_waits_subject() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.subject <> all (animus.words('waits.subject')) then perform animus.refuse_word('waits', 'subject', new.subject); end if;
  return new;
end $$;

-- Refuses an event of a hook that is not in the list.
-- Locks: none. Raises: 23514.
create or replace function animus.check_hook_runs_event() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.event <> all (animus.words('hook_runs.event')) then perform animus.refuse_word('hook_runs', 'event', new.event); end if;
  return new;
end $$;

-- Refuses an action that is not in the list.
-- Locks: none. Raises: 23514.
create or replace function animus.check_decisions_action() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.action <> all (animus.words('decisions.action')) then perform animus.refuse_word('decisions', 'action', new.action); end if;
  return new;
end $$;

create or replace trigger check_phase before insert or update of phase on animus.foci
  for each row execute function animus.check_foci_phase();
create or replace trigger check_origin before insert or update of origin on animus.tool_calls
  for each row execute function animus.check_tool_calls_origin();
create or replace trigger check_kind before insert or update of kind on animus.focus_messages
  for each row execute function animus.check_focus_messages_kind();
create or replace trigger check_kind before insert or update of kind on animus.waits
  for each row execute function animus.check_waits_kind();
create or replace trigger check_subject before insert or update of subject on animus.waits
  for each row execute function animus.check_waits_subject();
create or replace trigger check_event before insert or update of event on animus.hook_runs
  for each row execute function animus.check_hook_runs_event();
create or replace trigger check_action before insert or update of action on animus.decisions
  for each row execute function animus.check_decisions_action();
