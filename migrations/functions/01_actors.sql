-- Who acts: the login, or the person for whom a gateway acts in this transaction. Everything that records or asks who somebody is calls
-- animus.actor().

-- Returns whether the login may act for people: a member of animus_gateway, or the schema's owner.
-- Locks: none. Raises: nothing.
create or replace function animus.may_vouch() returns boolean
language sql stable parallel safe
return coalesce(pg_has_role(session_user, to_regrole('animus_gateway')::oid, 'member'), false)
  or pg_has_role(session_user, (select nspowner from pg_namespace where nspname = 'animus'), 'member');

-- Returns who acts: `person:NAME` in a transaction in which a login that may act for people has named one, otherwise the login. The
-- login is session_user, whatever `set role` says. No login is ever returned as a person: one with a colon in its name is returned as
-- `login:NAME`.
-- Anybody can set a setting, so the setting alone counts for nothing: at each reading the login must be a gateway, and the value must
-- have been made for this transaction (its start is in it), so that a value that stayed on a pooled connection has no effect. The body is
-- parsed when the function is created, not with the caller's search path, and it can be inlined: a call costs next to nothing. may_vouch
-- cannot, so the usual gateway is recognised without it. The length of a name is checked beside its pattern: a counted repetition ({1,200}) took 10 µs of
-- the 14 of a call, several times per request.
-- Locks: none. Raises: nothing.
create or replace function animus.actor() returns text
language sql stable parallel safe
return case
  when coalesce(current_setting('animus.acts_as', true), '') = ''
    or not (coalesce(pg_has_role(session_user, to_regrole('animus_gateway')::oid, 'member'), false) or animus.may_vouch())
    or current_setting('animus.acts_as') !~ '^[0-9.]+ [^[:space:][:cntrl:]]+( (submitter|reader|operator))?$'
    or length(split_part(current_setting('animus.acts_as'), ' ', 2)) > 200
    or split_part(current_setting('animus.acts_as'), ' ', 1) <> extract(epoch from transaction_timestamp())::text
  then case when strpos(session_user, ':') > 0 then 'login:' || session_user else session_user::text end
  else 'person:' || split_part(current_setting('animus.acts_as'), ' ', 2)
end;

-- Returns whether a person acts, through a gateway. A person has no rights of the login that carries it.
-- Locks: none. Raises: nothing.
create or replace function animus.person_acts() returns boolean
language sql stable parallel safe
return starts_with(animus.actor(), 'person:');

-- Returns the token with which a person acts; null for a login, a token of an issuer, and a gateway that knows the person otherwise. Like the name of
-- the person, the setting counts only in the transaction for which it was made, and only if the login may act for people.
-- Locks: none. Raises: nothing.
create or replace function animus.acting_token() returns uuid
language sql stable parallel safe
return case
  when coalesce(current_setting('animus.acts_with', true), '') = '' or not animus.person_acts()
    or current_setting('animus.acts_with') !~ '^[0-9.]+ [0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$'
    or split_part(current_setting('animus.acts_with'), ' ', 1) <> extract(epoch from transaction_timestamp())::text
  then null
  else split_part(current_setting('animus.acts_with'), ' ', 2)::uuid
end;

-- Returns the role of a person: its own, or that of `*` if it is not listed; null if it is disabled.
-- Locks: none. Raises: nothing.
create or replace function animus.role_of_person(p_name text) returns text
language plpgsql stable as $$
declare
  v_person record;
begin
  select p.role, p.disabled_at into v_person from animus.people p where p.name = p_name;
  if not found then
    select p.role, p.disabled_at into v_person from animus.people p where p.name = '*';
    if not found then return 'submitter'; end if;
  end if;
  return case when v_person.disabled_at is null then v_person.role end;
end $$;

-- Returns the lower of two roles: submitter, reader, operator. Null as the second is no limit.
-- Locks: none. Raises: nothing.
create or replace function animus.lower_role(p_role text, p_limit text) returns text
language sql immutable parallel safe as $$
  select case when p_role is null or p_limit is null then p_role
              when 'submitter' in (p_role, p_limit) then 'submitter' when 'reader' in (p_role, p_limit) then 'reader' else 'operator' end
