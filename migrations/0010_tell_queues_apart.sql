-- From here on the queues of animus are animus_work, animus_inbox and animus_inbox_dead. Migration 1 made work, inbox and inbox_dead, and
-- took over what somebody else had under these names. Those that are ours get a comment that says so; all others are left alone. Whether a
-- queue is ours is asked of its comment from now on (animus.is_our_queue), so it can be put right by hand.

-- Ours is what migration 1 made: its row in pgmq.meta was written by the same transaction as the row of migration 1. After a dump was
-- restored, rows no longer say who wrote them. The times they carry still do: queues made by migration 1 were made last, together, and
-- within the minute before it was recorded.
do $$
declare
  v_queue text;
begin
  for v_queue in
    with
    first as (select xmin as xid, applied_at from animus.schema_migrations where version = 1),
    old as (select m.queue_name, m.created_at, m.xmin as xid from pgmq.meta m where m.queue_name in ('work', 'inbox', 'inbox_dead')),
    evidence as (
      select (select s.xmin from animus.schema_migrations s where s.version = 2) <> first.xid
         and (exists (select from old where old.xid = first.xid)
              or exists (select from pg_type t where t.typnamespace = 'animus'::regnamespace and t.typname = 'settings' and t.xmin = first.xid)) as by_xid,
             (select max(old.created_at) from old where old.created_at <= first.applied_at) as last_made
        from first)
    select old.queue_name from old, first, evidence
     where case when evidence.by_xid then old.xid = first.xid
                else old.created_at = evidence.last_made and old.created_at > first.applied_at - interval '1 minute' end
  loop
    execute format('comment on table pgmq.%I is %L', 'q_' || v_queue, 'animus: made by animus; its new name is animus_' || v_queue);
  end loop;
end $$;

-- (A queue that waits for an owner is ours until somebody makes it: then pgmq.meta names it.)
create or replace function animus.is_our_queue(p_queue text) returns boolean
language sql stable as $$
  select coalesce(c.comment like 'animus:%' and not (c.comment like 'animus: until %' and exists (select from pgmq.meta m where m.queue_name = p_queue)), false)
    from obj_description(to_regclass(format('pgmq.%I', 'q_' || p_queue)), 'pg_class') c (comment)
$$;

-- What the next three migrations share; the last of them drops it.

-- Makes a queue of ours, or takes one that an earlier animus left behind; never somebody else's.
create function animus.make_queue(p_queue text) returns void
language plpgsql as $$
begin
  if to_regclass(format('pgmq.%I', 'q_' || p_queue)) is not null and not animus.is_our_queue(p_queue) then
    raise exception 'a pgmq queue named % is there, and animus did not make it', p_queue
      using hint = format('rename or drop it; if it is a queue of animus: comment on table pgmq.q_%s is ''animus:''', p_queue);
  end if;
  perform pgmq.create(p_queue);
  execute format('comment on table pgmq.%I is %L', 'q_' || p_queue, 'animus: made by animus');
end $$;

-- Who may do what with one table may do it with the other.
create function animus.copy_grants(p_from regclass, p_to regclass) returns void
language plpgsql as $$
declare
  v_grant record;
begin
  for v_grant in
    select a.privilege_type, '' as of_column, a.grantee, a.is_grantable from pg_class c, aclexplode(c.relacl) a where c.oid = p_from and a.grantee <> c.relowner
    union all
    select a.privilege_type, format(' (%I)', t.attname), a.grantee, a.is_grantable
      from pg_class c join pg_attribute t on t.attrelid = c.oid, aclexplode(t.attacl) a where c.oid = p_from and a.grantee <> c.relowner
  loop
    execute format('grant %s%s on %s to %s%s', v_grant.privilege_type, v_grant.of_column, p_to,
      case when v_grant.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(v_grant.grantee)) end,
      case when v_grant.is_grantable then ' with grant option' else '' end);
  end loop;
end $$;

-- Renames a queue of ours to animus_<its name>, and leaves views under the old names, for one release: functions and clients that are at
-- work with the old names go on. The views check rights and policies as the tables did, in the name of who uses them.
create function animus.rename_queue(p_queue text) returns void
language plpgsql as $$
declare
  v_new  text := 'animus_' || p_queue;
  v_kind text;
  v_name record;
begin
  -- Both at once, before anything is changed: whoever waits for us then waits for the rest of this only.
  execute format('lock table pgmq.%I, pgmq.%I in access exclusive mode', 'q_' || p_queue, 'a_' || p_queue);
  if to_regclass(format('pgmq.%I', 'q_' || v_new)) is not null then
    raise exception 'a pgmq queue named % is there, and animus did not make it', v_new using hint = 'rename or drop it';
  end if;
  for v_name in
    select c.relname as old,
           case when c.relname = 'archived_at_idx_' || p_queue then 'archived_at_idx_' || v_new
                else regexp_replace(c.relname, '^([qa])_' || p_queue || '_', '\1_' || v_new || '_') end as new
      from pg_class c
     where c.relname ~ ('^([qa]|archived_at_idx)_' || p_queue || '(_|$)') and c.oid in (select i.indexrelid from pg_index i where i.indrelid in (format('pgmq.%I', 'q_' || p_queue)::regclass, format('pgmq.%I', 'a_' || p_queue)::regclass))
  loop
    execute format('alter index pgmq.%I rename to %I', v_name.old, v_name.new);
  end loop;
  execute format('alter sequence pgmq.%I rename to %I', 'q_' || p_queue || '_msg_id_seq', 'q_' || v_new || '_msg_id_seq');
  foreach v_kind in array array['q_', 'a_'] loop
    execute format('alter table pgmq.%I rename to %I', v_kind || p_queue, v_kind || v_new);
    execute format('create view pgmq.%I with (security_invoker) as select * from pgmq.%I', v_kind || p_queue, v_kind || v_new);
    perform animus.copy_grants(format('pgmq.%I', v_kind || v_new)::regclass, format('pgmq.%I', v_kind || p_queue)::regclass);
  end loop;
  execute format('comment on table pgmq.%I is %L', 'q_' || v_new, 'animus: made by animus');
  execute format('comment on view pgmq.%I is %L', 'q_' || p_queue, 'animus: the old name of animus_' || p_queue || ', for one release');
  insert into pgmq.meta (queue_name, is_partitioned, is_unlogged, created_at)
  select v_new, is_partitioned, is_unlogged, created_at from pgmq.meta where queue_name = p_queue;
  delete from pgmq.meta where queue_name = p_queue;
end $$;

-- True where animus worked with a queue that it did not make: the functions in the database are of before this migration.
create function animus.took_over(p_queue text) returns boolean
language sql stable as $$
  select exists (select from animus.schema_functions) and to_regclass(format('pgmq.%I', 'q_' || p_queue)) is not null and not animus.is_our_queue(p_queue)
$$;

-- Takes back what animus.grant_roles gave our roles on somebody else's queue.
create function animus.leave_queue(p_queue text) returns void
language plpgsql as $$
declare
  v_role text;
begin
  for v_role in
    select rolname from pg_roles where rolname in ('animus_submitter', 'animus_reader', 'animus_operator', 'animus_daemon')
  loop
    execute format('revoke select on pgmq.%I, pgmq.%I from %I', 'q_' || p_queue, 'a_' || p_queue, v_role);
  end loop;
end $$;
