-- Runs of the loop's hooks. A run that is recorded need not be repeated when its focus is resumed.

-- Records what a hook decided, with the entries that it wrote for the ledger and, for before_llm_call, the message that it adds to the
-- context, which stands before turn p_run.turn. p_run: {turn, event, call_id, hook, run_id, decision, given, reason, patch, duration_ms,
-- ledger: [{type, content}]}; given is hexadecimal. A later run of the same hook replaces an earlier one; a run that is recorded already
-- changes nothing. Without a message and entries, the commit does not wait for the disk: what follows from the decision does, and the WAL
-- is written in order. Returns the numbers of the new ledger entries.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA003, WA004, 42501, 57PA1.
create or replace function animus.record_hook_run(
  p_focus_id uuid, p_token bigint, p_run json, p_message text default null, p_tokens int default null) returns int[]
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_item    animus.held_work := animus.hold_focus(p_focus_id, p_token);
  v_run     record;
  v_entry   record;
  v_numbers int[] := '{}';
begin
  select r.* into v_run
    from json_to_record(p_run) as r (turn int, event text, call_id text, hook text, run_id uuid, decision text, given text, reason text,
                                     patch json, duration_ms float8, ledger json);
  if p_message is null and json_array_length(v_run.ledger) = 0 then perform set_config('synchronous_commit', 'off', true); end if;
  insert into animus.hook_runs as h (focus_id, turn, event, call_id, hook, run_id, decision, given, reason, patch, ended_at, duration_ms)
  values (p_focus_id, v_run.turn, v_run.event, v_run.call_id, v_run.hook, v_run.run_id, v_run.decision, decode(v_run.given, 'hex'),
          v_run.reason, case when json_typeof(v_run.patch) <> 'null' then v_run.patch end, animus.now(), v_run.duration_ms)
  on conflict (focus_id, turn, event, call_id, hook) do update
     set run_id = excluded.run_id, decision = excluded.decision, given = excluded.given, reason = excluded.reason, patch = excluded.patch,
         ended_at = excluded.ended_at, duration_ms = excluded.duration_ms
   where h.run_id <> excluded.run_id;
  if not found then return v_numbers; end if;
  for v_entry in select e.type, e.content from json_to_recordset(v_run.ledger) as e (type text, content text) loop
    v_numbers := v_numbers || animus.append_ledger(v_item.id, v_entry.type, v_entry.content, p_token, p_focus_id);
  end loop;
  if p_message is not null then perform animus.add_message(p_focus_id, p_token, v_run.turn - 1, 'hook', p_message, p_tokens); end if;
  return v_numbers;
end $$;
