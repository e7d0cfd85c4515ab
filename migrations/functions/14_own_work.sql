-- The views of a role that only submits: the work of the actor (01_actors.sql). They run with the rights of the schema's owner, behind a
-- security barrier. The tables themselves stay closed, and roles that may read everything have no extra cost.

create or replace view animus.own_work with (security_barrier) as
  select id, faculty, skill, description, params, dedup_key, source, trigger_info, priority, run_at, concurrency_key, parent_id, trace_context,
         state, animus.shown_work(merged_into) as merged_into, attempts, cancel_requested_at, outcome, outcome_summary, error, cost_usd, input_tokens, output_tokens,
         created_at, updated_at, resolved_at, turns, batch, unpriced_calls, lost_usd, estimated_usd, calls, lost_requests, uncounted_calls, assumed_tokens, detached
    from animus.work_items where submitted_by = (select animus.actor());

create or replace view animus.own_ledger with (security_barrier) as
  select l.work_item_id, l.seq, l.entry_type, l.content, l.created_at
    from animus.work_ledger l join animus.work_items w on w.id = l.work_item_id where w.submitted_by = (select animus.actor())
  union all
  select h.work_item_id, l.seq, l.entry_type, l.content, l.created_at
    from animus.history h join animus.work_items w on w.id = h.work_item_id
    cross join lateral json_to_recordset(h.ledger) as l (seq int, entry_type text, content text, created_at timestamptz)
   where w.submitted_by = (select animus.actor());
