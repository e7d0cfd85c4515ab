-- Sums of spend: what an item, a tree or the whole appliance has cost, and how calls are added up.

-- Returns the requests under way: turns that were begun and not recorded, of items that are worked on or in a batch, and side calls (turn 0). usd and
-- tokens: what each may cost at most, as far as that is reserved; request: its name; operation: `turn`, or what the call is for. p_scope: 'item', 'root', 'faculty' or 'appliance'. It reads what is active, and nothing else.
-- Locks: none. Raises: nothing.
create or replace function animus.requests_under_way(p_scope text, p_subject text)
returns table (work_item_id uuid, faculty text, root_id uuid, focus_id uuid, turn int, token bigint, request uuid, begun_at timestamptz,
               usd numeric, tokens bigint, operation text)
language plpgsql stable as $$
declare
  v_ids uuid[];
begin
  v_ids := case p_scope
    when 'item' then array[p_subject::uuid]
    when 'root' then array(select w.id from animus.work_items w where w.root_id = p_subject::uuid and w.depth > 0 and w.resolved_at is null) || p_subject::uuid
    when 'faculty' then array(select w.id from animus.work_items w where w.faculty = p_subject and w.state in ('claimed', 'running'))
    else array(select w.id from animus.work_items w where w.state in ('claimed', 'running')) end;
  return query
    select w.id, w.faculty, w.root_id, f.id, case when t.reserved_on is null then t.turn else 0 end, w.lease_token, t.open_request,
           coalesce(t.reserved_on::timestamp at time zone 'UTC', t.begun_at),
           case when t.open_request is null then 0 else coalesce(t.reserved_usd, 0) end, case when t.open_request is null then 0 else t.reserved_tokens end,
           case when t.reserved_on is null then 'turn' else t.reserved_for ->> 'operation' end
      from unnest(v_ids) i (id) join animus.work_items w on w.id = i.id and w.state in ('claimed', 'running')
      join animus.foci f on f.work_item_id = w.id and f.ended_as is null
      join animus.turns t on t.focus_id = f.id and t.turn = (select max(n.turn) from animus.turns n where n.focus_id = f.id)
           and (t.open_request is not null or t.recorded_at is null and t.reserved_on is null)
     where not animus.turn_under_way(t.focus_id, t.turn)
    union all
    select w.id, w.faculty, w.root_id, t.focus_id, t.turn, w.lease_token, t.open_request, t.begun_at, coalesce(t.reserved_usd, 0), t.reserved_tokens, 'turn'
      from animus.batch_requests r
      join animus.turns t on t.focus_id = r.focus_id and t.turn = r.turn and t.recorded_at is null
      join animus.work_items w on w.id = r.work_item_id
     where r.state in ('waiting', 'sent', 'answered')
       and case p_scope when 'item' then w.id = p_subject::uuid when 'root' then w.root_id = p_subject::uuid when 'faculty' then w.faculty = p_subject else true end;
end $$;

-- Returns what costs returns, for a scope that is known.
-- Locks: none. Raises: nothing.
create or replace function animus.count_costs(p_scope text, p_subject text, p_since date, p_until date,
  out usd numeric, out recorded_usd numeric, out estimated_usd numeric, out lost_usd numeric, out held_usd numeric, out calls bigint, out lost_requests bigint,
  out unpriced_calls bigint, out uncounted_calls bigint, out input_tokens bigint, out output_tokens bigint, out assumed_tokens bigint, out held_tokens bigint)
language plpgsql stable as $$
declare
  v_memories record;
