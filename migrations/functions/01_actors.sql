-- Who acts: the login, or the person for whom a gateway acts in this transaction. Everything that records or asks who somebody is calls
-- animus.actor().

-- Returns who acts: `person:NAME` in a transaction in which a member of animus_gateway called act_as(NAME), otherwise the login. The
-- login is session_user, whatever `set role` says. No login is ever returned as a person: one with a colon in its name is returned as
-- `login:NAME`.
-- Anybody can set a setting, so the setting alone counts for nothing: at each reading the login must be a gateway, and the value must
-- have been made for this transaction (its start is in it), so that a value that stayed on a pooled connection has no effect. The body is
-- parsed when the function is created, not with the caller's search path, and it can be inlined: a call costs next to nothing.
-- Locks: none. Raises: nothing.
create or replace function animus.actor() returns text
language sql stable parallel safe
return case
  when coalesce(current_setting('animus.acts_as', true), '') = '' or not coalesce(pg_has_role(session_user, to_regrole('animus_gateway')::oid, 'member'), false)
    or current_setting('animus.acts_as') !~ '^[0-9.]+ [^[:space:][:cntrl:]]{1,200}$'
    or split_part(current_setting('animus.acts_as'), ' ', 1) <> extract(epoch from transaction_timestamp())::text
  then case when strpos(session_user, ':') > 0 then 'login:' || session_user else session_user::text end
  else 'person:' || split_part(current_setting('animus.acts_as'), ' ', 2)
end;

-- Returns whether a person acts, through a gateway. A person has no rights of the login that carries it.
-- Locks: none. Raises: nothing.
create or replace function animus.person_acts() returns boolean
language sql stable parallel safe
return starts_with(animus.actor(), 'person:');

-- Acts for a person until the end of the transaction, and returns the actor, `person:NAME`. Only for members of animus_gateway, once per
-- transaction, in a statement of its own before all others: outside a transaction block it has no effect on the next statement. A name
-- has 1 to 200 characters without spaces and control characters; who the person is, the gateway has checked.
-- Locks: none. Raises: WA002 for a second person, WA004, 42501.
create or replace function animus.act_as(p_name text) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not coalesce(pg_has_role(session_user, to_regrole('animus_gateway')::oid, 'member'), false) then
    raise insufficient_privilege using message = format('%I may not act for anybody else', session_user),
      hint = 'only a login of role animus_gateway may: grant animus_gateway to the role';
  end if;
  if p_name is null or p_name !~ '^[^[:space:][:cntrl:]]{1,200}$' then
    perform animus.raise('WA004', 'the name of a person has 1 to 200 characters, without spaces and control characters');
  end if;
  if animus.person_acts() and animus.actor() <> 'person:' || p_name then
    perform animus.raise('WA002', 'this transaction already acts for another person', p_hint => 'one person per transaction: begin a new one');
  end if;
  perform set_config('animus.acts_as', extract(epoch from transaction_timestamp())::text || ' ' || p_name, true);
  return animus.actor();
end $$;

-- Returns whether the actor may see an item: its own, or any if it is a login that may read the table.
-- Locks: none. Raises: nothing.
create or replace function animus.may_see(p_submitted_by text) returns boolean
language sql stable as $$
  select coalesce(p_submitted_by = animus.actor(), false)
    or not animus.person_acts() and has_table_privilege(session_user, 'animus.work_items', 'select')
$$;

-- Returns whether the actor is an operator: a login, and no person, that owns the schema or is a member of animus_operator.
-- Locks: none. Raises: nothing.
create or replace function animus.may_operate() returns boolean
language sql stable as $$
  select not animus.person_acts() and (
    pg_has_role(session_user, (select nspowner from pg_namespace where nspname = 'animus'), 'member')
    or coalesce(pg_has_role(session_user, to_regrole('animus_operator')::oid, 'member'), false))
$$;

-- Raises 42501 unless the actor is an operator.
-- Locks: none. Raises: 42501.
create or replace function animus.require_operator() returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  if animus.may_operate() then return; end if;
  raise insufficient_privilege using message = format('%I may not act as an operator of animus', animus.actor()),
    hint = case when animus.person_acts() then 'through a gateway, a person may do what a submitter may' else 'grant animus_operator to the role' end;
end $$;
