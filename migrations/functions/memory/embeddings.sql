-- Embeddings that no focus asks for: one daemon at a time makes those of memories, under the limits for all work. docs/memory.md describes it.

-- Begins a request for embeddings of memories, and makes the daemon the only one that sends any for this model, for a limited time. Holds what the
-- request may cost at most under every limit for all work; p_usd: null without a price. Returns {permit, held, message, seconds}: 'go'; 'busy', another
-- daemon does it; 'resting', after a failure, for so many seconds; 'paused', by an operator; 'budget', message names the limit;
-- 'budget_busy', only turns under way are in the way. held is for end_embedding. A request whose daemon dies counts with all that was held.
-- Locks: the row of the model; accounts and slices, account by account, and waits a fifth of a second at most for each. Raises: nothing.
create or replace function animus.begin_embedding(p_daemon_id uuid, p_model text, p_for interval, p_usd numeric, p_tokens bigint) returns json
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms' as $$
declare
  v_now  timestamptz := animus.now();
  v_row  animus.embedders;
  v_held jsonb;
begin
  if exists (select from animus.pauses p where p.faculty = '*' and (p.until is null or p.until > v_now)) then
    return json_build_object('permit', 'paused');
  end if;
  insert into animus.embedders as e (model, daemon_id, until) values (p_model, p_daemon_id, v_now + p_for)
  on conflict (model) do update set daemon_id = excluded.daemon_id, until = excluded.until
   where (e.daemon_id = excluded.daemon_id or e.until <= v_now) and (e.resume_at is null or e.resume_at <= v_now);
  if not found then
    select e.* into v_row from animus.embedders e where e.model = p_model;
    return json_build_object('permit', case when v_row.resume_at > v_now then 'resting' else 'busy' end,
      'seconds', greatest(ceil(extract(epoch from case when v_row.resume_at > v_now then v_row.resume_at else v_row.until end - v_now)), 1));
  end if;
  perform animus.lose_embeddings(p_model);
  v_held := animus.hold_for_all(p_daemon_id, p_usd, p_tokens);
  if v_held ->> 'permit' <> 'go' then return v_held; end if;
  update animus.embedders e set held_usd = p_usd, held_tokens = p_tokens, begun_at = v_now where e.model = p_model;
  return jsonb_set(v_held, '{held}', v_held -> 'held' || jsonb_build_object('begun_at', v_now, 'usd', p_usd, 'tokens', p_tokens));
exception when lock_not_available or deadlock_detected then
  return json_build_object('permit', 'budget_busy');
end $$;

-- Counts embedding requests as lost that were begun and never ended. p_model: those of this model, before the next one begins; null: those whose daemon has let their time
-- pass. Their cost is spent already under the limits for all work.
-- Locks: the rows of the models, and skips those that others have locked. Raises: nothing.
create or replace function animus.lose_embeddings(p_model text) returns void
language sql as $$
  with over as (
    select e.model, e.held_usd, e.held_tokens, e.begun_at from animus.embedders e
     where e.begun_at is not null and case when p_model is null then e.until < animus.now() else e.model = p_model end for update skip locked),
  freed as (update animus.embedders e set held_usd = 0, held_tokens = 0, begun_at = null from over o where e.model = o.model)
  insert into animus.spend_calls (faculty, model, day, usd, input_tokens, output_tokens, operation, calls, lost_requests, lost_usd, lost_unpriced,
                                  assumed_tokens)
  select '(memory)', o.model, (o.begun_at at time zone 'UTC')::date, 0, 0, 0, 'embedding', 0, 1, coalesce(o.held_usd, 0), (o.held_usd is null)::int, o.held_tokens from over o
$$;

-- Extends the time of a daemon while its request runs. False: another daemon has taken over.
-- Locks: the row of the model. Raises: nothing.
create or replace function animus.extend_embedding(p_daemon_id uuid, p_model text, p_for interval) returns boolean
language sql security definer set search_path = pg_catalog, pg_temp as $$
  with extended as (update animus.embedders set until = animus.now() + p_for where model = p_model and daemon_id = p_daemon_id returning 1)
  select exists (select from extended)