$$;

-- Returns the role of the person that acts: as it is listed now, and not above the role that its token or its gateway gave for this
-- transaction. Null if no person acts, or the person is disabled.
-- Locks: none. Raises: nothing.
create or replace function animus.acting_role() returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: gateway.
declare
  v_actor constant text := animus.actor();
begin
  if not starts_with(v_actor, 'person:') then return null; end if;
  return animus.lower_role(animus.role_of_person(substr(v_actor, 8)), nullif(split_part(current_setting('animus.acts_as'), ' ', 3), ''));
end $$;

-- Raises 42501 unless the login may act for people.
-- Locks: none. Raises: 42501.
create or replace function animus.require_gateway() returns void
language plpgsql stable as $$
begin
  if animus.may_vouch() then return; end if;
  raise insufficient_privilege using message = format('%I may not act for anybody else', session_user),
    hint = 'only a login of role animus_gateway may: grant animus_gateway to the role';
end $$;

-- Makes a person the actor of the transaction, with at most a role; null: with the person's own.
-- Locks: none. Raises: WA002 for a second person or role, WA004, WA007 for a person that is disabled, 42501.
create or replace function animus.vouch(p_name text, p_role text) returns text
language plpgsql as $$
declare
  v_value text := concat_ws(' ', extract(epoch from transaction_timestamp())::text, p_name, p_role);
begin
  perform animus.require_gateway();
  if p_name is null or p_name !~ '^[^[:space:][:cntrl:]]{1,200}$' or p_name = '*' then
    perform animus.raise('WA004', 'the name of a person has 1 to 200 characters, without spaces and control characters, and is not *');
  end if;
  if p_role <> all (animus.words('people.role')) then
    perform animus.raise('WA004', format('%s is not a role of a person', quote_literal(p_role)), p_hint => 'one of ' || array_to_string(animus.words('people.role'), ', '));
  end if;
  if animus.person_acts() and current_setting('animus.acts_as') <> v_value then
    perform animus.raise('WA002', 'this transaction already acts for another person', p_hint => 'one person, with one role, per transaction: begin a new one');
  end if;
  if animus.role_of_person(p_name) is null then
    perform animus.raise('WA007', format('%s is disabled', p_name));
  end if;
  perform set_config('animus.acts_as', v_value, true);
  return animus.actor();
end $$;

-- Acts for a person until the end of the transaction, and returns the actor, `person:NAME`. Only for members of animus_gateway and the
-- schema's owner, once per transaction, in a statement of its own before all others: outside a transaction block it has no effect on the
-- next statement. A name has 1 to 200 characters without spaces and control characters; who the person is, the gateway has checked.
-- Locks: none. Raises: WA002 for a second person, WA004, WA007 for a person that is disabled, 42501.
create or replace function animus.act_as(p_name text) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: gateway.
begin
  return animus.vouch(p_name, null);
end $$;

-- Acts for a person as act_as does, with at most a role, and returns the role that results.
-- Locks: none. Raises: WA002 for a second person or role, WA004, WA007 for a person that is disabled, 42501.
create or replace function animus.act_with_role(p_name text, p_role text) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: gateway.
begin
  perform animus.vouch(p_name, p_role);
  return animus.acting_role();
end $$;

-- Returns whether the actor may see all work: a login that may read the table, or a person with role reader or operator.
-- Locks: none. Raises: nothing.
create or replace function animus.sees_all() returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_actor constant text := animus.actor();
begin
  if not starts_with(v_actor, 'person:') then return has_table_privilege(session_user, 'animus.work_items', 'select'); end if;
  -- As acting_role.
  return split_part(current_setting('animus.acts_as'), ' ', 3) <> 'submitter' and coalesce(animus.role_of_person(substr(v_actor, 8)) <> 'submitter', false);
end $$;

-- Returns whether the actor may see an item: its own, or any if it may see all work.
-- Locks: none. Raises: nothing.
create or replace function animus.may_see(p_submitted_by text) returns boolean
language sql stable as $$
  select coalesce(p_submitted_by = animus.actor(), false)
    or case when animus.person_acts() then animus.sees_all() else has_table_privilege(session_user, 'animus.work_items', 'select') end
$$;

