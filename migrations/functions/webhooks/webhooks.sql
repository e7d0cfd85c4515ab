-- Webhooks of people and logins (docs/webhooks.md): each has its own; an operator sees and changes all.

-- Returns the webhook if the actor may change it: its owner, or an operator.
-- Locks: the webhook. Raises: WA003.
create or replace function animus.own_webhook(p_id uuid) returns animus.webhooks
language plpgsql as $$
declare
  v_hook animus.webhooks;
begin
  select h.* into v_hook from animus.webhooks h where h.id = p_id for update;
  if not found or (v_hook.owner <> animus.actor() and not animus.may_operate()) then
    perform animus.raise('WA003', format('no webhook %s', p_id), p_id);
  end if;
  return v_hook;
end $$;

-- Refuses what a webhook cannot be. p_faculties null: all.
-- Locks: none. Raises: WA004.
create or replace function animus.check_webhook(p_url text, p_events text[], p_faculties text[], p_label text) returns void
language plpgsql as $$
begin
  if coalesce(p_url, '') !~ '^https?://[^[:space:][:cntrl:]@]+$' or length(p_url) > 2000 then
    perform animus.raise('WA004', 'the address of a webhook is an https:// or http:// URL without user and password');
  end if;
  -- Every change of work reads both lists.
  if coalesce(p_events, '{}') = '{}' or not p_events <@ animus.webhook_events() or cardinality(p_events) > 20 then
    perform animus.raise('WA004', 'the events of a webhook are from this list: ' || array_to_string(animus.webhook_events(), ', '));
  end if;
  if p_faculties = '{}' or cardinality(p_faculties) > 100
     or exists (select from unnest(p_faculties) f (name) where coalesce(f.name, '') !~ '^[a-z][a-z0-9_-]*$' or octet_length(f.name) > 63) then
    perform animus.raise('WA004', 'a webhook is for all faculties, or for a list of 1 to 100 names');
  end if;
  if length(p_label) > 200 then perform animus.raise('WA004', 'the label of a webhook has at most 200 characters'); end if;
end $$;

