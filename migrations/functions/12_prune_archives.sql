-- Retention of what is not a work item: artifacts, archives of queues, settings, registers. Each call is one short transaction.

-- Deletes large outputs of items that were resolved more than p_older_than ago; null when another retention call is
-- running.
-- Locks: animus.retention_turn; the rows, and skips those that others have locked. Raises: nothing.
create or replace function animus.prune_artifacts(p_older_than interval, p_limit int default 200) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now    timestamptz := animus.now();
  v_before timestamptz := v_now - p_older_than;
  v_ids    uuid[];
  v_id     uuid;
  v_count  int := 0;
  v_schema text;
  v_table  text;
  v_name   text;
begin
  if not animus.try_retention() then return null; end if;
  set constraints all immediate;
  v_ids := array(
    select a.id from animus.artifacts a left join animus.foci f on f.id = a.focus_id join animus.work_items w on w.id = coalesce(a.work_item_id, f.work_item_id)
     where a.created_at < v_before and w.resolved_at < v_before and not animus.was_kept('animus.artifacts', a.id::text, v_now)
       and not exists (select from animus.chat_messages m where m.work_item_id = w.root_id)
     order by a.created_at limit p_limit for update of a skip locked);
  begin
    delete from animus.artifacts where id = any (v_ids);
    return cardinality(v_ids);
  exception when foreign_key_violation or restrict_violation then null;  -- one of them: found below
  end;
  foreach v_id in array v_ids loop
    begin
      delete from animus.artifacts where id = v_id;
      v_count := v_count + 1;
    exception when foreign_key_violation or restrict_violation then
      get stacked diagnostics v_schema = schema_name, v_table = table_name, v_name = constraint_name;
      perform animus.note_kept('animus.artifacts', v_id::text, format('%s.%s (%s)', v_schema, v_table, v_name));
    end;
  end loop;
  return v_count;
end $$;

-- Deletes archived messages of work and of the inbox, recorded runs of schedules, memories that were merged into others, and settings of foci (not
-- counted), from more than p_older_than ago; null when
-- another retention call is running. If another table's foreign key refers to a row of one of these tables, that table is skipped and
-- recorded, and the others are processed.
-- Locks: animus.retention_turn; the rows. Raises: nothing.
create or replace function animus.prune_archives(p_older_than interval, p_limit int default 1000) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_before timestamptz := animus.now() - p_older_than;
  v_sum    int := 0;
  v_count  int;
  v_schema text;
  v_table  text;
  v_name   text;