-- Returns the id of an item if the actor may see the item, else null: for every id that an item of the actor names, such as the one that it merged into.
-- Also null if there is no such item, or not yet for the statement that asks. Strict: a row without such an id costs no call.
-- Locks: none. Raises: nothing.
create or replace function animus.shown_work(p_id uuid) returns uuid
language plpgsql stable strict security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: all.
declare
  v_owner text;
begin
  if animus.sees_all() then return p_id; end if;
  select w.submitted_by into v_owner from animus.work_items w where w.id = p_id;
  return case when found and (animus.may_see(v_owner) or animus.takes_part(p_id)) then p_id end;
end $$;

drop function if exists animus.shown_to(text, uuid);
-- Returns the same for the context of work: what is written for it, or told to it.
-- Locks: none. Raises: nothing.
create or replace function animus.shown_in(p_context uuid, p_id uuid) returns uuid
language plpgsql stable as $$
begin
  return (select w.id from animus.work_items w where w.id = p_id and animus.may_enter(p_context, w.id));
end $$;

-- Returns how an error names an item: without its id if the actor may not see it.
-- Locks: none. Raises: nothing.
create or replace function animus.name_work(p_id uuid) returns text
language plpgsql stable as $$
begin
  return coalesce('work item ' || animus.shown_work(p_id), 'another work item');
end $$;

-- Returns whether the actor is an operator: a login that owns the schema or is a member of animus_operator, or a person with role operator.
-- Locks: none. Raises: nothing.
create or replace function animus.may_operate() returns boolean
language sql stable as $$
  select case when animus.person_acts() then coalesce(animus.acting_role() = 'operator', false) else
    pg_has_role(session_user, (select nspowner from pg_namespace where nspname = 'animus'), 'member')
    or coalesce(pg_has_role(session_user, to_regrole('animus_operator')::oid, 'member'), false) end
$$;

-- Returns the same, for views: a login that reads one calls its functions with its own rights.
-- Locks: none. Raises: nothing.
create or replace function animus.is_operator() returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return animus.may_operate();
end $$;

-- Returns whether the actor may add child work or a file to an item that it sees. A person may add to its own items, an operator to any: the right to
-- see all work is not a right to change it. A login may add to what it may see.
-- Locks: none. Raises: nothing.
create or replace function animus.may_add_to(p_submitted_by text) returns boolean
language sql stable as $$
  select case when animus.person_acts() then coalesce(p_submitted_by = animus.actor(), false) or animus.may_operate() else animus.may_see(p_submitted_by) end
$$;

-- Raises 42501 unless the actor is an operator.
-- Locks: none. Raises: 42501.
create or replace function animus.require_operator() returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  if animus.may_operate() then return; end if;
  raise insufficient_privilege using message = format('%I may not act as an operator of animus', animus.actor()),
    hint = case when animus.person_acts() then format('the role of the person, or of its token, is %s', animus.acting_role()) else 'grant animus_operator to the role' end;
end $$;

-- Raises 42501 unless the actor may manage a person and its tokens. A login that is an operator manages everybody; a person with role operator all
-- who are not operators, so that a stolen token can neither make an operator nor remove one. p_roles: the roles that the person has, had, or gets.
-- Locks: none. Raises: 42501.
create or replace function animus.require_manager(p_name text, variadic p_roles text[]) returns void
language plpgsql stable as $$
begin
  if not animus.person_acts() then perform animus.require_operator_login(); return; end if;
  perform animus.require_operator();
  if 'operator' = any (p_roles) then
    raise insufficient_privilege using message = format('%I may not change who is an operator, or the tokens of %s', animus.actor(), p_name),
      hint = 'this needs a login of the database, not a token';
  end if;
end $$;

-- Raises 42501 unless a login acts that is an operator.
-- Locks: none. Raises: 42501.
create or replace function animus.require_operator_login() returns void
language plpgsql stable as $$
begin
  if animus.may_operate() and not animus.person_acts() then return; end if;
  raise insufficient_privilege using message = format('%I may not manage people and tokens', animus.actor()),
    hint = case when animus.person_acts() then 'this needs a login of the database, not a token' else 'grant animus_operator to the role' end;
end $$;
