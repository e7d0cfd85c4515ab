-- The inbox becomes animus_inbox. An inbox of ours stays for one release, as the queue it is: producers go on sending to it, and what
-- they send is moved over (animus.drain_inbox).
do $$
begin
  perform animus.make_queue('animus_inbox');
  if animus.is_our_queue('inbox') then
    -- Messages keep their numbers when they are moved, so the two queues must never draw the same one.
    perform setval('pgmq.q_animus_inbox_msg_id_seq',
      greatest((select last_value from pgmq.q_animus_inbox_msg_id_seq), (select last_value from pgmq.q_inbox_msg_id_seq) + 1000000000000));
    perform animus.copy_grants('pgmq.q_inbox', 'pgmq.q_animus_inbox');
    perform animus.copy_grants('pgmq.a_inbox', 'pgmq.a_animus_inbox');
  elsif to_regclass('pgmq.q_inbox') is null then
    -- A new installation takes what is sent to the old name, too, until somebody makes a queue of that name; so pgmq must not know it.
    perform pgmq.create('inbox');
    delete from pgmq.meta where queue_name = 'inbox';
    alter table pgmq.q_inbox alter column msg_id restart with 1000000000001;
    comment on table pgmq.q_inbox is 'animus: until somebody makes a queue named inbox, messages for animus_inbox';
  elsif animus.took_over('inbox') then
    drop trigger if exists animus_inbox_after_insert on pgmq.q_inbox;
    perform animus.leave_queue('inbox');
  end if;
end $$;
