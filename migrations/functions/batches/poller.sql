-- Who polls a place, and the batches that it marks, confirms and returns. Lock order: as in requests.sql.

-- Their parameters had the name of a provider.
drop function if exists animus.hold_poller(text, uuid, interval);
drop function if exists animus.leave_poller(text, uuid);
drop function if exists animus.require_poller(text, bigint);
drop function if exists animus.mark_batch(text, bigint, interval, int, bigint, interval);

-- Makes a daemon the poller of a place for a limited time, or extends that time. Returns its token, or null while another daemon polls.
-- Locks: the row of the poller. Raises: nothing.
create or replace function animus.hold_poller(p_place text, p_daemon_id uuid, p_for interval) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now   timestamptz := animus.now();
  v_token bigint;
begin
  insert into animus.batch_pollers as p (place, daemon_id, token, until) values (p_place, p_daemon_id, animus.draw_token(), v_now + p_for)
  on conflict (place) do update
     set daemon_id = excluded.daemon_id, until = excluded.until, token = case when p.daemon_id = excluded.daemon_id then p.token else excluded.token end
   where p.daemon_id = excluded.daemon_id or p.until < v_now
  returning token into v_token;
  return v_token;
end $$;

-- Lets another daemon poll the place at once.
-- Locks: the row of the poller. Raises: nothing.
create or replace function animus.leave_poller(p_place text, p_daemon_id uuid) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  delete from animus.batch_pollers where place = p_place and daemon_id = p_daemon_id
$$;

-- Checks the token of a poller under a row lock.
-- Locks: the row of the poller. Raises: WA001.
create or replace function animus.require_poller(p_place text, p_token bigint) returns void
language plpgsql as $$
begin
  perform from animus.batch_pollers where place = p_place and token = p_token for no key update;
  if not found then
    perform animus.raise('WA001', format('another daemon polls the batches of %s', p_place));
  end if;
end $$;

-- Forms a batch from the outbox and marks it as being submitted, before anything is sent: at most p_limit requests and p_bytes of the same
-- path, model and headers, whose oldest is ready since p_gather, or that are p_limit already. Requests of ended foci are withdrawn: they cost nothing. Returns
-- the batch, or nothing. p_unclear: after this time, a submit without confirmation is looked for.
-- Locks: the row of the poller; the requests. Raises: WA001.
create or replace function animus.mark_batch(
  p_place text, p_token bigint, p_gather interval, p_limit int, p_bytes bigint, p_unclear interval) returns setof animus.batches
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now    timestamptz := animus.now();
  v_group  record;
  v_unsent record;
  v_ids    uuid[];
  v_id     uuid;
begin
  perform animus.require_poller(p_place, p_token);
  for v_unsent in
    update animus.batch_requests r set state = 'withdrawn', body = null, ended_at = v_now
      from animus.foci f where r.place = p_place and r.state = 'waiting' and f.id = r.focus_id and f.ended_as is not null
    returning r.focus_id, r.turn
  loop
    perform animus.count_lost(v_unsent.focus_id, v_unsent.turn, 0);
    update animus.budget_holds h set cost = 0 where h.focus_id = v_unsent.focus_id and h.turn = v_unsent.turn and h.cost is null;
  end loop;
  select r.provider, r.path, r.model, r.headers into v_group from animus.batch_requests r
   where r.place = p_place and r.state = 'waiting' and r.ready_at <= v_now
   group by r.provider, r.path, r.model, r.headers having min(r.ready_at) <= v_now - p_gather or count(*) >= p_limit
   order by min(r.ready_at) limit 1;
  if not found then return; end if;
  select array_agg(c.id) into v_ids from (
    select r.id, row_number() over w as nth, sum(octet_length(r.body)) over w as bytes from animus.batch_requests r
     where r.place = p_place and r.state = 'waiting' and r.ready_at <= v_now and r.provider = v_group.provider
       and r.path = v_group.path and r.model = v_group.model and r.headers = v_group.headers
    window w as (order by r.ready_at, r.id)) c
   where c.nth = 1 or (c.nth <= p_limit and c.bytes <= p_bytes);
  v_id := animus.uuid_v7();
  insert into animus.batches (id, provider, place, path, model, headers, state, requests, created_at, unclear_at)
  values (v_id, v_group.provider, p_place, v_group.path, v_group.model, v_group.headers, 'submitting', cardinality(v_ids), v_now, v_now + p_unclear);
  update animus.batch_requests set state = 'sent', batch_id = v_id where id = any (v_ids);
  return query select * from animus.batches where id = v_id;
end $$;

-- Records the provider's id of a batch; the bodies are no longer needed. It takes no lease token: any daemon that knows the id may record it. Returns false if
-- the batch was given up as lost: then its requests may be sent again, and this batch must be cancelled.
-- Locks: the row of the batch; its requests. Raises: nothing.
create or replace function animus.confirm_batch(p_id uuid, p_provider_id text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update animus.batches set state = 'submitted', provider_id = p_provider_id, confirmed_at = animus.now(), problem = null
   where id = p_id and state = 'submitting';
  if found then
    update animus.batch_requests set body = null where batch_id = p_id and state = 'sent';
    return true;
  end if;
  return exists (select from animus.batches where id = p_id and provider_id = p_provider_id);
end $$;

-- Returns the requests of a batch that the provider certainly does not have to the outbox: 'refused' or 'lost'. They are ready again after
-- p_delay.
-- Locks: the row of the poller; the batch; its requests. Raises: WA001.
create or replace function animus.return_batch(p_id uuid, p_token bigint, p_ended_as text, p_problem text, p_delay interval) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := animus.now();
begin
  perform animus.require_poller((select place from animus.batches where id = p_id), p_token);
  update animus.batches set state = 'ended', ended_as = p_ended_as, ended_at = v_now, problem = animus.cut_text(p_problem, 10000)
   where id = p_id and state = 'submitting';
  if not found then return; end if;
  update animus.batch_requests set state = 'waiting', batch_id = null, ready_at = v_now + p_delay where batch_id = p_id and state = 'sent';
end $$;
