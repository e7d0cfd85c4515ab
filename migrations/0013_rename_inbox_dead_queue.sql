-- The queue inbox_dead becomes animus_inbox_dead.
do $$
begin
  if animus.is_our_queue('inbox_dead') then
    perform animus.rename_queue('inbox_dead');
    -- pgmq.metrics reads the sequence of a queue.
    create view pgmq.q_inbox_dead_msg_id_seq with (security_invoker) as select last_value, log_cnt, is_called from pgmq.q_animus_inbox_dead_msg_id_seq;
    return;
  end if;
  perform animus.make_queue('animus_inbox_dead');
  if animus.took_over('inbox_dead') then
    insert into animus.settings (key, value) values ('fetch_own_dead', 'true');
    perform animus.leave_queue('inbox_dead');
  end if;
end $$;

drop function animus.make_queue(text), animus.rename_queue(text), animus.copy_grants(regclass, regclass), animus.took_over(text), animus.leave_queue(text);
