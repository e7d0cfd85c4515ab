-- People and tokens: who may act through a gateway, and with which role. 01_actors.sql has the rules that ask for the role.

-- Acts for the person of a token until the end of the transaction, as act_as does, with the lower of the roles of both. p_hash is the
-- SHA-256 of the token; the token itself never reaches the database. The last use is written at most once a minute, and not while
-- another transaction writes it.
-- Locks: the row of the token, once a minute. Raises: WA002 for a second person, WA004, WA007 for a token that is unknown, revoked or
-- expired, or whose person is disabled; 42501.
create or replace function animus.act_with_token(
  p_hash bytea, out id uuid, out person text, out role text, out scopes text[], out expires_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now   constant timestamptz := animus.now();
  v_token animus.tokens;
begin
  perform animus.require_gateway();
  select t.* into v_token from animus.tokens t where t.token_hash = p_hash;
  if not found then
    perform animus.raise('WA007', 'the token is not valid');
  elsif v_token.revoked_at is not null then
    perform animus.raise('WA007', 'the token has been revoked');
  elsif v_token.expires_at <= v_now then
    perform animus.raise('WA007', 'the token has expired');
  end if;
  perform animus.vouch(v_token.person, v_token.role);
  if coalesce(v_token.last_used_at <= v_now - interval '1 minute', true) and current_setting('transaction_read_only') = 'off' then
    update animus.tokens t set last_used_at = v_now
     where t.id = (select u.id from animus.tokens u where u.id = v_token.id for no key update skip locked);
  end if;
  id := v_token.id;
  person := v_token.person;
  role := animus.acting_role();
  scopes := v_token.scopes;
  expires_at := v_token.expires_at;
end $$;

-- Returns what tokens can be restricted to: to look, to submit and steer work, to decide what operators decide.
-- Locks: none. Raises: nothing.
create or replace function animus.token_scopes() returns text[]
language sql immutable parallel safe as $$ select array['read', 'work', 'decide'] $$;

-- Adds a person or changes one, and returns it; null as an argument changes nothing, and means submitter and not disabled for a new person.
-- `*` is everybody who is not listed. A change counts from the next transaction of the person on, also for tokens that exist.
-- Locks: the person. Raises: WA004, 42501.
create or replace function animus.set_person(p_name text, p_role text default null, p_disabled boolean default null) returns animus.people
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now    constant timestamptz := animus.now();
  v_before animus.people;
  v_after  animus.people;
begin
  perform animus.require_operator_login();
  if coalesce(p_name, '') !~ '^[^[:space:][:cntrl:]]{1,200}$' then
    perform animus.raise('WA004', 'the name of a person has 1 to 200 characters, without spaces and control characters');
  end if;
  if p_role not in ('submitter', 'reader', 'operator') then
    perform animus.raise('WA004', format('%s is no role of a person', quote_literal(p_role)), p_hint => 'one of submitter, reader, operator');
  end if;
  insert into animus.people as p (name, role, created_by, created_at) values (p_name, 'submitter', animus.actor(), v_now)
  on conflict (name) do nothing;
  select p.* into v_before from animus.people p where p.name = p_name for update;
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
-- limits the token further than the person; scopes are those of token_scopes(), by default all.
-- Locks: the person. Raises: WA004, 42501.
create or replace function animus.create_token(
  p_person text, p_hash bytea, p_label text default '', p_role text default null, p_scopes text[] default null, p_expires_at timestamptz default null,
  out id uuid, out person_role text, out person_added boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now    constant timestamptz := animus.now();
  v_scopes text[] := coalesce(p_scopes, animus.token_scopes());
  v_person animus.people;
begin
  perform animus.require_operator_login();
  if p_person = '*' then perform animus.raise('WA004', 'a token is for one person, not for *'); end if;
  if not v_scopes <@ animus.token_scopes() or v_scopes = '{}' then
    perform animus.raise('WA004', 'the scopes of a token are some of ' || array_to_string(animus.token_scopes(), ', '));
  end if;
  if length(p_label) > 200 then perform animus.raise('WA004', 'the label of a token has at most 200 characters'); end if;
  if p_expires_at <= v_now then perform animus.raise('WA004', 'the token would have expired already'); end if;
  if octet_length(p_hash) is distinct from 32 then perform animus.raise('WA004', 'the hash of a token is a SHA-256, 32 bytes'); end if;
  select p.* into v_person from animus.people p where p.name = p_person for update;
  person_added := not found;
  if person_added then v_person := animus.set_person(p_person, p_role); end if;
  if animus.lower_role(v_person.role, p_role) is distinct from coalesce(p_role, v_person.role) then
    perform animus.raise('WA004', format('%s has role %s, so a token of role %s would not have more rights', p_person, v_person.role, p_role),
      p_hint => format('animus person set %s --role %s', p_person, p_role));
  end if;
  id := animus.uuid_v7();
  person_role := v_person.role;
  insert into animus.tokens (id, person, label, token_hash, role, scopes, created_by, created_at, expires_at)
  values (id, p_person, coalesce(p_label, ''), p_hash, p_role, v_scopes, animus.actor(), v_now, p_expires_at);
  insert into animus.decisions (target, action, note, decided_by, created_at)
  values ('person ' || p_person, 'grant',
          format('token %s: role %s, scopes %s, until %s', id, coalesce(p_role, 'of the person'), array_to_string(v_scopes, ' '),
                 coalesce(animus.show_time(p_expires_at), 'revoked')), animus.actor(), v_now);
end $$;

-- Revokes a token and returns its person. It is refused from the next transaction on. A second call changes nothing.
-- Locks: the row of the token. Raises: WA003, 42501.
create or replace function animus.revoke_token(p_id uuid) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_token animus.tokens;
begin
  perform animus.require_operator_login();
  select t.* into v_token from animus.tokens t where t.id = p_id for update;
  if not found then perform animus.raise('WA003', format('no token %s', p_id), p_id); end if;
  if v_token.revoked_at is not null then return v_token.person; end if;
  update animus.tokens t set revoked_at = animus.now(), revoked_by = animus.actor() where t.id = p_id;
  insert into animus.decisions (target, action, note, decided_by, created_at)
  values ('person ' || v_token.person, 'revoke', 'token ' || p_id, animus.actor(), animus.now());
  return v_token.person;
end $$;