$$;

-- Holds amounts in every account of the limits for all work, or in none, as spent by the daemon. Returns as begin_embedding.
-- Locks: accounts and slices, account by account. Raises: nothing.
create or replace function animus.hold_for_all(p_daemon_id uuid, p_usd numeric, p_tokens bigint) returns json
language plpgsql as $$
declare
  v_limit record;
  v_need  numeric;
  v_spent numeric;
  v_held  jsonb := '[]';
  v_why   json;
begin
  for v_limit in
    select animus.budget_account(b.scope, b.subject, b.unit, b.period, b.starts) as id, b.* from animus.budget_of(null, animus.now()) b order by id
  loop
    v_need := case v_limit.unit when 'usd' then p_usd else p_tokens end;
    if v_need is null then
      v_why := json_build_object('permit', 'budget', 'message', format('%s cannot be kept: the embedding model has no price (give it one in animus.toml, or limit tokens)',
        animus.budget_name(v_limit.scope, v_limit.subject, v_limit.unit, v_limit.period, v_limit.starts, v_limit.amount)));
      raise exception using errcode = 'WA000';
    end if;
    if not animus.take_budget(v_limit.id, p_daemon_id, v_need, 0, 0, v_limit.amount, false) then
      select a.spent into v_spent from animus.budget_accounts a where a.id = v_limit.id;
      v_why := case when v_limit.amount - v_spent >= v_need then json_build_object('permit', 'budget_busy') else
        json_build_object('permit', 'budget', 'message', format('%s would be exceeded: %s spent so far, and the next request may cost %s',
          animus.budget_name(v_limit.scope, v_limit.subject, v_limit.unit, v_limit.period, v_limit.starts, v_limit.amount), trim_scale(v_spent), trim_scale(v_need))) end;
      raise exception using errcode = 'WA000';
    end if;
    perform animus.credit_slice(v_limit.id, p_daemon_id, 0, v_need);
    v_held := v_held || jsonb_build_object('account', v_limit.id, 'unit', v_limit.unit, 'amount', v_need);
  end loop;
  return json_build_object('permit', 'go', 'held', v_held);
exception when sqlstate 'WA000' then
  return v_why;
end $$;

-- Ends a request for embeddings of memories, in the transaction that stores them. p_held: as begin_embedding has returned it; p_call: {provider, model,
-- tokens, cost_usd, estimated, lost}, 0 tokens if it cost nothing; estimated: nobody has counted the tokens; lost: it returned nothing, and may have cost that. p_problem: why it failed; then no daemon asks this model for p_delay at least, and longer after
-- each further failure, up to ten minutes. Returns for how many seconds.
-- Locks: slices; the row of the model. Raises: nothing.
create or replace function animus.end_embedding(
  p_daemon_id uuid, p_model text, p_held json, p_call json, p_problem text default null, p_delay interval default '0') returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now   timestamptz := animus.now();
  v_begun record;
  v_held  record;
  v_cost  numeric;
  v_delay int;
