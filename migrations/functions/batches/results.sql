-- What became of batches and their requests: answers, ends, problems, and batches that nobody polls. Lock order: as in requests.sql.

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
-- known}; without usage, it is lost, with what was reserved for it; null: it cost nothing. Returns false, and changes nothing, while its focus may still record it, and after it was ended.
-- Locks: the item's row; waits a fifth of a second at most. Raises: 57PA1.
create or replace function animus.withdraw_answer(p_id uuid, p_paid json) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now     timestamptz := animus.now();
  v_usd     numeric := (p_paid ->> 'cost_usd')::numeric;
  v_input   bigint := coalesce((p_paid #>> '{usage,input}')::bigint, 0);
  v_output  bigint := coalesce((p_paid #>> '{usage,output}')::bigint, 0);
  v_request record;
  v_turn    record;
begin
  select r.work_item_id as id into v_request from animus.batch_requests r where r.id = p_id and r.state = 'answered';
  if not found then return false; end if;
  perform animus.lock_work(array[v_request.id]);
  update animus.batch_requests r set state = 'withdrawn', answer = null, body = null, ended_at = v_now
    from animus.foci f where r.id = p_id and r.state = 'answered' and f.id = r.focus_id and f.ended_as is not null
  returning r.work_item_id as id, r.focus_id, r.turn, r.provider into v_request;
  if not found then return false; end if;
  -- An answer without token counts, or one that cannot be read, may have cost all that was reserved for it.
  if p_paid is not null and json_typeof(p_paid -> 'usage') is distinct from 'object' then
    perform animus.count_lost(v_request.focus_id, v_request.turn, 1);
    update animus.budget_holds h set cost = h.amount where h.focus_id = v_request.focus_id and h.turn = v_request.turn and h.cost is null;
    perform animus.tell_readers(v_request.id);
    return true;
  end if;
  select t.reserved_usd, (t.begun_at at time zone 'UTC')::date as day into v_turn
    from animus.turns t where t.focus_id = v_request.focus_id and t.turn = v_request.turn and t.recorded_at is null;
  if p_paid is not null then v_usd := coalesce(v_usd, nullif(v_turn.reserved_usd, 0)); end if;
  perform animus.count_lost(v_request.focus_id, v_request.turn, 0);
  update animus.budget_holds h
     set cost = case when p_paid is null then 0 when a.unit = 'usd' then coalesce(v_usd, h.amount) else v_input + v_output end
    from animus.budget_accounts a
   where h.focus_id = v_request.focus_id and h.turn = v_request.turn and h.cost is null and a.id = h.account_id;
  if p_paid is null then return true; end if;
  perform animus.charge_item(v_request.id, v_request.provider || '/' || coalesce(p_paid ->> 'model', ''), coalesce(v_turn.day, (v_now at time zone 'UTC')::date), 'turn', 1,
    v_usd, (p_paid -> 'usage')::jsonb || case when p_paid ->> 'cost_usd' is null and v_usd is not null then '{"estimated": true}' else '{}' end::jsonb, 0, 0, 0, 0);
  perform animus.tell_readers(v_request.id);
  return true;
end $$;

-- Ends a submitted batch whose requests are all answered. Returns false, and changes nothing, while one is not.
-- Locks: the row of the poller; the batch. Raises: WA001.
create or replace function animus.end_batch(p_id uuid, p_token bigint, p_ended_as text, p_problem text default null) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.require_poller((select place from animus.batches where id = p_id), p_token);
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
  v_now timestamptz := animus.now();
begin
  perform animus.require_poller((select place from animus.batches where id = p_id), p_token);
  update animus.batches set polled_at = v_now, problem = animus.cut_text(p_problem, 10000),
         cancel_requested_at = case when p_cancelled then v_now else cancel_requested_at end where id = p_id;
end $$;

-- Returns whether a daemon polls a place now.
-- Locks: none. Raises: nothing.
create or replace function animus.is_polled(p_place text) returns boolean
language sql stable as $$
  select exists (select from animus.batch_pollers p where p.place = p_place and p.until > animus.now())
$$;

-- Wakes what waits for an answer from a place that a daemon does not know, and that no daemon polls: its provider is gone, or another one. Its focus then
-- asks a person. Answers that nobody waits for stay there for 30 days, in case the provider comes back; then its results are gone. Returns how many items it woke.
-- Locks: the rows of the items, and skips those that others have locked; their waits; requests and batches that nobody waits for. Raises: nothing.
create or replace function animus.wake_stranded(p_place text, p_limit int default 100) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now     timestamptz := animus.now();
  v_count   int := 0;
  v_request record;
  v_state   text;
begin
  if animus.is_polled(p_place) then return 0; end if;
  for v_request in
    select r.work_item_id as item, w.call_id
      from animus.batch_requests r
      join animus.foci f on f.id = r.focus_id and f.ended_as is null
      join animus.waits w on w.work_item_id = r.work_item_id and w.call_id = r.id::text and w.resolved_at is null
     where r.place = p_place and r.state in ('waiting', 'sent') order by r.id limit p_limit
  loop
    select w.state into v_state from animus.work_items w where w.id = v_request.item for no key update skip locked;
    continue when not found;
    update animus.waits w set resolved_at = v_now, result = '{"stranded": true}'
     where w.work_item_id = v_request.item and w.call_id = v_request.call_id and w.resolved_at is null;
    continue when not found;
    perform animus.wake_if_resolved(v_request.item, v_state, v_now);
    v_count := v_count + 1;
  end loop;
  for v_request in
    select r.id, r.work_item_id as item, r.focus_id, r.turn, r.state, (r.state = 'sent')::int as lost
      from animus.batch_requests r
      join animus.foci f on f.id = r.focus_id and f.ended_as is not null
     where r.place = p_place and (r.state = 'waiting' or r.state = 'sent' and r.created_at < v_now - interval '30 days') order by r.id limit p_limit
  loop
    perform from animus.work_items w where w.id = v_request.item for no key update skip locked;
    continue when not found;
    update animus.batch_requests r set state = 'withdrawn', body = null, ended_at = v_now where r.id = v_request.id and r.state = v_request.state;
    continue when not found;
    -- The provider may have answered what was sent.
    perform animus.count_lost(v_request.focus_id, v_request.turn, v_request.lost);
    update animus.budget_holds h set cost = v_request.lost * h.amount where h.focus_id = v_request.focus_id and h.turn = v_request.turn and h.cost is null;
  end loop;
  update animus.batches b set state = 'ended', ended_as = 'lost', ended_at = v_now, problem = 'its provider has been gone for 30 days'
   where b.place = p_place and b.state <> 'ended' and b.created_at < v_now - interval '30 days'
     and not exists (select from animus.batch_requests r where r.batch_id = b.id and r.state = 'sent');
  return v_count;
end $$;

-- Returns what waits for batches, by provider and place: requests in the outbox, batches at the provider and their requests, and the newest problem; where turns
-- wait that no running daemon can ask about, that one.
-- Locks: none. Raises: nothing.
create or replace function animus.batch_status() returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: reader, operator, daemon.
begin
  -- A new session takes 5 ms for the plan of what follows.
  if not exists (select from animus.batch_requests r where r.state = 'waiting') and not exists (select from animus.batches b where b.state <> 'ended') then
    return '{"batches": []}';
  end if;
  return (
    select jsonb_build_object('batches', coalesce(jsonb_agg(jsonb_build_object('provider', p.provider, 'outbox', o.n, 'oldest_at', least(o.oldest, b.oldest),
             'batches', b.n, 'requests', b.requests, 'unclear', b.unclear, 'problem', coalesce(
               case when s.n > 0 then format('no running daemon has this provider any more (%s), so nobody asks for %s there; work that waits for them asks a person: animus inbox',
                 p.place, case s.n when 1 then 'a turn' else s.n || ' turns' end) end,
               (select n.problem from animus.batches n
                 where n.place = p.place and n.provider = p.provider and (n.state <> 'ended' or o.n > 0 and n.ended_at > animus.now() - interval '1 hour')
                 order by n.created_at desc limit 1))) order by p.provider, p.place), '[]'))
      from (select provider, place from animus.batch_requests where state = 'waiting' union select provider, place from animus.batches where state <> 'ended') p
      cross join lateral (select count(*) as n, min(created_at) as oldest from animus.batch_requests r
                           where r.provider = p.provider and r.place = p.place and r.state = 'waiting') o
      cross join lateral (select count(*) as n, coalesce(sum(requests), 0) as requests, min(created_at) as oldest,
                                 count(*) filter (where state = 'submitting' and unclear_at < animus.now()) as unclear
                            from animus.batches a where a.provider = p.provider and a.place = p.place and a.state <> 'ended') b
      cross join lateral (select count(*) as n from animus.batch_requests r
                            join animus.foci f on f.id = r.focus_id and f.ended_as is null
                            join animus.waits w on w.work_item_id = r.work_item_id and w.call_id = r.id::text and w.result ? 'stranded'
                           where r.provider = p.provider and r.place = p.place and r.state in ('waiting', 'sent') and not animus.is_polled(p.place)) s);
end $$;
