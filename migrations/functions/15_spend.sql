-- Spend: every model call appends a row to animus.spend_calls, and a daemon adds these rows up in animus.spend_sums now and then.
-- animus.spend and animus.spend_details are the sums of both, exact at every moment. animus.spend_days has the sums from before 0028.

-- Makes animus.spend, until now a table, the view of both. Nothing that is running may still insert into the table, so callers make sure
-- that the functions which do were replaced long enough ago. Views and grants of others stay: a view of theirs shows the days alone.
-- Locks: animus.spend, exclusively. Raises: nothing.
create or replace function animus.publish_spend() returns void
language plpgsql as $$
declare
  v_grant record;
begin
  if to_regclass('animus.spend_days') is not null then return; end if;
  alter table animus.spend rename to spend_days;
  perform animus.define_spend_views();
  for v_grant in
    select r.rolname from pg_class c cross join aclexplode(c.relacl) a join pg_roles r on r.oid = a.grantee
     where c.oid = 'animus.spend_days'::regclass and a.privilege_type = 'SELECT' and a.grantee <> c.relowner
  loop
    execute format('grant select on animus.spend, animus.spend_details, animus.visible_spend to %I', v_grant.rolname);
  end loop;
  if to_regrole('animus_gateway') is not null then grant select on animus.visible_spend to animus_gateway; end if;
end $$;

-- Creates the views of what was spent, or replaces them. spend has one row per faculty, model and day; the rows of spend_details are parts of
-- such sums, for readers to add up, because adding up twice takes twice the time. Its operation, submitter and source are null where they are not known; the setting
-- spend_details_since says from when on the first two are recorded. Code that an item runs without a model (engage mode code) is recorded as a turn of animus/code,
-- and counted in code_runs, not in calls. usd is all that counts: what answers have cost, as far as it is known, and lost_usd, of requests that gave
-- nothing. estimated_usd is the part of it whose tokens the provider did not count. unpriced_calls counts the calls and lost requests that usd is without, uncounted_calls those
-- that the tokens are without; assumed_tokens is what limits count for these, and for lost requests. A call counts for the day on which it began.
-- Locks: the views, exclusively. Raises: nothing.
create or replace function animus.define_spend_views() returns void
language plpgsql as $$
begin
  -- The table of the days gets its name when it is published.
  execute format($view$
  create or replace view animus.spend_details as
    select s.faculty, s.model, case when s.model = 'animus/code' then 'code' else s.operation end as operation, s.submitter, s.day, s.usd + s.lost_usd as usd, s.input_tokens,
           s.output_tokens, case when s.model = 'animus/code' then 0 else s.calls end as calls, case when s.model = 'animus/code' then s.calls else 0 end as code_runs,
           s.unpriced_calls, s.estimated_usd, s.lost_usd, s.lost_requests, s.uncounted_calls, s.assumed_tokens, split_part(s.model, '/', 1) as provider, s.source
      from (
        select faculty, model, operation, nullif(submitter, '') as submitter, nullif(source, '') as source, day, usd, estimated_usd, lost_usd, lost_requests,
               input_tokens, output_tokens, assumed_tokens, calls, unpriced_calls, uncounted_calls
          from animus.spend_sums
        union all
        select faculty, model, operation, submitter, source, day, coalesce(usd, 0), case when estimated then coalesce(usd, 0) else 0 end, lost_usd, lost_requests,
               input_tokens, output_tokens, assumed_tokens, calls, lost_unpriced + case when usd is null then calls else 0 end, case when counted then 0 else calls end
          from animus.spend_calls
        union all
        select faculty, model, null, null, null, day, usd, 0, 0, 0, input_tokens, output_tokens, 0, calls, 0, 0 from animus.%I) s$view$,
    case when to_regclass('animus.spend_days') is null then 'spend' else 'spend_days' end);
  -- For gateways, beside the views of 32_visible.sql: the spend of the actor's own work, or of all.
  create or replace view animus.visible_spend as
    select s.faculty, s.model, s.operation, s.submitter, s.day, s.usd, s.input_tokens, s.output_tokens, s.calls, s.code_runs, s.unpriced_calls, s.estimated_usd,
           s.lost_usd, s.lost_requests, s.uncounted_calls, s.assumed_tokens, s.provider, s.source
      from animus.spend_details s where s.submitter = (select animus.actor()) or (select animus.sees_all());
  if to_regclass('animus.spend_days') is null then return; end if;
  create or replace view animus.spend as
    select faculty, model, day, sum(usd) as usd, sum(input_tokens)::bigint as input_tokens,
           sum(output_tokens)::bigint as output_tokens, sum(calls)::bigint as calls, sum(code_runs)::bigint as code_runs,
           sum(unpriced_calls)::bigint as unpriced_calls, sum(estimated_usd) as estimated_usd, sum(lost_usd) as lost_usd,
           sum(lost_requests)::bigint as lost_requests, sum(uncounted_calls)::bigint as uncounted_calls, sum(assumed_tokens)::bigint as assumed_tokens
      from animus.spend_details
     group by faculty, model, day;
