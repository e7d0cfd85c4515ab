-- The queues of animus in pgmq, put back after somebody has dropped or changed them. The items are in animus.work_items; a message only points to one.

-- Makes the queues that are missing, for the schema's owner. p_mend, or a new queue of work: sends the messages that open items lack, and archives those
-- of items that are over or gone. queues: the names of those that were made; added, removed: how many messages.
-- Locks: the rows of the items and messages that it changes. Raises: nothing.
create or replace function animus.restore_queues(p_mend boolean, out queues text[], out added int, out removed int)
language plpgsql as $$
declare
  v_queue text;
begin
  queues := '{}';
  added := 0;
  removed := 0;
  foreach v_queue in array array['animus_work', 'animus_inbox', 'animus_inbox_dead'] loop
    continue when to_regclass('pgmq.q_' || v_queue) is not null and to_regclass('pgmq.a_' || v_queue) is not null;
    perform pgmq.create(v_queue);
    execute format('comment on table pgmq.%I is %L', 'q_' || v_queue, 'animus: made by animus');
    queues := queues || v_queue;
  end loop;
  if 'animus_work' = any (queues) then
    alter table pgmq.q_animus_work set (
      autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0, fillfactor = 100);
    -- A number that an item has had is not drawn again.
    perform setval('pgmq.q_animus_work_msg_id_seq',
      greatest((select last_value from pgmq.q_animus_work_msg_id_seq), (select max(w.queue_msg_id) + 1 from animus.work_items w)));
  elsif not p_mend then
    return;
  end if;
  update animus.work_items w set queue_msg_id = nextval('pgmq.q_animus_work_msg_id_seq') where w.resolved_at is null and w.queue_msg_id is null;
  insert into pgmq.q_animus_work (msg_id, vt, message) overriding system value
  select w.queue_msg_id, case w.state when 'queued' then animus.now() when 'scheduled' then w.run_at else 'infinity' end, jsonb_build_object('work_item_id', w.id)
    from animus.work_items w
   where w.resolved_at is null and not exists (select from pgmq.q_animus_work m where m.msg_id = w.queue_msg_id)
  on conflict do nothing;
  get diagnostics added = row_count;
  with lost as (
    delete from pgmq.q_animus_work m where not exists (select from animus.work_items w where w.queue_msg_id = m.msg_id and w.resolved_at is null)
    returning m.msg_id, m.read_ct, m.enqueued_at, m.vt, m.message)
  insert into pgmq.a_animus_work (msg_id, read_ct, enqueued_at, vt, message) select msg_id, read_ct, enqueued_at, vt, message from lost on conflict do nothing;
  get diagnostics removed = row_count;
end $$;