begin
  if p_scope in ('item', 'root') then
    -- Qualified: the results have the names of columns.
    select sum(w.cost_usd + w.lost_usd), sum(w.estimated_usd), sum(w.lost_usd), sum(w.lost_requests), sum(w.calls), sum(w.unpriced_calls), sum(w.uncounted_calls), sum(w.input_tokens),
           sum(w.output_tokens), sum(w.assumed_tokens)
      into usd, estimated_usd, lost_usd, lost_requests, calls, unpriced_calls, uncounted_calls, input_tokens, output_tokens, assumed_tokens
      from animus.work_items w where w.id = p_subject::uuid or (p_scope = 'root' and w.root_id = p_subject::uuid and w.depth > 0);
  else
    select sum(s.usd), sum(s.estimated_usd), sum(s.lost_usd), sum(s.lost_requests), sum(s.calls), sum(s.unpriced_calls), sum(s.uncounted_calls), sum(s.input_tokens), sum(s.output_tokens),
           sum(s.assumed_tokens)
      into usd, estimated_usd, lost_usd, lost_requests, calls, unpriced_calls, uncounted_calls, input_tokens, output_tokens, assumed_tokens
      from animus.spend_details s
     where s.day >= coalesce(p_since, '-infinity') and s.day < coalesce(p_until, 'infinity')
       and (p_scope = 'appliance' or p_subject = case p_scope when 'faculty' then s.faculty when 'model' then s.model when 'provider' then s.provider
              when 'operation' then s.operation when 'submitter' then s.submitter when 'source' then s.source end);
  end if;
  select sum(u.usd), sum(u.tokens) into held_usd, held_tokens
    from animus.requests_under_way(case when p_scope in ('item', 'root', 'faculty') then p_scope else 'appliance' end, p_subject) u
    join animus.work_items r on r.id = u.root_id
   where (u.begun_at at time zone 'UTC')::date >= coalesce(p_since, '-infinity') and (u.begun_at at time zone 'UTC')::date < coalesce(p_until, 'infinity')
     and case p_scope when 'model' then animus.model_asked(u.focus_id, u.turn) = p_subject when 'provider' then split_part(animus.model_asked(u.focus_id, u.turn), '/', 1) = p_subject
                      when 'operation' then u.operation = p_subject when 'submitter' then r.submitted_by = p_subject
                      when 'source' then r.source = p_subject else true end;
  -- Embeddings of memories belong to no item.
  select coalesce(sum(e.held_usd), 0) as usd, coalesce(sum(e.held_tokens), 0) as tokens into v_memories
    from animus.embedders e
   where (e.begun_at at time zone 'UTC')::date >= coalesce(p_since, '-infinity') and (e.begun_at at time zone 'UTC')::date < coalesce(p_until, 'infinity')
     and case p_scope when 'appliance' then true when 'faculty' then p_subject = '(memory)' when 'model' then p_subject = e.model
                      when 'provider' then p_subject = split_part(e.model, '/', 1) when 'operation' then p_subject = 'embedding' else false end;
  held_usd := coalesce(held_usd, 0) + v_memories.usd; held_tokens := coalesce(held_tokens, 0) + v_memories.tokens;
  usd := coalesce(usd, 0); estimated_usd := coalesce(estimated_usd, 0); lost_usd := coalesce(lost_usd, 0);
  recorded_usd := usd - estimated_usd - lost_usd;
  calls := coalesce(calls, 0); lost_requests := coalesce(lost_requests, 0); unpriced_calls := coalesce(unpriced_calls, 0); uncounted_calls := coalesce(uncounted_calls, 0);
  input_tokens := coalesce(input_tokens, 0); output_tokens := coalesce(output_tokens, 0); assumed_tokens := coalesce(assumed_tokens, 0);
end $$;