end $$;

drop function if exists animus.known_cost(numeric, bigint);
-- Returns a sum of costs as people are told it: null where nothing is known of it, because the cost of none of its calls is. A free call is known.
-- p_calls: with those of unknown cost, and with lost requests; 0 where they were not counted yet (before 0065).
-- Locks: none. Raises: nothing.
create or replace function animus.known_cost(p_usd numeric, p_unpriced_calls bigint, p_calls bigint) returns numeric
language sql immutable parallel safe as $$
  select case when p_unpriced_calls > 0 and p_unpriced_calls >= p_calls then nullif(p_usd, 0) else p_usd end
$$;

-- Returns a sum of tokens as people are told it: null where no call of it was counted.
-- Locks: none. Raises: nothing.
create or replace function animus.known_tokens(p_tokens bigint, p_uncounted_calls bigint, p_calls bigint) returns bigint
language sql immutable parallel safe as $$
  select case when p_uncounted_calls > 0 and p_uncounted_calls >= p_calls then nullif(p_tokens, 0) else p_tokens end
$$;

-- Returns whether what an answer has cost is an estimate: its tokens are not those that the provider counted. Without counts, a cost can be nothing else; a cost
-- that is not known is none.
-- Locks: none. Raises: nothing.
create or replace function animus.is_estimate(p_usage jsonb, p_cost_usd numeric) returns boolean
language sql immutable parallel safe as $$
  select p_cost_usd is not null and coalesce((p_usage ->> 'estimated')::boolean, p_usage is null and p_cost_usd > 0)
$$;

-- Returns who submitted an item; null if that is not known.
-- Locks: none. Raises: nothing.
create or replace function animus.submitter_of(p_id uuid) returns text
language sql stable as $$
  select submitted_by from animus.work_items where id = p_id
$$;

-- Returns what an item says about its origin; null if that is not known.
-- Locks: none. Raises: nothing.
create or replace function animus.source_of(p_id uuid) returns text
language sql stable as $$
  select source from animus.work_items where id = p_id
$$;

