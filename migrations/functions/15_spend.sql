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
-- such sums, for readers to add up, because adding up twice takes twice the time. Its operation and submitter are null where they are not known; the setting
-- spend_details_since says from when on they are recorded. Code that an item runs without a model (engage mode code) is recorded as a turn of animus/code,
-- and counted in code_runs, not in calls. usd is the sum of the calls whose cost is known; unpriced_calls counts the others.
-- Locks: the views, exclusively. Raises: nothing.
create or replace function animus.define_spend_views() returns void
language plpgsql as $$
begin
  create or replace view animus.spend_details as
    select s.faculty, s.model, case when s.model = 'animus/code' then 'code' else s.operation end as operation, s.submitter, s.day, s.usd, s.input_tokens,
           s.output_tokens, case when s.model = 'animus/code' then 0 else s.calls end as calls, case when s.model = 'animus/code' then s.calls else 0 end as code_runs,
           s.unpriced_calls
      from (
        select faculty, model, operation, nullif(submitter, '') as submitter, day, usd, input_tokens, output_tokens, calls, unpriced_calls from animus.spend_sums
        union all
        select faculty, model, operation, submitter, day, coalesce(usd, 0)::numeric(14, 6), input_tokens, output_tokens, 1, (usd is null)::int from animus.spend_calls
        union all
        select faculty, model, null, null, day, usd, input_tokens, output_tokens, calls, 0 from animus.spend_days) s;
  create or replace view animus.spend as
    select faculty, model, day, sum(usd)::numeric(14, 6) as usd, sum(input_tokens)::bigint as input_tokens,
           sum(output_tokens)::bigint as output_tokens, sum(calls)::bigint as calls, sum(code_runs)::bigint as code_runs,
           sum(unpriced_calls)::bigint as unpriced_calls
      from animus.spend_details
     group by faculty, model, day;
  -- For gateways, beside the views of 32_visible.sql: the spend of the actor's own work, or of all.
  create or replace view animus.visible_spend as
    select s.faculty, s.model, s.operation, s.submitter, s.day, s.usd, s.input_tokens, s.output_tokens, s.calls, s.code_runs, s.unpriced_calls
      from animus.spend_details s where s.submitter = (select animus.actor()) or (select animus.sees_all());
end $$;

-- Returns a sum of costs as people are told it: null where calls are in it and the cost of none is known.
-- Locks: none. Raises: nothing.
create or replace function animus.known_cost(p_usd numeric, p_unpriced_calls bigint) returns numeric
language sql immutable parallel safe as $$
  select case when p_unpriced_calls > 0 then nullif(p_usd, 0) else p_usd end
$$;

-- Returns who submitted an item; null if that is not known.
-- Locks: none. Raises: nothing.
create or replace function animus.submitter_of(p_id uuid) returns text
language sql stable as $$
  select submitted_by from animus.work_items where id = p_id
$$;

-- Adds up at most p_limit calls. Returns how many, or null where the calls of a version that wrote the sums itself may still be running:
-- within a minute after the upgrade.
-- Locks: the rows of the calls, and skips those that others have locked; the rows of their days. Raises: 55P03 when
-- somebody holds animus.spend for more than 100 ms, once, after an upgrade.
create or replace function animus.roll_up_spend(p_limit int default 10000) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_since  timestamptz;
  v_before constant text := current_setting('lock_timeout');
  v_count  int;
begin
  if to_regclass('animus.spend_days') is null then
    select (value #>> '{}')::timestamptz into v_since from animus.settings where key = 'spend_calls_since';
    if v_since is null or v_since > animus.now() - interval '1 minute' then return null; end if;
    perform set_config('lock_timeout', '100ms', true);
    perform animus.publish_spend();
    perform set_config('lock_timeout', v_before, true);
  end if;
  with calls as (
    delete from animus.spend_calls where ctid = any (array(select ctid from animus.spend_calls limit p_limit for update skip locked))
    returning day, faculty, model, operation, coalesce(submitter, '') as submitter, usd, input_tokens, output_tokens),
  added as (
    insert into animus.spend_sums as d (day, faculty, model, operation, submitter, usd, input_tokens, output_tokens, calls, unpriced_calls)
    -- In order, so that two daemons cannot wait for each other.
    select day, faculty, model, operation, submitter, coalesce(sum(usd), 0), sum(input_tokens), sum(output_tokens), count(*), count(*) filter (where usd is null) from calls
     group by day, faculty, model, operation, submitter order by day, faculty, model, operation, submitter
    on conflict (day, faculty, model, operation, submitter) do update
       set usd = d.usd + excluded.usd, input_tokens = d.input_tokens + excluded.input_tokens,
           output_tokens = d.output_tokens + excluded.output_tokens, calls = d.calls + excluded.calls,
           unpriced_calls = d.unpriced_calls + excluded.unpriced_calls)
  select count(*) into v_count from calls;
  return v_count;
end $$;

-- A database without any focus has no call of an older version under way.
do $$
begin
  insert into animus.settings (key, value) values ('spend_calls_since', to_jsonb(animus.now())) on conflict (key) do nothing;
  if to_regclass('animus.spend_days') is not null then
    perform animus.define_spend_views();
  elsif not exists (select from animus.foci) then
    perform animus.publish_spend();
  end if;
end $$;