-- Adds a webhook of the actor, or, for logins of operators, of a person. An owner has at most 20. p_id is chosen by the caller, because the
-- secret is derived from it.
-- Locks: none. Raises: WA004, 42501.
create or replace function animus.add_webhook(
  p_id uuid, p_url text, p_events text[], p_key_mark text, p_faculties text[] default null, p_label text default '', p_person text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, gateway.
declare
  v_owner text := animus.actor();
begin
  if p_person is not null then
    perform animus.require_operator();
    if animus.person_acts() then perform animus.raise('WA004', 'a person adds webhooks for itself only'); end if;
    if p_person !~ '^[^[:space:][:cntrl:]]{1,200}$' or p_person = '*' then
      perform animus.raise('WA004', 'the name of a person has 1 to 200 characters, without spaces and control characters, and is not *');
    end if;
    if animus.role_of_person(p_person) is null then perform animus.raise('WA004', format('nobody may use animus as person:%s', p_person)); end if;
    v_owner := 'person:' || p_person;
  end if;
  perform animus.check_webhook(p_url, p_events, p_faculties, p_label);
  if coalesce(p_key_mark, '') !~ '^[0-9a-f]{16}$' then perform animus.raise('WA004', 'the fingerprint of the key has 16 hexadecimal digits'); end if;
  -- Two at the same time may both become the twentieth.
  if (select count(*) from animus.webhooks h where h.owner = v_owner) >= 20 then
    perform animus.raise('WA004', format('%s already has 20 webhooks, the most that are allowed', v_owner));
  end if;
  insert into animus.webhooks (id, url, events, faculties, label, owner, owner_role, key_mark, created_at)
  values (p_id, p_url, p_events, p_faculties, coalesce(p_label, ''), v_owner, case when p_person is null then animus.acting_role() end, p_key_mark, animus.now());
end $$;

-- Changes a webhook; null leaves a part as it is, and an empty list of faculties means all of them. What waits to be delivered goes to a new address at once; its
-- events were chosen when they happened. The secret stays.
-- Locks: the webhook and its deliveries. Raises: WA003, WA004.
create or replace function animus.change_webhook(
  p_id uuid, p_url text default null, p_events text[] default null, p_faculties text[] default null, p_label text default null) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, gateway.
declare
  v_hook animus.webhooks := animus.own_webhook(p_id);
begin
  if num_nonnulls(p_url, p_events, p_faculties, p_label) = 0 then
    perform animus.raise('WA004', 'nothing is to be changed: give an address, events, faculties or a label');
  end if;
  p_url := coalesce(p_url, v_hook.url);
  p_events := coalesce(p_events, v_hook.events);
  p_faculties := case when p_faculties is null then v_hook.faculties else nullif(p_faculties, '{}') end;
  p_label := coalesce(p_label, v_hook.label);
  perform animus.check_webhook(p_url, p_events, p_faculties, p_label);
  if p_url <> v_hook.url then
    update animus.webhook_deliveries d set due_at = animus.now()
     where d.id in (select o.id from animus.webhook_deliveries o where o.webhook_id = p_id and o.state = 'pending' and o.claim is null order by o.id for update);
  end if;
  update animus.webhooks h set url = p_url, events = p_events, faculties = p_faculties, label = p_label where h.id = p_id;
end $$;

-- Removes a webhook with all its deliveries. A delivery that is being sent may still arrive.
-- Locks: the webhook and its deliveries. Raises: WA003.
create or replace function animus.remove_webhook(p_id uuid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, gateway.
begin
  perform animus.own_webhook(p_id);
  delete from animus.webhooks h where h.id = p_id;
  delete from animus.webhook_deliveries d
   where d.id in (select o.id from animus.webhook_deliveries o where o.webhook_id = p_id order by o.id for update);
end $$;

-- Makes another secret for a webhook, from the caller's key, and returns its number. The secret before signs, too, for so many hours (0 to 168; 0: it
-- is not used any more), while a daemon has its key.
-- Locks: the webhook. Raises: WA003, WA004.
create or replace function animus.rotate_webhook(p_id uuid, p_key_mark text, p_keep_hours int default 24) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, gateway.
declare
  v_hook animus.webhooks := animus.own_webhook(p_id);
begin
  if coalesce(p_key_mark, '') !~ '^[0-9a-f]{16}$' then perform animus.raise('WA004', 'the fingerprint of the key has 16 hexadecimal digits'); end if;
  if p_keep_hours is null or p_keep_hours not between 0 and 168 then
    perform animus.raise('WA004', 'the secret before a new one is kept for 0 to 168 hours');
  end if;
  update animus.webhooks h
     set secret_version = h.secret_version + 1, key_mark = p_key_mark,
         old_key_mark = case when p_keep_hours > 0 then h.key_mark end,
         old_until = case when p_keep_hours > 0 then animus.now() + make_interval(hours => p_keep_hours) end
   where h.id = p_id;
  return v_hook.secret_version + 1;
end $$;

-- Returns the webhooks of the actor, or all for an operator, with their counts of deliveries. active: the owner exists and is not disabled.
-- Locks: none. Raises: nothing.
create or replace function animus.list_webhooks(p_id uuid default null)
returns table (id uuid, url text, events text[], faculties text[], label text, owner text, active boolean, key_mark text, secret_version int,
               old_secret_until timestamptz, created_at timestamptz, pending int, dead int, overflow text, overflow_since timestamptz,
               dropped_at timestamptz, last_delivered_at timestamptz, last_error text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, gateway.
declare
  v_all boolean := animus.may_operate();
begin
  return query
    select h.id, h.url, h.events, h.faculties, h.label, h.owner, animus.role_of_owner(h.owner, h.owner_role) is not null, h.key_mark, h.secret_version,
           case when h.old_until > animus.now() then h.old_until end, h.created_at,
           (select count(*)::int from animus.webhook_deliveries d where d.webhook_id = h.id and d.state = 'pending'),
           (select count(*)::int from animus.webhook_deliveries d where d.webhook_id = h.id and d.state = 'dead'),
           h.overflow, h.overflow_since, h.dropped_at,
           (select max(d.ended_at) from animus.webhook_deliveries d where d.webhook_id = h.id and d.state = 'delivered'),
           (select d.last_error from animus.webhook_deliveries d where d.webhook_id = h.id and d.last_error is not null and d.state <> 'delivered' order by d.id desc limit 1)
      from animus.webhooks h where (v_all or h.owner = animus.actor()) and (p_id is null or h.id = p_id) order by h.created_at, h.id;
end $$;

-- Returns dead deliveries of a webhook of the actor, or of any for an operator, newest first. p_before: those older than this one. What its owner may not
-- see any more is not there.
-- Locks: none. Raises: nothing.
create or replace function animus.list_dead_deliveries(p_webhook uuid default null, p_limit int default 100, p_before bigint default null)
returns table (id bigint, webhook_id uuid, work_item_id uuid, event text, attempts int, last_status int, last_error text, created_at timestamptz, ended_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, gateway.
declare
  v_all boolean := animus.may_operate();
begin
  return query
    select d.id, d.webhook_id, d.work_item_id, d.event, d.attempts, d.last_status, d.last_error, d.created_at, d.ended_at
      from animus.webhook_deliveries d join animus.webhooks h on h.id = d.webhook_id
     where d.state = 'dead' and (p_webhook is null or h.id = p_webhook) and (p_before is null or d.id < p_before)
       and (v_all or h.owner = animus.actor() and animus.may_deliver(h, d))
     order by d.id desc limit p_limit;
end $$;

-- Adds a delivery of the event webhook.test, and returns its id. If a test waits already, that one is sent again now.
-- Locks: the webhook. Raises: WA003.
create or replace function animus.test_webhook(p_id uuid) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, gateway.
declare
  v_now constant timestamptz := animus.now();
  v_id  bigint;
begin
  perform animus.own_webhook(p_id);
  update animus.webhook_deliveries d set attempts = 0, due_at = v_now, claim = null, last_status = null, last_error = null
   where d.webhook_id = p_id and d.work_item_id is null and d.state = 'pending' returning d.id into v_id;
  if v_id is null then
    insert into animus.webhook_deliveries (webhook_id, event, body, due_at, created_at)
    values (p_id, 'webhook.test', json_build_object('type', 'webhook.test', 'timestamp', animus.iso_time(v_now), 'data', json_build_object('webhook_id', p_id))::text,
            v_now, v_now)
    returning id into v_id;
  end if;
  return v_id;
end $$;

-- Returns the state of a delivery of a webhook of the actor, or of any for an operator; no row: there is none.
-- Locks: none. Raises: nothing.
create or replace function animus.delivery_state(p_id bigint) returns table (webhook_id uuid, event text, state text, attempts int, last_status int, last_error text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, gateway.
  select d.webhook_id, d.event, d.state, d.attempts, d.last_status, d.last_error from animus.webhook_deliveries d join animus.webhooks h on h.id = d.webhook_id
   where d.id = p_id and (animus.may_operate() or h.owner = animus.actor() and animus.may_deliver(h, d))
$$;

-- Sends the dead deliveries of a webhook again, the oldest first and not more than may wait, or one of them, and returns how many. Their ids and bodies
-- stay the same.
-- Locks: the webhook and the deliveries. Raises: WA003.
create or replace function animus.retry_deliveries(p_webhook uuid, p_id bigint default null) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, gateway.
declare
  v_room  int;
  v_count int;
begin
  perform animus.own_webhook(p_webhook);
  select greatest(animus.webhook_limit() - count(*), 0) into v_room from animus.webhook_deliveries d where d.webhook_id = p_webhook and d.state = 'pending';
  update animus.webhook_deliveries d set state = 'pending', attempts = 0, due_at = animus.now(), ended_at = null, claim = null
   where d.id in (select o.id from animus.webhook_deliveries o
                   where o.webhook_id = p_webhook and o.state = 'dead' and (p_id is null or o.id = p_id) order by o.id limit v_room for update);
  get diagnostics v_count = row_count;
  perform animus.bound_webhook(p_webhook, false);
  return v_count;
end $$;