begin
  if not animus.try_retention() then return null; end if;
  set constraints all immediate;
  begin
    delete from pgmq.a_animus_work where msg_id in (select msg_id from pgmq.a_animus_work where archived_at < v_before order by archived_at limit p_limit);
    get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  exception when foreign_key_violation or restrict_violation then
    get stacked diagnostics v_schema = schema_name, v_table = table_name, v_name = constraint_name;
    perform animus.note_kept('pgmq.a_animus_work', '*', format('%s.%s (%s)', v_schema, v_table, v_name));
  end;
  begin
    delete from pgmq.a_animus_inbox where msg_id in (select msg_id from pgmq.a_animus_inbox where archived_at < v_before order by archived_at limit p_limit);
    get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  exception when foreign_key_violation or restrict_violation then
    get stacked diagnostics v_schema = schema_name, v_table = table_name, v_name = constraint_name;
    perform animus.note_kept('pgmq.a_animus_inbox', '*', format('%s.%s (%s)', v_schema, v_table, v_name));
  end;
  if animus.is_our_queue('inbox') then
    begin
      delete from pgmq.a_inbox where msg_id in (select msg_id from pgmq.a_inbox where archived_at < v_before order by archived_at limit p_limit);
      get diagnostics v_count = row_count; v_sum := v_sum + v_count;
    exception when foreign_key_violation or restrict_violation then
      get stacked diagnostics v_schema = schema_name, v_table = table_name, v_name = constraint_name;
      perform animus.note_kept('pgmq.a_inbox', '*', format('%s.%s (%s)', v_schema, v_table, v_name));
    end;
  end if;
  -- A week later than the foci that began with them; those of open foci are needed.
  delete from animus.focus_settings s where s.used_on < ((v_before - interval '7 days') at time zone 'UTC')::date
     and not exists (select from animus.foci f where f.ended_as is null and f.settings_id = s.id);
  begin
    delete from animus.memories where id in (
      select m.id from animus.memories m where m.merged_into is not null and m.updated_at < v_before
         -- What was merged because of its embedding may be another fact: it stays until a person has looked, or forgets the memory.
         and not exists (select from animus.memory_merges g where g.gone_id = m.id and g.reason = 'similar')
       order by m.updated_at limit p_limit for update skip locked);
    get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  exception when foreign_key_violation or restrict_violation then
    get stacked diagnostics v_schema = schema_name, v_table = table_name, v_name = constraint_name;
    perform animus.note_kept('animus.memories', '*', format('%s.%s (%s)', v_schema, v_table, v_name));
  end;
  begin
    delete from animus.schedule_runs where (schedule, due_at) in (
      select r.schedule, r.due_at from animus.schedule_runs r
       where r.recorded_at < v_before and not exists (select from animus.work_items w where w.id = r.work_item_id and w.resolved_at is null)
       order by r.recorded_at limit p_limit);
    get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  exception when foreign_key_violation or restrict_violation then
    get stacked diagnostics v_schema = schema_name, v_table = table_name, v_name = constraint_name;
    perform animus.note_kept('animus.schedule_runs', '*', format('%s.%s (%s)', v_schema, v_table, v_name));
  end;
  return v_sum;
end $$;

-- Deletes watches that ended, idempotency keys a day old, batches that ended 40 days ago, and daemons that have been gone for a week; null when another retention call is running.
-- Locks: animus.retention_turn; the rows, and skips those that others have locked. Raises: nothing.
create or replace function animus.prune_registers(p_limit int default 1000) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now   timestamptz := animus.now();
  v_sum   int := 0;
  v_count int;
  v_schema text;
  v_table  text;
  v_name   text;
begin
  if not animus.try_retention() then return null; end if;
  set constraints all immediate;
  delete from animus.watches where work_item_id in (select work_item_id from animus.watches where until < v_now order by until limit p_limit for update skip locked);
  get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  delete from animus.chat_watches where file_id in (select file_id from animus.chat_watches where until < v_now order by file_id limit p_limit for update skip locked);
  get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  delete from animus.idempotency_keys where (actor, key) in (
    select actor, key from animus.idempotency_keys where created_at < v_now - interval '1 day' order by created_at limit p_limit for update skip locked);
  get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  delete from animus.retention_kept where seen_at < v_now - interval '1 day';
  begin
    delete from animus.batches where id in (
      select id from animus.batches where state = 'ended' and ended_at < v_now - interval '40 days' order by ended_at limit p_limit for update skip locked);
    get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  exception when foreign_key_violation or restrict_violation then
    get stacked diagnostics v_schema = schema_name, v_table = table_name, v_name = constraint_name;
    perform animus.note_kept('animus.batches', '*', format('%s.%s (%s)', v_schema, v_table, v_name));
  end;
  begin
    delete from animus.daemons where id in (
      select id from animus.daemons where coalesce(stopped_at, seen_at) < v_now - interval '7 days' and seen_at < v_now - interval '7 days' limit p_limit for update skip locked);
    get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  exception when foreign_key_violation or restrict_violation then
    get stacked diagnostics v_schema = schema_name, v_table = table_name, v_name = constraint_name;
    perform animus.note_kept('animus.daemons', '*', format('%s.%s (%s)', v_schema, v_table, v_name));
  end;
  return v_sum;
end $$;
