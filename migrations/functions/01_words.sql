-- The words that columns may contain, and the changes of state that are allowed, as src/core/work declares them.

-- Refuses a word as a check constraint of the column would.
-- Locks: none. Raises: 23514.
create or replace function animus.refuse_word(p_table text, p_column text, p_word text) returns void
language plpgsql as $$
begin
  raise check_violation using schema = 'animus', table = p_table, constraint = format('%s_%s_check', p_table, p_column),
    message = format('%s is not a valid %s of animus.%s', quote_nullable(p_word), p_column, p_table),
    hint = 'one of ' || array_to_string(animus.words(p_table || '.' || p_column), ', ');
end $$;

-- The words, written by `npm run schema`.

-- Returns the words that a column may contain; null for a column without a list.
-- Locks: none. Raises: nothing.
create or replace function animus.words(p_list text) returns text[]
language sql immutable parallel safe as $$
  select case p_list
    when 'foci.phase' then array['orient', 'engage', 'consolidate', 'recover']
    when 'tool_calls.origin' then array['model', 'sandbox']
    when 'focus_messages.kind' then array['orient', 'digest', 'skill', 'nudge', 'notice', 'operator', 'stub', 'summary', 'hook', 'attachment', 'left_out']
    when 'waits.kind' then array['children', 'approval', 'timer', 'human', 'batch']
    when 'waits.subject' then array['tool_call', 'plan', 'skill', 'budget', 'deployment', 'question', 'lost', 'provider']
    when 'hook_runs.event' then array['before_llm_call', 'before_tool_call', 'after_tool_call']
    when 'decisions.action' then array['approve', 'deny', 'steer', 'answer', 'cancel', 'retry', 'change', 'pause', 'resume', 'edit', 'erase', 'grant', 'revoke', 'pin', 'archive', 'adopt', 'rollback', 'discard']
    when 'work_ledger.entry_type' then array['plan', 'finding', 'decision', 'step', 'error', 'note']
    when 'people.role' then array['submitter', 'reader', 'operator']
    when 'tokens.kind' then array['token', 'session']
    when 'tokens.scopes' then array['read', 'work', 'decide']
    when 'webhooks.events' then array['work.queued', 'work.scheduled', 'work.claimed', 'work.running', 'work.waiting', 'work.completed', 'work.dead', 'work.cancelled', 'work.merged', 'approval.waiting']
  end
$$;

-- Returns whether an item may change from one state to the other.
-- Locks: none. Raises: nothing.
create or replace function animus.transition_allowed(p_from text, p_to text) returns boolean
language sql immutable parallel safe as $$
  select case p_from
    when 'scheduled' then p_to in ('queued', 'cancelled')
    when 'queued' then p_to in ('claimed', 'scheduled', 'cancelled')
    when 'claimed' then p_to in ('running', 'completed', 'claimed', 'queued', 'scheduled', 'dead', 'cancelled')
    when 'running' then p_to in ('completed', 'waiting', 'claimed', 'queued', 'scheduled', 'dead', 'cancelled')
    when 'waiting' then p_to in ('queued', 'cancelled')
    when 'dead' then p_to in ('queued')
    when 'cancelled' then p_to in ('queued')
    else false
  end
$$;

-- Each column has its own trigger function: reading a column by name would cost more than the check, and the list is a constant of the plan.

-- Refuses a word that is not in the list of foci.phase.
-- Locks: none. Raises: 23514.
create or replace function animus.check_foci_phase() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.phase <> all (animus.words('foci.phase')) then perform animus.refuse_word('foci', 'phase', new.phase); end if;
  return new;
end $$;

-- Refuses a word that is not in the list of tool_calls.origin.
-- Locks: none. Raises: 23514.
create or replace function animus.check_tool_calls_origin() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.origin <> all (animus.words('tool_calls.origin')) then perform animus.refuse_word('tool_calls', 'origin', new.origin); end if;
  return new;
end $$;

-- Refuses a word that is not in the list of focus_messages.kind.
-- Locks: none. Raises: 23514.
create or replace function animus.check_focus_messages_kind() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.kind <> all (animus.words('focus_messages.kind')) then perform animus.refuse_word('focus_messages', 'kind', new.kind); end if;
  return new;
end $$;

-- Refuses a word that is not in the list of waits.kind.
-- Locks: none. Raises: 23514.
create or replace function animus.check_waits_kind() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.kind <> all (animus.words('waits.kind')) then perform animus.refuse_word('waits', 'kind', new.kind); end if;
  return new;
end $$;

-- Refuses a word that is not in the list of waits.subject.
-- Locks: none. Raises: 23514.
create or replace function animus.check_waits_subject() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.subject <> all (animus.words('waits.subject')) then perform animus.refuse_word('waits', 'subject', new.subject); end if;
  return new;
end $$;

-- Refuses a word that is not in the list of hook_runs.event.
-- Locks: none. Raises: 23514.
create or replace function animus.check_hook_runs_event() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.event <> all (animus.words('hook_runs.event')) then perform animus.refuse_word('hook_runs', 'event', new.event); end if;
  return new;
end $$;

-- Refuses a word that is not in the list of decisions.action.
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
-- End of the words.
