-- The queue work becomes animus_work. Where it is not ours, we make a queue of our own; what is ours in the other one is fetched when the
-- functions have been replaced (functions/97_own_messages.sql): until then the old ones go on writing there.

-- Moves the archived messages of our items out of somebody else's queue. functions/97_own_messages.sql drops it.
create function animus.fetch_own_archive(p_since timestamptz) returns void
language plpgsql as $$
begin
  with ours as (
    delete from pgmq.a_work m using animus.work_items w
     where m.archived_at >= p_since and m.message ->> 'work_item_id' = w.id::text and m.message - 'work_item_id' = '{}' returning m.*)
  insert into pgmq.a_animus_work select to_move.* from ours, jsonb_populate_record(null::pgmq.a_animus_work, to_jsonb(ours)) to_move;
end $$;

do $$
begin
  if animus.is_our_queue('work') then
    perform animus.rename_queue('work');
    -- For inserts that began before the functions are replaced. Downwards, so that no number is drawn twice.
    create sequence pgmq.q_work_msg_id_seq increment by -1 start with -1;
    return;
  end if;
  perform animus.make_queue('animus_work');
  if animus.took_over('work') then
    insert into animus.settings (key, value) values ('fetch_own_messages', to_jsonb(clock_timestamp()));
    -- Fetched messages keep their numbers. The old functions draw some more until they are replaced.
    perform setval('pgmq.q_animus_work_msg_id_seq', (select last_value + 1000000 from pgmq.q_work_msg_id_seq));
    perform animus.fetch_own_archive('-infinity');
    perform animus.leave_queue('work');
    -- As migration 1 set it. What stood there before is not known; pgmq itself sets nothing.
    if (select c.reloptions @> array['fillfactor=70', 'autovacuum_vacuum_scale_factor=0.01', 'autovacuum_vacuum_threshold=1000', 'autovacuum_vacuum_cost_delay=0']
          from pg_class c where c.oid = 'pgmq.q_work'::regclass) then
      alter table pgmq.q_work reset (fillfactor, autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold, autovacuum_vacuum_cost_delay);
    end if;
  end if;
end $$;

alter table pgmq.q_animus_work set (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);