-- Returns the model that a turn was asked of, as `provider/model`: that of its answer, or as its batch says, or that of the newest answer before it, or of the settings
-- of the focus. p_turn: 0, of the call under way that is not a turn.
-- Locks: none. Raises: nothing.
create or replace function animus.model_asked(p_focus_id uuid, p_turn int) returns text
language sql stable as $$
  select coalesce(
    (select t.reserved_for ->> 'model' from animus.turns t where p_turn = 0 and t.focus_id = p_focus_id and t.open_request is not null limit 1),
    (select t.provider || '/' || t.model from animus.turns t where t.focus_id = p_focus_id and t.turn = p_turn),
    (select r.provider || '/' || r.model from animus.batch_requests r where r.focus_id = p_focus_id and r.turn = p_turn order by r.created_at desc limit 1),
    (select t.provider || '/' || t.model from animus.turns t where t.focus_id = p_focus_id and (t.turn <= p_turn or p_turn = 0) and t.model is not null order by t.turn desc limit 1),
    (select coalesce((e.engage #>> array['providers', e.engage ->> 'model', 'name']) || '/', '')
            || case when e.engage #>> array['providers', e.engage ->> 'model', 'name'] = split_part(e.engage ->> 'model', '/', 1)
                    then substr(e.engage ->> 'model', strpos(e.engage ->> 'model', '/') + 1) else e.engage ->> 'model' end
       from (select coalesce(f.faculty_snapshot, s.faculty_snapshot) -> 'engage' as engage
               from animus.foci f left join animus.focus_settings s on s.id = f.settings_id where f.id = p_focus_id) e),
    '(unknown)')
$$;

-- Charges an item with a call that is not a turn of its open focus, or with lost requests (p_calls 0): in its own sums, and in the spend. p_usage: {input, output,
-- estimated} | null. p_usd: null if it is not known. p_lost_unpriced: of the lost requests, those of unknown cost. p_assumed: tokens that limits count without a count.
-- Locks: none beyond those of the caller, who has locked the item. Raises: nothing.
create or replace function animus.charge_item(
  p_id uuid, p_model text, p_day date, p_operation text, p_calls int, p_usd numeric, p_usage jsonb, p_lost int, p_lost_usd numeric, p_lost_unpriced int,
  p_assumed bigint) returns void
language plpgsql as $$
declare
  v_input     bigint := coalesce((p_usage ->> 'input')::bigint, 0);
  v_output    bigint := coalesce((p_usage ->> 'output')::bigint, 0);
  v_estimated boolean := animus.is_estimate(p_usage, p_usd);
  v_item      record;
begin
  update animus.work_items w
     set cost_usd = w.cost_usd + coalesce(p_usd, 0), estimated_usd = w.estimated_usd + case when v_estimated then p_usd else 0 end,
         lost_usd = w.lost_usd + p_lost_usd, lost_requests = w.lost_requests + p_lost, calls = w.calls + p_calls,
         unpriced_calls = w.unpriced_calls + p_lost_unpriced + case when p_usd is null then p_calls else 0 end,
         uncounted_calls = w.uncounted_calls + case when p_usage is null then p_calls else 0 end, input_tokens = w.input_tokens + v_input,
         output_tokens = w.output_tokens + v_output, assumed_tokens = w.assumed_tokens + p_assumed
   where w.id = p_id
  returning w.faculty, case when w.depth = 0 then w.submitted_by else animus.submitter_of(w.root_id) end as submitter,
            case when w.depth = 0 then w.source else animus.source_of(w.root_id) end as source into v_item;
  if not found then return; end if;
  insert into animus.spend_calls (faculty, model, day, usd, input_tokens, output_tokens, operation, submitter, source, calls, estimated, counted, lost_requests, lost_usd,
                                  lost_unpriced, assumed_tokens)
  values (v_item.faculty, p_model, p_day, p_usd, v_input, v_output, p_operation, v_item.submitter, v_item.source, p_calls, v_estimated, p_usage is not null or p_calls = 0,
          p_lost, p_lost_usd, p_lost_unpriced, p_assumed);
end $$;

-- Counts requests that were lost with a turn where everything is counted: in its item and in the spend. Code that changes what a turn has lost need not know about it.
-- A side call is reserved in the row of the newest turn, which says what it is for (reserved_for).
-- Locks: the item's row, which the one that may change the turn has locked. Raises: nothing.
create or replace function animus.count_loss() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.charge_item(f.work_item_id, coalesce(old.reserved_for ->> 'model', animus.model_asked(new.focus_id, new.turn)),
      coalesce(old.reserved_on, (old.begun_at at time zone 'UTC')::date), case when old.reserved_on is null then 'turn' else old.reserved_for ->> 'operation' end,
      0, 0, null, new.lost_requests - old.lost_requests, new.lost_usd - old.lost_usd,
      new.lost_unpriced - old.lost_unpriced, (new.lost_requests - old.lost_requests) * old.reserved_tokens)
     from animus.foci f where f.id = new.focus_id;
  return null;
end $$;