begin
  select h.* into v_begun from json_to_recordset(p_held) as h (begun_at timestamptz, usd numeric, tokens bigint) where h.begun_at is not null;
  for v_held in
    select h.account, h.unit, h.amount from json_to_recordset(p_held) as h (account bigint, unit text, amount numeric) where h.account is not null
    union all
    -- Accounts that were made since it began, with what it held.
    select a.id, a.unit, case a.unit when 'usd' then coalesce(v_begun.usd, 0) else v_begun.tokens end
      from animus.budget_accounts a
     where a.scope = 'appliance' and a.starts = animus.period_start(a.period, v_begun.begun_at)
       and not exists (select from json_to_recordset(p_held) as h (account bigint) where h.account = a.id)
     order by account
  loop
    v_cost := case v_held.unit when 'usd' then coalesce((p_call ->> 'cost_usd')::numeric, v_held.amount) else (p_call ->> 'tokens')::bigint end;
    perform animus.credit_slice(v_held.account, p_daemon_id, v_held.amount - v_cost, v_cost - v_held.amount);
  end loop;
  update animus.embedders e set held_usd = 0, held_tokens = 0, begun_at = null where e.model = p_model and e.begun_at = v_begun.begun_at;
  if not found and v_begun.begun_at is not null then
    -- It was counted as lost meanwhile, and is not.
    insert into animus.spend_calls (faculty, model, day, usd, input_tokens, output_tokens, operation, calls, lost_requests, lost_usd, lost_unpriced,
                                    assumed_tokens)
    values ('(memory)', p_model, (v_begun.begun_at at time zone 'UTC')::date, 0, 0, 0, 'embedding', 0, -1, -coalesce(v_begun.usd, 0), -(v_begun.usd is null)::int,
            -v_begun.tokens);
  end if;
  if (p_call ->> 'tokens')::bigint > 0 then
    perform animus.append_embedding_spend(p_call, null, coalesce(v_begun.begun_at, v_now), v_begun.usd);
  end if;
  update animus.embedders e
     set failures = case when p_problem is null then 0 else e.failures + 1 end, problem = animus.cut_text(p_problem, 500),
         problem_at = case when p_problem is not null then v_now end,
         resume_at = case when p_problem is not null then v_now + greatest(p_delay, least(interval '10 minutes', interval '5 seconds' * 2 ^ least(e.failures, 10))) end
   where e.model = p_model and (p_problem is not null or e.failures > 0)
  returning ceil(extract(epoch from e.resume_at - v_now)) into v_delay;
  return v_delay;
end $$;

-- Records what an operator has paid for an embedding of a search by a command. p_call: as for end_embedding. It counts under the limits for all work.
-- Locks: the accounts of those limits. Raises: 42501.
create or replace function animus.charge_embedding(p_call json) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.require_operator();
  perform animus.count_embedding(p_call);
end $$;

-- Records what the embedding of a search has cost that a gateway made for the actor. p_call: as for end_embedding. It counts under the limits for all work.
-- Locks: the accounts of those limits. Raises: nothing.
create or replace function animus.charge_search(p_call json) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: gateway.
begin
  perform animus.count_embedding(p_call);
end $$;

-- Returns why no embedding may be asked for now for a search of a person that may cost so much: all work is paused, or a limit for all work would be exceeded; null: it
-- may. p_usd: null without a price. Nothing is held, so that searches at the same time may pass a limit by what they cost.
-- Locks: none. Raises: nothing.
create or replace function animus.search_refusal(p_usd numeric, p_tokens bigint) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: gateway.
  select case
    when exists (select from animus.pauses p where p.faculty = '*' and (p.until is null or p.until > animus.now())) then 'all work is paused'
    when exists (
      select from animus.budget_of(null, animus.now()) b
        left join animus.budget_accounts a on a.scope = b.scope and a.subject = b.subject and a.unit = b.unit and a.period = b.period and a.starts = b.starts
       where coalesce(b.amount - coalesce(a.spent + a.held, 0) < case b.unit when 'usd' then p_usd else p_tokens end, true))
      then 'the limits for all work do not allow the cost of an embedding'
  end
$$;

-- Adds the cost of an embedding to the limits for all work, and to the spend of the actor.
-- Locks: the accounts of those limits. Raises: nothing.
create or replace function animus.count_embedding(p_call json) returns void
language plpgsql as $$
begin
  update animus.budget_accounts a set spent = a.spent + case a.unit when 'usd' then coalesce((p_call ->> 'cost_usd')::numeric, 0) else (p_call ->> 'tokens')::bigint end
    from animus.budget_of(null, animus.now()) b
   where a.scope = b.scope and a.subject = b.subject and a.unit = b.unit and a.period = b.period and a.starts = b.starts;
  perform animus.append_embedding_spend(p_call, animus.actor(), animus.now(), null);
end $$;

