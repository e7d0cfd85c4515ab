-- The views of a role that only submits: the work of its own login. They run with the rights of the schema's owner, behind a
-- security barrier. The tables themselves stay closed, and roles that may read everything have no extra cost.

create or replace view animus.own_work with (security_barrier) as
  select id, faculty, skill, description, params, dedup_key, source, trigger_info, priority, run_at, concurrency_key, parent_id, trace_context,
         state, merged_into, attempts, cancel_requested_at, outcome, outcome_summary, error, cost_usd, input_tokens, output_tokens,
         created_at, updated_at, resolved_at, turns, batch
    from animus.work_items where submitted_by = session_user::text;

create or replace view animus.own_ledger with (security_barrier) as
  select l.work_item_id, l.seq, l.entry_type, l.content, l.created_at
    from animus.work_ledger l join animus.work_items w on w.id = l.work_item_id where w.submitted_by = session_user::text;

-- Returns whether the login may see an item: its own, or any if it may read the table.
-- Locks: none. Raises: nothing.
create or replace function animus.may_see(p_submitted_by text) returns boolean
language sql stable as $$
  select coalesce(p_submitted_by = session_user::text, false) or has_table_privilege(session_user, 'animus.work_items', 'select')
$$;