-- Returns what work has cost, for anything that people ask about: every place that shows such sums uses it, or the rows that it adds up. p_scope: 'item' or
-- 'root' (with its descendants), with an id of existing work; 'appliance'; or a column of spend_details: 'faculty', 'model', 'provider', 'operation', 'submitter', 'source',
-- with its value, on days from p_since on and before p_until. usd: recorded_usd + estimated_usd + lost_usd; held_usd, what the requests under way may
-- cost besides, at most.
-- Locks: none. Raises: WA004.
create or replace function animus.costs(p_scope text, p_subject text default '', p_since date default null, p_until date default null,
  out usd numeric, out recorded_usd numeric, out estimated_usd numeric, out lost_usd numeric, out held_usd numeric, out calls bigint, out lost_requests bigint,
  out unpriced_calls bigint, out uncounted_calls bigint, out input_tokens bigint, out output_tokens bigint, out assumed_tokens bigint, out held_tokens bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: reader, operator, daemon.
begin
  if p_scope not in ('item', 'root', 'appliance', 'faculty', 'model', 'provider', 'operation', 'submitter', 'source') then
    perform animus.raise('WA004', format('costs are not counted by %s', p_scope), null,
      'scope item, root, appliance, faculty, model, provider, operation, submitter or source');
  end if;
  select c.* into usd, recorded_usd, estimated_usd, lost_usd, held_usd, calls, lost_requests, unpriced_calls, uncounted_calls, input_tokens, output_tokens, assumed_tokens, held_tokens
    from animus.count_costs(p_scope, p_subject, p_since, p_until) c;
end $$;

-- Adds up at most p_limit calls. Returns how many, and what they have cost by faculty and model, for the metrics of the daemon that has added them up:
-- [{faculty, model, usd, estimated_usd, lost_usd, unpriced_calls}]. count is null where the calls of a version that wrote the sums itself may still be running:
-- within a minute after the upgrade.
-- Locks: the rows of the calls, and skips those that others have locked; the rows of their days. Raises: 55P03 when
-- somebody holds animus.spend for more than 100 ms, once, after an upgrade.
create or replace function animus.add_up_spend(p_limit int default 10000, out count int, out added jsonb)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_since  timestamptz;
  v_before constant text := current_setting('lock_timeout');
begin
  added := '[]';
  if to_regclass('animus.spend_days') is null then
    select (value #>> '{}')::timestamptz into v_since from animus.settings where key = 'spend_calls_since';
    if v_since is null or v_since > animus.now() - interval '1 minute' then return; end if;
    perform set_config('lock_timeout', '100ms', true);
    perform animus.publish_spend();
    perform set_config('lock_timeout', v_before, true);
  end if;
  with gone as (
    delete from animus.spend_calls where ctid = any (array(select ctid from animus.spend_calls limit p_limit for update skip locked))
    returning at, day, faculty, model, operation, coalesce(submitter, '') as submitter, coalesce(source, '') as source, coalesce(usd, 0) as usd,
              case when estimated then coalesce(usd, 0) else 0 end as estimated_usd, lost_usd, lost_requests, input_tokens, output_tokens, assumed_tokens, calls,
              lost_unpriced + case when usd is null then calls else 0 end as unpriced_calls, case when counted then 0 else calls end as uncounted_calls),
  sums as (
    insert into animus.spend_sums as d (day, faculty, model, operation, submitter, source, usd, estimated_usd, lost_usd, lost_requests, input_tokens, output_tokens,
                                        assumed_tokens, calls, unpriced_calls, uncounted_calls)
    -- In order, so that two daemons cannot wait for each other.
    select g.day, g.faculty, g.model, g.operation, g.submitter, g.source, sum(g.usd), sum(g.estimated_usd), sum(g.lost_usd), sum(g.lost_requests), sum(g.input_tokens), sum(g.output_tokens),
           sum(g.assumed_tokens), sum(g.calls), sum(g.unpriced_calls), sum(g.uncounted_calls)
      from gone g group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
    on conflict (day, faculty, model, operation, submitter, source) do update
       set usd = d.usd + excluded.usd, estimated_usd = d.estimated_usd + excluded.estimated_usd, lost_usd = d.lost_usd + excluded.lost_usd,
           lost_requests = d.lost_requests + excluded.lost_requests,
           input_tokens = d.input_tokens + excluded.input_tokens, output_tokens = d.output_tokens + excluded.output_tokens,
           assumed_tokens = d.assumed_tokens + excluded.assumed_tokens, calls = d.calls + excluded.calls, unpriced_calls = d.unpriced_calls + excluded.unpriced_calls,
           uncounted_calls = d.uncounted_calls + excluded.uncounted_calls),
  hours as (
    insert into animus.activity_spend as a (unit, at, faculty, submitter, usd, input_tokens, output_tokens)
    select u.unit, animus.interval_of(u.unit, coalesce(g.at, g.day::timestamp at time zone 'UTC')), g.faculty, g.submitter, sum(g.usd + g.lost_usd), sum(g.input_tokens), sum(g.output_tokens)
      from gone g cross join (values ('minute'), ('hour')) u (unit) group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (unit, at, faculty, submitter) do update
       set usd = a.usd + excluded.usd, input_tokens = a.input_tokens + excluded.input_tokens, output_tokens = a.output_tokens + excluded.output_tokens)
  select coalesce(sum(m.n), 0), coalesce(jsonb_agg(jsonb_build_object('faculty', m.faculty, 'model', m.model, 'usd', m.usd, 'estimated_usd', m.estimated_usd, 'lost_usd', m.lost_usd,
           'unpriced_calls', m.unpriced_calls)), '[]')
    into count, added
    from (select g.faculty, g.model, count(*) as n, sum(g.usd) as usd, sum(g.estimated_usd) as estimated_usd, sum(g.lost_usd) as lost_usd, sum(g.unpriced_calls) as unpriced_calls
            from gone g group by 1, 2) m;
end $$;

drop function if exists animus.roll_up_spend(int);

-- A database without any focus has no call of an older version under way.
do $$
begin
  insert into animus.settings (key, value) values ('spend_calls_since', to_jsonb(animus.now())) on conflict (key) do nothing;
  perform animus.define_spend_views();
  if not exists (select from animus.foci) then perform animus.publish_spend(); end if;
end $$;
