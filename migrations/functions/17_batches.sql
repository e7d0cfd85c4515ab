-- Turns asked through the batch API of a provider (docs/batch.md). Two writers: a focus puts and closes its requests under its lease;
-- the poller of a provider moves batches under the token of animus.batch_pollers. Lock order: the poller, the item, its requests, its waits.

-- Puts the request of a begun turn into the outbox and opens its wait, named by the request's id. If the turn has a request under way, it
-- returns that one and opens its wait again, unless it is answered. p_request: {provider, path, model, headers, body}. A turn whose last
-- request failed is asked again after a minute for each failure, at most ten.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA002, WA003, 57PA1.
create or replace function animus.put_turn(p_focus_id uuid, p_token bigint, p_turn int, p_request json, out id uuid, out state text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now    timestamptz := animus.now();
  v_item   animus.held_work := animus.hold_focus(p_focus_id, p_token);
  v_failed int;
begin
  perform from animus.turns t where t.focus_id = p_focus_id and t.turn = p_turn and t.recorded_at is null;
  if not found then
    perform animus.raise('WA002', format('turn %s of focus %s was never begun, or is recorded', p_turn, p_focus_id), p_focus_id);
  end if;
  select r.id, r.state into id, state from animus.batch_requests r
   where r.focus_id = p_focus_id and r.turn = p_turn and r.state in ('waiting', 'sent', 'answered');
  if not found then
    select least(count(*), 10) into v_failed from animus.batch_requests r where r.focus_id = p_focus_id and r.turn = p_turn and r.state = 'failed';
    id := animus.uuid_v7();
    state := 'waiting';
    insert into animus.batch_requests (id, work_item_id, focus_id, turn, provider, path, model, headers, body, state, created_at, ready_at)
    values (id, v_item.id, p_focus_id, p_turn, p_request ->> 'provider', p_request ->> 'path', p_request ->> 'model',
            (p_request -> 'headers')::jsonb, p_request ->> 'body', state, v_now, v_now + v_failed * interval '1 minute');
  end if;
  if state <> 'answered' then
    insert into animus.waits as w (work_item_id, call_id, kind, created_at) values (v_item.id, id::text, 'batch', v_now)
    on conflict (work_item_id, call_id) do update set resolved_at = null, result = null where w.resolved_at is not null;
  end if;
end $$;

-- Ends an answered request: 'recorded' in the transaction of record_turn, 'failed' before the turn is asked again or the attempt ends.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA003, 57PA1.
create or replace function animus.close_request(p_focus_id uuid, p_token bigint, p_id uuid, p_state text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.hold_focus(p_focus_id, p_token);
  update animus.batch_requests set state = p_state, answer = null, body = null, ended_at = animus.now()
   where id = p_id and focus_id = p_focus_id and state = 'answered';
end $$;

-- Returns whether the wait belongs to a turn under way of an open focus, whose answer will resolve it.
-- Locks: none. Raises: nothing.
create or replace function animus.awaits_batch(p_wait animus.waits) returns boolean
language sql stable as $$
  select p_wait.kind = 'batch' and exists (
    select from animus.batch_requests r join animus.foci f on f.id = r.focus_id
     where r.work_item_id = p_wait.work_item_id and r.id::text = p_wait.call_id and r.state in ('waiting', 'sent') and f.ended_as is null)
$$;

-- Returns whether a turn has a request under way: it is not lost, and it may not be asked live.
-- Locks: none. Raises: nothing.
create or replace function animus.turn_under_way(p_focus_id uuid, p_turn int) returns boolean
language sql stable as $$
  select exists (select from animus.batch_requests where focus_id = p_focus_id and turn = p_turn and state in ('waiting', 'sent', 'answered'))
$$;

-- Returns whether an item has a turn under way: only daemons that know batches may claim it.
-- Locks: none. Raises: nothing.
create or replace function animus.has_turn_under_way(p_work_item_id uuid) returns boolean
language sql stable as $$
  select exists (select from animus.batch_requests where work_item_id = p_work_item_id and state in ('waiting', 'sent', 'answered'))
$$;

-- Makes a daemon the poller of a provider for a limited time, or extends that time. Returns its token, or null while another daemon polls.
-- Locks: the row of the poller. Raises: nothing.
create or replace function animus.hold_poller(p_provider text, p_daemon_id uuid, p_for interval) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now   timestamptz := animus.now();
  v_token bigint;
begin
  insert into animus.batch_pollers as p (provider, daemon_id, token, until) values (p_provider, p_daemon_id, animus.draw_token(), v_now + p_for)
  on conflict (provider) do update
     set daemon_id = excluded.daemon_id, until = excluded.until, token = case when p.daemon_id = excluded.daemon_id then p.token else excluded.token end
   where p.daemon_id = excluded.daemon_id or p.until < v_now
  returning token into v_token;
  return v_token;
end $$;

-- Lets another daemon poll the provider at once.
-- Locks: the row of the poller. Raises: nothing.
create or replace function animus.leave_poller(p_provider text, p_daemon_id uuid) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  delete from animus.batch_pollers where provider = p_provider and daemon_id = p_daemon_id
$$;

-- Checks the token of a poller under a row lock.
-- Locks: the row of the poller. Raises: WA001.
create or replace function animus.require_poller(p_provider text, p_token bigint) returns void
language plpgsql as $$
begin
  perform from animus.batch_pollers where provider = p_provider and token = p_token for no key update;
  if not found then
    perform animus.raise('WA001', format('another daemon polls the batches of provider %s', p_provider));
  end if;
end $$;

-- Forms a batch from the outbox and marks it as being submitted, before anything is sent: at most p_limit requests and p_bytes of the same
-- path, model and headers, whose oldest is ready since p_gather, or that are p_limit already. Requests of ended foci are withdrawn. Returns
-- the batch, or nothing. p_unclear: after this time, a submit without confirmation is looked for.
-- Locks: the row of the poller; the requests. Raises: WA001.
create or replace function animus.mark_batch(
  p_provider text, p_token bigint, p_gather interval, p_limit int, p_bytes bigint, p_unclear interval) returns setof animus.batches
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now   timestamptz := animus.now();
  v_group record;
  v_ids   uuid[];
  v_id    uuid;
begin
  perform animus.require_poller(p_provider, p_token);
  update animus.batch_requests r set state = 'withdrawn', body = null, ended_at = v_now
    from animus.foci f where r.provider = p_provider and r.state = 'waiting' and f.id = r.focus_id and f.ended_as is not null;
  select r.path, r.model, r.headers into v_group from animus.batch_requests r
   where r.provider = p_provider and r.state = 'waiting' and r.ready_at <= v_now
   group by r.path, r.model, r.headers having min(r.ready_at) <= v_now - p_gather or count(*) >= p_limit
   order by min(r.ready_at) limit 1;
  if not found then return; end if;
  select array_agg(c.id) into v_ids from (
    select r.id, row_number() over w as nth, sum(octet_length(r.body)) over w as bytes from animus.batch_requests r
     where r.provider = p_provider and r.state = 'waiting' and r.ready_at <= v_now
       and r.path = v_group.path and r.model = v_group.model and r.headers = v_group.headers
    window w as (order by r.ready_at, r.id)) c
   where c.nth = 1 or (c.nth <= p_limit and c.bytes <= p_bytes);
  v_id := animus.uuid_v7();
  insert into animus.batches (id, provider, path, model, headers, state, requests, created_at, unclear_at)
  values (v_id, p_provider, v_group.path, v_group.model, v_group.headers, 'submitting', cardinality(v_ids), v_now, v_now + p_unclear);
  update animus.batch_requests set state = 'sent', batch_id = v_id where id = any (v_ids);
  return query select * from animus.batches where id = v_id;
end $$;

-- Records the provider's id of a batch; the bodies are no longer needed. Needs no token: whoever knows the id helps. Returns false if
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
  v_now      timestamptz := animus.now();
  v_provider text;
begin
  select provider into v_provider from animus.batches where id = p_id;
  perform animus.require_poller(v_provider, p_token);
  update animus.batches set state = 'ended', ended_as = p_ended_as, ended_at = v_now, problem = animus.cut_text(p_problem, 10000)
   where id = p_id and state = 'submitting';
  if not found then return; end if;
  update animus.batch_requests set state = 'waiting', batch_id = null, ready_at = v_now + p_delay where batch_id = p_id and state = 'sent';
end $$;

-- Stores the answer to a request and wakes its item, in one transaction. The first answer counts. Returns false if there was nothing to
-- answer. p_answer: JSON as text, {status, body} or {ended}. What an answer to a request of an ended focus has cost is booked by withdraw_answer.
-- Locks: the item's row; waits a fifth of a second at most. Raises: WA002, 57PA1.
create or replace function animus.answer_request(p_id uuid, p_answer text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_item uuid;
begin
  select r.work_item_id into v_item from animus.batch_requests r where r.id = p_id and r.state in ('waiting', 'sent');
  if not found then return false; end if;
  perform animus.lock_work(array[v_item]);
  update animus.batch_requests set state = 'answered', answer = p_answer, body = null where id = p_id and state in ('waiting', 'sent');
  if not found then return false; end if;
  perform animus.resolve_wait(v_item, p_id::text, '{"answered": true}');
  return true;
end $$;

-- Ends an answered request whose focus has ended without recording it: its item was cancelled, is dead, or was tried again from its ledger. What
-- the answer has cost is part of what the item and its faculty cost. p_paid: {model, usage: {input, output, …} | null, cost_usd: null if it is not
-- known}; null: it cost nothing. Returns false, and changes nothing, while its focus may still record it, and after it was ended.
-- Locks: the item's row; waits a fifth of a second at most. Raises: 57PA1.
create or replace function animus.withdraw_answer(p_id uuid, p_paid json) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now     timestamptz := animus.now();
  v_usd     numeric := (p_paid ->> 'cost_usd')::numeric;
  v_input   bigint := coalesce((p_paid #>> '{usage,input}')::bigint, 0);
  v_output  bigint := coalesce((p_paid #>> '{usage,output}')::bigint, 0);
  v_request record;
  v_item    record;
begin
  select r.work_item_id as id into v_request from animus.batch_requests r where r.id = p_id and r.state = 'answered';
  if not found then return false; end if;
  perform animus.lock_work(array[v_request.id]);
  update animus.batch_requests r set state = 'withdrawn', answer = null, body = null, ended_at = v_now
    from animus.foci f where r.id = p_id and r.state = 'answered' and f.id = r.focus_id and f.ended_as is not null
  returning r.work_item_id as id, r.focus_id, r.turn, r.provider into v_request;
  if not found then return false; end if;
  -- What was held for the turn is not lost: what it cost is known.
  update animus.turns t set reserved_usd = 0 where t.focus_id = v_request.focus_id and t.turn = v_request.turn and t.recorded_at is null;
  update animus.budget_holds h
     set cost = case when p_paid is null then 0 when json_typeof(p_paid -> 'usage') is distinct from 'object' then h.amount
                     when a.unit = 'usd' then coalesce(v_usd, h.amount) else v_input + v_output end
    from animus.budget_accounts a
   where h.focus_id = v_request.focus_id and h.turn = v_request.turn and h.cost is null and a.id = h.account_id;
  if p_paid is null then return true; end if;
  update animus.work_items set cost_usd = cost_usd + coalesce(v_usd, 0), unpriced_calls = unpriced_calls + (v_usd is null)::int,
         input_tokens = input_tokens + v_input, output_tokens = output_tokens + v_output
   where id = v_request.id
  returning faculty, case when depth = 0 then submitted_by else animus.submitter_of(root_id) end as submitter into v_item;
  insert into animus.spend_calls (faculty, model, day, usd, input_tokens, output_tokens, submitter)
  values (v_item.faculty, v_request.provider || '/' || coalesce(p_paid ->> 'model', ''), (v_now at time zone 'UTC')::date, v_usd, v_input, v_output,
          v_item.submitter);
  perform animus.tell_readers(v_request.id);
  return true;
end $$;

-- Ends a submitted batch whose requests are all answered. Returns false, and changes nothing, while one is not.
-- Locks: the row of the poller; the batch. Raises: WA001.
create or replace function animus.end_batch(p_id uuid, p_token bigint, p_ended_as text, p_problem text default null) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_provider text;
begin
  select provider into v_provider from animus.batches where id = p_id;
  perform animus.require_poller(v_provider, p_token);
  if exists (select from animus.batch_requests where batch_id = p_id and state = 'sent') then return false; end if;
  update animus.batches set state = 'ended', ended_as = p_ended_as, ended_at = animus.now(), problem = animus.cut_text(p_problem, 10000)
   where id = p_id and state = 'submitted';
  return true;
end $$;

-- Records that a batch was looked at, and the problem with it, or that there is none.
-- Locks: the row of the poller; the batch. Raises: WA001.
create or replace function animus.note_batch(p_id uuid, p_token bigint, p_problem text, p_cancelled boolean default false) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now      timestamptz := animus.now();
  v_provider text;
begin
  select provider into v_provider from animus.batches where id = p_id;
  perform animus.require_poller(v_provider, p_token);
  update animus.batches set polled_at = v_now, problem = animus.cut_text(p_problem, 10000),
         cancel_requested_at = case when p_cancelled then v_now else cancel_requested_at end where id = p_id;
end $$;

-- Returns what waits for batches, by provider: requests in the outbox, batches at the provider and their requests, and the newest problem.
-- Locks: none. Raises: nothing.
create or replace function animus.batch_status() returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select jsonb_build_object('batches', coalesce(jsonb_agg(jsonb_build_object('provider', p.provider, 'outbox', o.n, 'oldest_at', least(o.oldest, b.oldest),
           'batches', b.n, 'requests', b.requests, 'unclear', b.unclear,
           'problem', (select n.problem from animus.batches n
                        where n.provider = p.provider and (n.state <> 'ended' or o.n > 0 and n.ended_at > animus.now() - interval '1 hour')
                        order by n.created_at desc limit 1)) order by p.provider), '[]'))
    from (select provider from animus.batch_requests where state = 'waiting' union select provider from animus.batches where state <> 'ended') p
    cross join lateral (select count(*) as n, min(created_at) as oldest from animus.batch_requests r where r.provider = p.provider and r.state = 'waiting') o
    cross join lateral (select count(*) as n, coalesce(sum(requests), 0) as requests, min(created_at) as oldest,
                               count(*) filter (where state = 'submitting' and unclear_at < animus.now()) as unclear
                          from animus.batches a where a.provider = p.provider and a.state <> 'ended') b
$$;