drop function if exists animus.append_embedding_spend(json, text);
-- Appends the cost of embeddings that belong to no faculty, under the name (memory), which no faculty can have. p_held_usd: counts as an estimate where the
-- cost is not known.
-- Locks: none. Raises: nothing.
create or replace function animus.append_embedding_spend(p_call json, p_submitter text, p_begun_at timestamptz, p_held_usd numeric) returns void
language sql as $$
  insert into animus.spend_calls (faculty, model, day, usd, input_tokens, output_tokens, operation, submitter, calls, estimated, lost_requests, lost_usd, lost_unpriced, assumed_tokens)
  select '(memory)', (p_call ->> 'provider') || '/' || (p_call ->> 'model'), (p_begun_at at time zone 'UTC')::date, case when c.lost then 0 else c.usd end,
         case when c.lost then 0 else c.tokens end, 0, 'embedding', p_submitter, (not c.lost)::int, not c.lost and c.estimated, c.lost::int,
         case when c.lost then coalesce(c.usd, 0) else 0 end, (c.lost and c.usd is null)::int, case when c.lost then c.tokens else 0 end
    from (select coalesce((p_call ->> 'cost_usd')::numeric, p_held_usd) as usd, (p_call ->> 'tokens')::bigint as tokens,
                 coalesce((p_call ->> 'lost')::boolean, false) as lost,
                 coalesce((p_call ->> 'estimated')::boolean, p_call ->> 'cost_usd' is null and p_held_usd > 0, false) as estimated) c
$$;

-- Lets another daemon make embeddings with a model at once.
-- Locks: the row of the model. Raises: nothing.
create or replace function animus.leave_embedding(p_daemon_id uuid, p_model text) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  update animus.embedders set until = animus.now() where model = p_model and daemon_id = p_daemon_id and until > animus.now()
$$;

drop function if exists animus.hold_embedding(uuid, bigint, numeric, bigint, uuid);
-- Its last parameter had a default, which no replacement can take away.
drop function if exists animus.hold_embedding(uuid, bigint, numeric, bigint, uuid, text);
-- Reserves what an embedding that a focus asks for may cost at most, holds it under the limits that apply, and returns 'free', no limit applies; 'held'; or 'refused', by a limit. p_attempt names the
-- request: holding for the same one again changes nothing. Of one focus, one such request at a time. record_side_call, lose_turn and give_back_turn end it. p_model: as `provider/model`, for which it
-- counts while it is under way and when it is lost.
-- Locks: the item's row, as hold_lease; accounts and slices for a moment. Raises: WA001, WA003, 57PA1.
create or replace function animus.hold_embedding(
  p_focus_id uuid, p_token bigint, p_usd numeric, p_tokens bigint, p_attempt uuid, p_model text) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_item animus.held_work := animus.hold_focus(p_focus_id, p_token);
  v_held text := 'free';
begin
  if animus.has_budget(v_item.id, v_item.faculty) then
    if exists (select from animus.budget_holds h where h.focus_id = p_focus_id and h.turn = 0 and h.attempt = p_attempt) then return 'held'; end if;
    if animus.hold_budget(v_item, p_focus_id, p_token, 0, p_usd, p_tokens, p_attempt) ->> 'permit' <> 'go' then return 'refused'; end if;
    v_held := 'held';
  end if;
  perform animus.reserve_side_call(p_focus_id, p_attempt, p_usd, p_tokens,
    jsonb_build_object('model', p_model, 'operation', 'embedding'));
  return v_held;
end $$;

-- Returns the state of the embeddings of memories, for `animus status`: {embeddings: {model, dimensions, missing, problem, resume_at}}, or null where no model was
-- prepared. missing: memories without an embedding of the current model, counted up to 10,000; problem: of the last failure.
-- Locks: none. Raises: nothing.
create or replace function animus.embedding_status() returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: reader, operator, daemon.
  with current as (select m.* from animus.memory_models m order by m.prepared_at desc, m.id desc limit 1)
  select jsonb_build_object('embeddings', (
    select jsonb_build_object('model', c.model, 'dimensions', c.dimensions, 'problem', e.problem, 'resume_at', e.resume_at, 'missing', (
             select count(*) from (
               select from animus.memories m where m.merged_into is null and (m.embedded_as is null or m.embedded_as < c.id or m.embedded_as > c.id)
                limit 10000) l))
      from current c left join animus.embedders e on e.model = c.model))
$$;
