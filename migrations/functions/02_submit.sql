-- Submitting work by a function instead of an insert.

create or replace trigger work_items_before_insert before insert on animus.work_items
  for each row execute function animus.work_items_before_insert();
create or replace trigger work_items_after_insert after insert on animus.work_items
  referencing new table as inserted for each statement execute function animus.work_items_after_insert();
create or replace trigger work_items_before_update before update on animus.work_items
  for each row execute function animus.work_items_before_update();
create or replace trigger work_items_refuse_delete before delete on animus.work_items
  for each row when (old.resolved_at is null) execute function animus.work_items_refuse_delete();
create or replace trigger work_items_check_input before update of skill, description, params, trigger_info, source, trace_context on animus.work_items
  for each row execute function animus.work_items_check_input();
-- Inserts an item, and returns whether it merged into an active duplicate: merged_into is null if the actor may not see that.
-- Locks: as an insert. Raises: WA002 where no trigger runs, WA003, WA004, 23514.
create or replace function animus.submit_work(
  faculty text, description text default '', params jsonb default '{}', skill text default null, dedup_key text default null,
  priority int default 0, run_at timestamptz default null, concurrency_key text default null, parent_id uuid default null,
  source text default 'sql', trigger_info jsonb default null, trace_context text default null,
  out id uuid, out state text, out merged_into uuid)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, daemon, gateway.
#variable_conflict use_column
begin
  perform animus.require_triggers('a submission');
  insert into animus.work_items as w (faculty, skill, description, params, dedup_key, source, trigger_info, priority, run_at, concurrency_key, parent_id, trace_context)
  values (submit_work.faculty, submit_work.skill, submit_work.description, submit_work.params, submit_work.dedup_key, submit_work.source,
          submit_work.trigger_info, submit_work.priority, submit_work.run_at, submit_work.concurrency_key, submit_work.parent_id, submit_work.trace_context)
  returning w.id, w.state, w.merged_into into submit_work.id, submit_work.state, submit_work.merged_into;
  submit_work.merged_into := animus.shown_work(submit_work.merged_into);
end $$;

-- As it was before the argument `detached`.
drop function if exists animus.submit_batch_work(text, text, jsonb, text, text, int, timestamptz, text, uuid, text, jsonb, text, boolean);
-- Inserts an item as submit_work does. batch: ask its turns in batches (true) or live (false); null: as its faculty says. detached: it goes on when its
-- parent dies or is cancelled.
-- Locks: as an insert. Raises: WA002 where no trigger runs, WA003, WA004, 23514.
create or replace function animus.submit_batch_work(
  faculty text, description text default '', params jsonb default '{}', skill text default null, dedup_key text default null,
  priority int default 0, run_at timestamptz default null, concurrency_key text default null, parent_id uuid default null,
  source text default 'sql', trigger_info jsonb default null, trace_context text default null, batch boolean default true, detached boolean default null,
  out id uuid, out state text, out merged_into uuid)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, daemon, gateway.
#variable_conflict use_column
begin
  perform animus.require_triggers('a submission');
  insert into animus.work_items as w
    (faculty, skill, description, params, dedup_key, source, trigger_info, priority, run_at, concurrency_key, parent_id, trace_context, batch, detached)
  values (submit_batch_work.faculty, submit_batch_work.skill, submit_batch_work.description, submit_batch_work.params, submit_batch_work.dedup_key,
          submit_batch_work.source, submit_batch_work.trigger_info, submit_batch_work.priority, submit_batch_work.run_at,
          submit_batch_work.concurrency_key, submit_batch_work.parent_id, submit_batch_work.trace_context, submit_batch_work.batch,
          submit_batch_work.detached)
  returning w.id, w.state, w.merged_into into submit_batch_work.id, submit_batch_work.state, submit_batch_work.merged_into;
  submit_batch_work.merged_into := animus.shown_work(submit_batch_work.merged_into);
end $$;
