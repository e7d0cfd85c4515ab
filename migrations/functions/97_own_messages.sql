-- For one release: moves our messages out of queues that version 0.1.0 took over. From here on the functions write to our own queues. No
-- insert is running, because this transaction has created the triggers of work_items again.
do $$
begin
  if exists (select from animus.settings where key = 'fetch_own_messages') then
    with ours as (
      delete from pgmq.q_work m using animus.work_items w
       where m.msg_id = w.queue_msg_id and m.message = jsonb_build_object('work_item_id', w.id) returning m.*)
    insert into pgmq.q_animus_work overriding system value
    select to_move.* from ours, jsonb_populate_record(null::pgmq.q_animus_work, to_jsonb(ours)) to_move;
    perform animus.fetch_own_archive((select (value #>> '{}')::timestamptz - interval '1 minute' from animus.settings where key = 'fetch_own_messages'));
  end if;
  if exists (select from animus.settings where key = 'fetch_own_dead') then
    with ours as (
      delete from pgmq.q_inbox_dead m
       where m.message ?& array['reason', 'msg_id', 'enqueued_at', 'refused_at', 'message']
         and m.message - array['reason', 'msg_id', 'enqueued_at', 'refused_at', 'message'] = '{}' returning m.*)
    insert into pgmq.q_animus_inbox_dead (read_ct, enqueued_at, vt, message) select read_ct, enqueued_at, vt, message from ours;
  end if;
  delete from animus.settings where key in ('fetch_own_messages', 'fetch_own_dead');
end $$;

drop function if exists animus.fetch_own_archive(timestamptz);
