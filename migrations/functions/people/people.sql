-- People and tokens: who may act through a gateway, and with which role. 01_actors.sql has the rules that ask for the role.

-- Acts for the person of a token until the end of the transaction, as act_as does, with the lower of the roles of both. p_hash is the
-- SHA-256 of the token, or of the secret of a session (sessions.sql); neither reaches the database itself. A person who is not listed has the role of `*`. The
-- last use is written at most once a minute, and not while another transaction writes it.
-- Locks: the row of the token, once a minute. Raises: WA002 for a second person, WA004, WA007 for a token that is unknown, revoked or
-- expired, or whose person is disabled; 42501.
create or replace function animus.act_with_token(
  p_hash bytea, out id uuid, out person text, out role text, out scopes text[], out expires_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: gateway.
declare
  v_now   constant timestamptz := animus.now();
  v_epoch constant text := extract(epoch from transaction_timestamp())::text;
  v_token record;
  v_set   text;
begin
  if pg_has_role(session_user, to_regrole('animus_gateway')::oid, 'member') is not true then perform animus.require_gateway(); end if;
  select t.id, t.person, t.role, t.scopes, t.expires_at, t.revoked_at, t.last_used_at, p.name is not null as listed, p.role as person_role, p.disabled_at into v_token
    from animus.tokens t left join animus.people p on p.name = t.person where t.token_hash = p_hash;
  if not found then
    perform animus.raise('WA007', 'the token is not valid');
  elsif v_token.revoked_at is not null then
    perform animus.raise('WA007', 'the token has been revoked');
  elsif v_token.expires_at <= v_now then
    perform animus.raise('WA007', 'the token has expired');
  end if;
  -- Each request comes here: what vouch asks is asked where the answer is not known. Assignments cost less than statements.
  if not v_token.listed or v_token.disabled_at is not null or v_token.person = '*' or coalesce(current_setting('animus.acts_as', true), '') <> '' then
    perform animus.vouch(v_token.person, v_token.role);
    v_token.person_role := animus.role_of_person(v_token.person);
  else
    v_set := set_config('animus.acts_as', concat_ws(' ', v_epoch, v_token.person, v_token.role), true);
  end if;
  v_set := set_config('animus.acts_with', concat_ws(' ', v_epoch, v_token.id), true);
  if coalesce(v_token.last_used_at <= v_now - interval '1 minute', true) and current_setting('transaction_read_only') = 'off' then
    update animus.tokens t set last_used_at = v_now
     where t.id = (select u.id from animus.tokens u where u.id = v_token.id for no key update skip locked);
  end if;
  id := v_token.id;
  person := v_token.person;
  role := animus.lower_role(v_token.person_role, v_token.role);
  scopes := v_token.scopes;
  expires_at := v_token.expires_at;
end $$;

-- Returns what tokens can be restricted to: to look, to submit and steer work, to decide what operators decide.
-- Locks: none. Raises: nothing.
create or replace function animus.token_scopes() returns text[]
language sql immutable parallel safe as $$ select animus.words('tokens.scopes') $$;

-- Adds a person or changes one, and returns it; null as an argument changes nothing, and means submitter and not disabled for a new person. Without a
-- role, p_disabled is only accepted for people who are listed: a mistyped name is refused, not added. `*` is everybody who is not listed. A change counts from the next transaction of the person on, also for tokens that exist. For logins that are
-- operators; a person with role operator can change those who are not operators, to roles below operator.
-- Locks: the person. Raises: WA003, WA004, 42501.
create or replace function animus.set_person(p_name text, p_role text default null, p_disabled boolean default null) returns animus.people
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: operator, gateway.
declare
  v_now    constant timestamptz := animus.now();
  v_before animus.people;
  v_after  animus.people;
begin
  perform animus.require_manager(p_name, coalesce(p_role, 'submitter'));
  if coalesce(p_name, '') !~ '^[^[:space:][:cntrl:]]{1,200}$' then
    perform animus.raise('WA004', 'the name of a person has 1 to 200 characters, without spaces and control characters');
  end if;
  if p_role <> all (animus.words('people.role')) then
    perform animus.raise('WA004', format('%s is not a role of a person', quote_literal(p_role)), p_hint => 'one of ' || array_to_string(animus.words('people.role'), ', '));
  end if;
  if p_disabled is not null and p_role is null and p_name <> '*' and not exists (select from animus.people p where p.name = p_name) then
    perform animus.raise('WA003', format('nobody is listed as %s', p_name), p_hint => format('add them first, with a role: animus person set %s --role submitter', p_name));
  end if;
  insert into animus.people as p (name, role, created_by, created_at) values (p_name, 'submitter', animus.actor(), v_now)
  on conflict (name) do nothing;
  select p.* into v_before from animus.people p where p.name = p_name for update;
  perform animus.require_manager(p_name, v_before.role);
  update animus.people p
     set role = coalesce(p_role, p.role),
         disabled_at = case when p_disabled then coalesce(p.disabled_at, v_now) when not p_disabled then null else p.disabled_at end
   where p.name = p_name returning p.* into v_after;
  if v_after.created_at = v_now or v_before.role <> v_after.role or v_before.disabled_at is distinct from v_after.disabled_at then
    insert into animus.decisions (target, action, note, decided_by, created_at)
    values ('person ' || p_name, case when v_after.disabled_at is null then 'grant' else 'revoke' end,
            case when v_after.disabled_at is null then 'role ' || v_after.role else 'disabled' end, animus.actor(), v_now);
  end if;
  return v_after;
end $$;

-- Records a token by its hash and returns its id. A person who is not listed is added, with the role of the token or as a submitter. A role
-- limits the token further than the person; scopes are those of token_scopes(), by default all. For logins that are operators. A person makes tokens with
-- the token that it acts with: its own, and as an operator those of people who are not operators. Such a token has at most the role and the scopes of
-- that one (they are its defaults, too), expires no later, and is revoked with it.
-- Locks: the person. Raises: WA002 for a person that has 100 tokens, WA003, WA004, 42501.
create or replace function animus.create_token(
  p_person text, p_hash bytea, p_label text default '', p_role text default null, p_scopes text[] default null, p_expires_at timestamptz default null,
  out id uuid, out person_role text, out person_added boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: operator, gateway.
declare
  v_now    constant timestamptz := animus.now();
  v_by     animus.tokens := animus.token_that_makes(p_person);
  v_scopes text[] := coalesce(p_scopes, v_by.scopes, animus.token_scopes());
  v_person animus.people;
begin
  if p_person = '*' then perform animus.raise('WA004', 'a token is for one person, not for *'); end if;
  if not v_scopes <@ animus.token_scopes() or v_scopes = '{}' then
    perform animus.raise('WA004', 'the scopes of a token are from this list: ' || array_to_string(animus.token_scopes(), ', '));
  end if;
  if length(p_label) > 200 then perform animus.raise('WA004', 'the label of a token has at most 200 characters'); end if;
  if p_expires_at <= v_now then perform animus.raise('WA004', 'the token would have expired already'); end if;
  if octet_length(p_hash) is distinct from 32 then perform animus.raise('WA004', 'the hash of a token is a SHA-256, 32 bytes'); end if;
  select p.* into v_person from animus.people p where p.name = p_person for update;
  person_added := not found;
  if person_added then v_person := animus.set_person(p_person, p_role); end if;
  if v_by.id is not null then
    if 'person:' || p_person <> animus.actor() then
      perform animus.require_manager(p_person, v_person.role);
      p_role := coalesce(p_role, v_person.role);
    elsif animus.lower_role(coalesce(p_role, animus.acting_role()), animus.acting_role()) <> coalesce(p_role, animus.acting_role()) then
      perform animus.raise('WA004', format('a token of role %s cannot make one of role %s', animus.acting_role(), p_role));
    else
      p_role := coalesce(p_role, v_by.role);
    end if;
    if not v_scopes <@ v_by.scopes then
      perform animus.raise('WA004', 'a token cannot make one with more scopes: it has ' || array_to_string(v_by.scopes, ', '));
    end if;
    if p_expires_at > v_by.expires_at then
      perform animus.raise('WA004', 'a token cannot make one that expires later: it expires at ' || animus.show_time(v_by.expires_at));
    end if;
    p_expires_at := coalesce(p_expires_at, v_by.expires_at);
    if (select count(*) from animus.tokens t where t.person = p_person and t.kind = 'token' and t.revoked_at is null and coalesce(t.expires_at > v_now, true)) >= 100 then
      perform animus.raise('WA002', format('%s has 100 tokens: revoke some first', p_person));
    end if;
  end if;
  if animus.lower_role(v_person.role, p_role) is distinct from coalesce(p_role, v_person.role) then
    perform animus.raise('WA004', format('%s has role %s, so a token of role %s would not have more rights', p_person, v_person.role, p_role),
      p_hint => format('animus person set %s --role %s', p_person, p_role));
  end if;
  id := animus.uuid_v7();
  person_role := v_person.role;
  insert into animus.tokens (id, person, label, token_hash, role, scopes, created_by, created_at, expires_at, created_with)
  values (id, p_person, coalesce(p_label, ''), p_hash, p_role, v_scopes, animus.actor(), v_now, p_expires_at, v_by.id);
  insert into animus.decisions (target, action, note, decided_by, created_at)
  values ('person ' || p_person, 'grant',
          format('token %s: role %s, scopes %s, until %s', id, coalesce(p_role, 'of the person'), array_to_string(v_scopes, ' '),
                 coalesce(animus.show_time(p_expires_at), 'revoked')), animus.actor(), v_now);
end $$;

-- Returns the token with which a person makes a token for p_person; null for a login that is an operator.
-- Locks: the row of the token, so that it is not revoked meanwhile. Raises: 42501.
create or replace function animus.token_that_makes(p_person text) returns animus.tokens
language plpgsql as $$
declare
  v_token animus.tokens;
begin
  if not animus.person_acts() then perform animus.require_operator_login(); return null; end if;
  if 'person:' || p_person is distinct from animus.actor() then perform animus.require_operator(); end if;
  select t.* into v_token from animus.tokens t
   where t.id = animus.acting_token() and 'person:' || t.person = animus.actor() and t.revoked_at is null for share;
  if found then return v_token; end if;
  raise insufficient_privilege using message = format('%I may not make tokens without a token of animus', animus.actor()),
    hint = 'tokens of an OIDC issuer cannot make tokens; an operator can: animus token create';
end $$;

-- Revokes a token and those that were made with it, and returns its person. They are refused from the next transaction on. A second call changes
-- nothing. For logins that are operators; a person revokes its own tokens, and as an operator those of people who are not operators.
-- Locks: the rows of the tokens. Raises: WA003, also for a token of others that the person may not manage, 42501.
create or replace function animus.revoke_token(p_id uuid) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: operator, gateway.
declare
  v_now   constant timestamptz := animus.now();
  v_token animus.tokens;
begin
  if not animus.person_acts() then perform animus.require_operator_login(); end if;
  select t.* into v_token from animus.tokens t
   where t.id = p_id and (not animus.person_acts() or animus.may_operate() or 'person:' || t.person = animus.actor()) for update;
  if not found then perform animus.raise('WA003', format('no token %s', p_id), p_id); end if;
  if 'person:' || v_token.person <> animus.actor() then
    perform animus.require_manager(v_token.person, (select p.role from animus.people p where p.name = v_token.person));
  end if;
  if v_token.revoked_at is not null then return v_token.person; end if;
  with recursive made as (
    select p_id as id union select t.id from made m join animus.tokens t on t.created_with = m.id),
  revoked as (
    update animus.tokens t set revoked_at = v_now, revoked_by = animus.actor() from made m where t.id = m.id and t.revoked_at is null returning t.id, t.person)
  insert into animus.decisions (target, action, note, decided_by, created_at)
  select 'person ' || r.person, 'revoke', 'token ' || r.id, animus.actor(), v_now from revoked r order by r.id;
  return v_token.person;
end $$;

-- Returns whether the actor may see all people and their tokens: an operator, or a login that may see all work.
-- Locks: none. Raises: nothing.
create or replace function animus.sees_people() returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return animus.may_operate() or (animus.sees_all() and not animus.person_acts());
end $$;
