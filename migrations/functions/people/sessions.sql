-- Sessions of browsers, and the links that begin one. A session is a row of animus.tokens of kind `session`: it acts (act_with_token), is listed and is
-- revoked like a token.

-- Records a link by its hash, with which a person begins one session within a minute. A person who is not listed is added, with p_role or as a submitter. For
-- logins that are operators. Links are forgotten a day after their end.
-- Locks: the person. Raises: WA002 for a person that is disabled, WA003, WA004, 42501.
create or replace function animus.create_login_link(
  p_person text, p_hash bytea, p_role text default null, out expires_at timestamptz, out person_role text, out person_added boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: operator.
declare
  v_now    constant timestamptz := animus.now();
  v_id     constant uuid := animus.uuid_v7();
  v_person animus.people;
begin
  perform animus.require_operator_login();
  if p_person = '*' then perform animus.raise('WA004', 'a login link is for one person, not for *'); end if;
  if octet_length(p_hash) is distinct from 32 then perform animus.raise('WA004', 'the hash of a login link is a SHA-256, 32 bytes'); end if;
  select p.* into v_person from animus.people p where p.name = p_person for update;
  person_added := not found;
  if person_added then v_person := animus.set_person(p_person, p_role); end if;
  if v_person.disabled_at is not null then
    perform animus.raise('WA002', format('%s is disabled', p_person), p_hint => format('animus person enable %s', p_person));
  end if;
  person_role := v_person.role;
  expires_at := v_now + interval '1 minute';
  delete from animus.login_links l where l.expires_at < v_now - interval '1 day';
  insert into animus.login_links (id, person, link_hash, created_by, created_at, expires_at)
  values (v_id, p_person, p_hash, animus.actor(), v_now, create_login_link.expires_at);
  insert into animus.decisions (target, action, note, decided_by, created_at)
  values ('person ' || p_person, 'grant', format('login link %s, until %s', v_id, animus.show_time(create_login_link.expires_at)), animus.actor(), v_now);
end $$;

-- Acts for the person of a login link until the end of the transaction, as act_as does. p_use: the link is used up; of several transactions that use it at once,
-- one succeeds.
-- Locks: the link. Raises: WA002 for a second person, WA004, WA007 for a link that is unknown, was used or has expired, or whose person is disabled; 42501.
create or replace function animus.act_with_login_link(p_hash bytea, p_use boolean, out person text, out role text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: gateway.
declare
  v_now  constant timestamptz := animus.now();
  v_link animus.login_links;
begin
  perform animus.require_gateway();
  select l.* into v_link from animus.login_links l where l.link_hash = p_hash for update;
  if not found then
    perform animus.raise('WA007', 'the login link is not valid');
  elsif v_link.used_at is not null then
    perform animus.raise('WA007', 'the login link has been used, and works once');
  elsif v_link.expires_at <= v_now then
    perform animus.raise('WA007', 'the login link has expired');
  end if;
  perform animus.vouch(v_link.person, null);
  if p_use then update animus.login_links l set used_at = v_now where l.id = v_link.id; end if;
  person := v_link.person;
  role := animus.acting_role();
end $$;

-- Begins a session of the person that acts, records it by its hash, and returns its id, until when it is accepted (12 hours at most) and its scopes. One that is
-- begun with a token has at most the role and the scopes of that one, ends no later, and is revoked with it. p_scopes, p_expires_at: what limits it, too, such as
-- what a token of an issuer says. A person has at most 100 sessions: one more ends the oldest. Sessions that have ended are forgotten after 30 days.
-- Locks: the rows of the token and of the sessions that end. Raises: WA003, WA004, WA007 for a token that has been revoked or has expired, 42501 for a session.
create or replace function animus.begin_session(
  p_hash bytea, p_label text default '', p_scopes text[] default null, p_expires_at timestamptz default null,
  out id uuid, out expires_at timestamptz, out scopes text[])
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: gateway.
declare
  v_now    constant timestamptz := animus.now();
  v_actor  constant text := animus.actor();
  v_person constant text := substr(v_actor, 8);
  v_role   text;
  v_by     animus.tokens;
begin
  if not animus.person_acts() then
    raise insufficient_privilege using message = format('%I may not begin a session', v_actor), hint = 'a session is for a person, for whom a gateway acts';
  end if;
  if octet_length(p_hash) is distinct from 32 then perform animus.raise('WA004', 'the hash of a session is a SHA-256, 32 bytes'); end if;
  if length(p_label) > 200 then perform animus.raise('WA004', 'the label of a session has at most 200 characters'); end if;
  v_role := nullif(split_part(current_setting('animus.acts_as'), ' ', 3), '');
  if animus.acting_token() is not null then
    select t.* into v_by from animus.tokens t where t.id = animus.acting_token() and t.revoked_at is null for share;
    if not found then perform animus.raise('WA007', 'the token has been revoked'); end if;
    if v_by.kind <> 'token' then
      raise insufficient_privilege using message = format('%I may not begin a session with a session', v_actor), hint = 'this needs a token or a login link';
    end if;
  end if;
  scopes := coalesce(p_scopes, v_by.scopes, animus.token_scopes());
  if not scopes <@ coalesce(v_by.scopes, animus.token_scopes()) or scopes = '{}' then
    perform animus.raise('WA004', 'the scopes of a session are from this list: ' || array_to_string(coalesce(v_by.scopes, animus.token_scopes()), ', '));
  end if;
  expires_at := least(p_expires_at, v_by.expires_at, v_now + interval '12 hours');
  if expires_at <= v_now then perform animus.raise('WA007', 'the token has expired'); end if;
  delete from animus.tokens t
   where t.person = v_person and t.kind = 'session' and coalesce(t.revoked_at, t.expires_at) < v_now - interval '30 days';
  perform animus.revoke_token(o.id)
     from (select t.id from animus.tokens t
            where t.person = v_person and t.kind = 'session' and t.revoked_at is null and t.expires_at > v_now order by t.id desc offset 99) o;
  id := animus.uuid_v7();
  insert into animus.tokens (id, kind, person, label, token_hash, role, scopes, created_by, created_at, expires_at, created_with)
  values (id, 'session', v_person, coalesce(p_label, ''), p_hash, v_role, begin_session.scopes, v_actor, v_now, begin_session.expires_at, v_by.id);
  insert into animus.decisions (target, action, note, decided_by, created_at)
  values ('person ' || v_person, 'grant',
          format('session %s: role %s, scopes %s, until %s', id, coalesce(v_role, 'of the person'), array_to_string(begin_session.scopes, ' '),
                 animus.show_time(begin_session.expires_at)), v_actor, v_now);
end $$;
