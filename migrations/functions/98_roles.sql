-- What each of the five roles may do. The roles belong to the whole server, the grants to this database; docs/sql-api.md shows them
-- as a table, and a test compares the two.

-- Returns the roles that get rights, in a fixed order.
-- Locks: none. Raises: nothing.
create or replace function animus.roles() returns text[]
language sql immutable parallel safe as $$
  select array['animus_submitter', 'animus_reader', 'animus_operator', 'animus_daemon', 'animus_gateway']
$$;

-- Returns whether a role may call a function. The first line of its body says who may: `-- Callers: submitter, operator.`, or `-- Callers: all.`
-- Without it, internal steps (without security definer) are granted to no role, but for those that views and defaults call; functions that require
-- an operator are granted to operators, and every other security definer function to daemons: a new function is always available to daemons and
-- never to submitters.
-- Locks: none. Raises: nothing.
create or replace function animus.role_may_call(p_role text, p_function text, p_definer boolean, p_source text) returns boolean
language sql immutable as $$
  select case
    when p_function in ('now', 'actor', 'may_vouch', 'sees_all', 'sees_people', 'is_operator', 'show_time', 'call_of', 'ask_of_loss') then true
    when not p_definer then false
    when p_source ~ E'^\\s*-- Callers: all\\.\\s' then true
    when p_source ~ E'^\\s*-- Callers: ' then p_role = any (array(
      select 'animus_' || name from unnest(regexp_split_to_array(substring(p_source from E'^\\s*-- Callers: ([a-z, ]+)\\.'), ', ')) as name))
    when starts_with(p_function, 'visible_') then p_role <> 'animus_submitter'
    when p_function = 'require_operator' then false
    when p_source ~ E'\\manimus\\.require_operator_login\\(' then p_role = 'animus_operator'
    when p_source ~ E'\\manimus\\.require_operator\\(' then p_role in ('animus_operator', 'animus_gateway')
    else p_role = 'animus_daemon'
  end
$$;

-- Grants the existing roles their rights on existing objects, and revokes rights they should no longer have. For the schema's
-- owner; run after each change of the schema (src/store/migrations/roles.ts).
-- Locks: none. Raises: nothing.
create or replace function animus.grant_roles() returns void
language plpgsql as $$
declare
  v_role     text;
  v_function record;
  v_table    record;
begin
  revoke all on schema animus from public;
  revoke all on all tables in schema animus from public;
  revoke all on all sequences in schema animus from public;
  revoke all on all functions in schema animus from public;
  for v_role in select rolname from pg_roles where rolname = any (animus.roles()) loop
    execute format('revoke all on schema animus from %I', v_role);
    execute format('grant usage on schema animus to %I', v_role);
    execute format('revoke all on all tables in schema animus from %I', v_role);
    execute format('revoke all on all sequences in schema animus from %I', v_role);
    execute format('revoke all on all functions in schema animus from %I', v_role);
    execute format('grant select on animus.schema_migrations, animus.settings, animus.own_work, animus.own_ledger, animus.own_artifacts, animus.own_mail, animus.own_workspaces, animus.own_conversations, animus.own_chat_messages, animus.own_files, animus.waiting_work to %I', v_role);
    if v_role not in ('animus_submitter', 'animus_gateway') then
      execute format('grant select on all tables in schema animus to %I', v_role);
      -- Who knows the hash of a token or of a login link can act with it as a gateway, so nobody may read it.
      execute format('revoke all on animus.tokens, animus.login_links from %I', v_role);
      execute format('grant select (id, person, created_by, created_at, expires_at, used_at) on animus.login_links to %I', v_role);
      execute format('grant select (id, kind, person, label, role, scopes, created_by, created_at, expires_at, last_used_at, revoked_at, revoked_by) on animus.tokens to %I', v_role);
      -- We cannot grant rights on a pgmq that another role installed, and do not need to.
      begin
        execute format('grant usage on schema pgmq to %I', v_role);
        for v_table in select c.relname from pg_class c
                        where c.relnamespace = 'pgmq'::regnamespace and c.relname ~ '^[qa]_(animus_)?(work|inbox|inbox_dead)(_msg_id_seq)?$'
                          and animus.is_our_queue(regexp_replace(c.relname, '^[qa]_|_msg_id_seq$', '', 'g')) loop
          execute format('grant select on pgmq.%I to %I', v_table.relname, v_role);
        end loop;
      exception when insufficient_privilege then null;
      end;
    end if;
    if v_role <> 'animus_reader' then
      execute format('grant insert on animus.own_work to %I', v_role);
    end if;
    if v_role = 'animus_gateway' then
      for v_table in select c.relname from pg_class c where c.relnamespace = 'animus'::regnamespace and c.relkind = 'v' and starts_with(c.relname, 'visible_') loop
        execute format('grant select on animus.%I to %I', v_table.relname, v_role);
      end loop;
    end if;
    -- A gateway has no right on any table, so that all it can read is what the person it acts for may see.
    if v_role not in ('animus_reader', 'animus_gateway') then
      execute format('grant insert on animus.work_items to %I', v_role);
    end if;
    if v_role = 'animus_operator' then
      execute format('grant insert, update, delete on animus.schedules to %I', v_role);
    end if;
    for v_function in
      select p.oid::regprocedure as signature from pg_proc p
       where p.pronamespace = 'animus'::regnamespace and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype
         and animus.role_may_call(v_role, p.proname, p.prosecdef, p.prosrc)
    loop
      execute format('grant execute on function %s to %I', v_function.signature, v_role);
    end loop;
  end loop;
end $$;
