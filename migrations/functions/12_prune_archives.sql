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

-- Deletes rows of a table by a statement, and returns how many: $1 of it is the time before which rows are old, and $2 how many it may delete. If a
-- foreign key of another table refers to one of them, none is deleted and the table is recorded. A round of retention calls it once per table.
-- Locks: the rows. Raises: nothing.
create or replace function animus.prune_rows(p_table text, p_delete text, p_before timestamptz, p_limit int) returns int
language plpgsql as $$
declare
  v_count  int;
  v_schema text;
  v_table  text;
  v_name   text;
begin
  execute p_delete using p_before, p_limit;
  get diagnostics v_count = row_count;
  return v_count;
exception when foreign_key_violation or restrict_violation then
  get stacked diagnostics v_schema = schema_name, v_table = table_name, v_name = constraint_name;
  perform animus.note_kept(p_table, '*', format('%s.%s (%s)', v_schema, v_table, v_name));
  return 0;
end $$;

-- Deletes archived messages of work and of the inbox, recorded runs of schedules, memories that were merged into others, and settings of foci (not
-- counted), from more than p_older_than ago; null when another retention call is running. A table that prune_rows skips does not stop the others.
-- Locks: animus.retention_turn; the rows. Raises: nothing.
create or replace function animus.prune_archives(p_older_than interval, p_limit int default 1000) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_before timestamptz := animus.now() - p_older_than;
begin
  if not animus.try_retention() then return null; end if;
  set constraints all immediate;
  -- A week later than the foci that began with them; those of open foci are needed.
  delete from animus.focus_settings s where s.used_on < ((v_before - interval '7 days') at time zone 'UTC')::date
     and not exists (select from animus.foci f where f.ended_as is null and f.settings_id = s.id);
  return animus.prune_rows('pgmq.a_animus_work',
    'delete from pgmq.a_animus_work where msg_id in (select msg_id from pgmq.a_animus_work where archived_at < $1 order by archived_at limit $2)', v_before, p_limit)
  + animus.prune_rows('pgmq.a_animus_inbox',
    'delete from pgmq.a_animus_inbox where msg_id in (select msg_id from pgmq.a_animus_inbox where archived_at < $1 order by archived_at limit $2)', v_before, p_limit)
  + case when animus.is_our_queue('inbox') then animus.prune_rows('pgmq.a_inbox',
    'delete from pgmq.a_inbox where msg_id in (select msg_id from pgmq.a_inbox where archived_at < $1 order by archived_at limit $2)', v_before, p_limit) else 0 end
  -- What was merged because of its embedding may be another fact: it stays until a person has looked, or forgets the memory.
  + animus.prune_rows('animus.memories', $sql$
      delete from animus.memories where id in (
        select m.id from animus.memories m where m.merged_into is not null and m.updated_at < $1
           and not exists (select from animus.memory_merges g where g.gone_id = m.id and g.reason = 'similar')
         order by m.updated_at limit $2 for update skip locked)$sql$, v_before, p_limit)
  + animus.prune_rows('animus.schedule_runs', $sql$
      delete from animus.schedule_runs where (schedule, due_at) in (
        select r.schedule, r.due_at from animus.schedule_runs r
         where r.recorded_at < $1 and not exists (select from animus.work_items w where w.id = r.work_item_id and w.resolved_at is null)
         order by r.recorded_at limit $2)$sql$, v_before, p_limit);
end $$;

-- Deletes watches that ended, idempotency keys a day old, batches that ended 40 days ago, and daemons that have been gone for a week; null when another retention call is running.
-- Locks: animus.retention_turn; the rows, and skips those that others have locked. Raises: nothing.
create or replace function animus.prune_registers(p_limit int default 1000) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now   timestamptz := animus.now();
  v_sum   int := 0;
  v_count int;
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
  return v_sum
  + animus.prune_rows('animus.batches', $sql$
      delete from animus.batches where id in (
        select id from animus.batches where state = 'ended' and ended_at < $1 order by ended_at limit $2 for update skip locked)$sql$, v_now - interval '40 days', p_limit)
  + animus.prune_rows('animus.daemons', $sql$
      delete from animus.daemons where id in (
        select id from animus.daemons where coalesce(stopped_at, seen_at) < $1 and seen_at < $1 limit $2 for update skip locked)$sql$, v_now - interval '7 days', p_limit);
end $$;
