-- More of what a gateway reads and does for the person it acts for: everything that the commands of `animus` can do with the database. 32_visible.sql
-- says how such views are made.

-- Visible work, for who reads one item by its id: that somebody takes part in the conversation of an item is asked by a function, only of an item that is neither
-- the actor's own nor seen with all others. To begin the plan of visible_work takes three times as long as to read the row.
create or replace view animus.visible_item as
  select w.id, w.faculty, w.skill, w.description, w.params, w.dedup_key, w.source, w.trigger_info, w.priority, w.run_at, w.concurrency_key, w.parent_id,
         w.trace_context, w.root_id, w.depth, w.state, animus.shown_work(w.merged_into) as merged_into, w.attempts, w.max_attempts, w.lease_owner, w.lease_expires_at, w.turns,
         w.cancel_requested_at, w.cancel_reason, w.outcome, w.outcome_summary, w.error, w.cost_usd, w.input_tokens, w.output_tokens, w.created_at,
         w.updated_at, w.resolved_at, w.submitted_by, w.batch, w.detached, w.unpriced_calls, w.lost_usd, w.estimated_usd, w.calls, w.lost_requests,
         w.uncounted_calls, w.assumed_tokens
    from animus.work_items w
   where w.submitted_by = (select animus.actor()) or (select animus.sees_all()) or animus.takes_part(w.id);

-- The audit, for those who see all work.
create or replace view animus.visible_audit as
  select a.id, a.created_at, a.decided_by, a.action, a.note, a.erased, a.work_item_id, a.target, a.faculty, a.submitted_by, a.submitted_at, a.state,
         a.deleted_at, a.call_id, a.focus_id, a.turn, a.tool, a.seq, a.salt, a.previous_hash, a.hash, a.note_digest, a.work_digest, a.subject_digest, a.token_id, a.ask_id, a.subject
    from animus.audit a where (select animus.sees_all());
create or replace view animus.visible_refused_calls as
  select r.created_at, r.work_item_id, r.faculty, r.submitted_by, r.focus_id, r.turn, r.call_id, r.tool, r.refused_by, r.rule, r.decided_by
    from animus.refused_calls r where (select animus.sees_all());
create or replace view animus.visible_chains as
  select d.id, d.seq, d.work_item_id, d.target, d.call_id, d.action, d.decided_by, d.created_at, d.note, d.salt, d.note_digest, d.work_digest,
         d.subject_digest, d.previous_hash, d.hash
    from animus.decisions d where (select animus.sees_all());

-- People, for those who see them all, and tokens and sessions without their hashes: the person's own, for those all.
create or replace view animus.visible_people as
  select p.name, p.role, p.created_by, p.created_at, p.disabled_at,
         (select count(*)::int from animus.tokens t where t.person = p.name and t.kind = 'token' and t.revoked_at is null and coalesce(t.expires_at > animus.now(), true)) as tokens
    from animus.people p where (select animus.sees_people());
create or replace view animus.visible_tokens as
  select t.id, t.person, t.label, t.role, t.scopes, t.created_by, t.created_at, t.expires_at, t.last_used_at, t.revoked_at, t.revoked_by, t.created_with,
         case when t.revoked_at is not null then 'revoked' when t.expires_at <= animus.now() then 'expired'
              when case when p.name is null then o.disabled_at else p.disabled_at end is not null then 'disabled' else 'valid' end as state, t.kind
    from animus.tokens t left join animus.people p on p.name = t.person left join animus.people o on o.name = '*'
   where 'person:' || t.person = (select animus.actor()) or (select animus.sees_people());

-- How running daemons serve each faculty, as its file says; what it is for is in visible_faculties; where they run is for those who see all work.
create or replace view animus.visible_faculty_settings as
  select f.name, d.version, case when (select animus.sees_all()) then d.host end as host,
         case when (select animus.sees_all()) then f.settings else f.settings - array['no_sandbox', 'held'] end - array['description', 'params_schema', 'outcome_schema'] as settings
    from animus.daemons d cross join lateral jsonb_each(d.faculties) f (name, settings)
   where d.stopped_at is null and d.seen_at > animus.now() - interval '1 minute';

-- Raises 42501 unless the actor may see all work: for readers of views that would be empty otherwise.
-- Locks: none. Raises: 42501.
create or replace function animus.visible_all() returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.require_sees_all();
end $$;

-- Raises 42501 unless the actor is an operator: as visible_all.
-- Locks: none. Raises: 42501.
create or replace function animus.visible_as_operator() returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.require_operator();
end $$;

-- Returns what `animus memory stats` shows, for those who see all work.
-- Locks: none. Raises: 42501.
create or replace function animus.visible_memory_stats() returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.require_sees_all();
  return animus.memory_stats() || animus.embedding_status();
end $$;

-- A function with fewer columns cannot be replaced.
do $$
begin
  if pg_get_function_result(to_regprocedure('animus.visible_skill_stats(timestamptz, text)')) !~ 'unpriced_calls' then drop function animus.visible_skill_stats(timestamptz, text); end if;
end $$;

-- Returns what `animus skill stats` shows, for those who see all work: as skill_stats.
-- Locks: none. Raises: 42501.
create or replace function animus.visible_skill_stats(p_since timestamptz, p_skill text default null)
returns table (skill text, activations bigint, last_used_at timestamptz, items bigint, completed bigint, cost_usd numeric, turns bigint,
               other_items bigint, other_completed bigint, other_cost_usd numeric, other_turns bigint, unpriced_calls bigint, other_unpriced_calls bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.require_sees_all();
  return query select s.* from animus.skill_stats(p_since, p_skill) s;
end $$;

-- Returns what `animus skill list --stale` shows, for those who see all work: as stale_skills.
-- Locks: none. Raises: 42501.
create or replace function animus.visible_stale_skills(p_days int default null)
returns table (skill text, origin text, last_used_at timestamptz, first_seen_at timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.require_sees_all();
  return query select s.* from animus.stale_skills(p_days) s;
end $$;

-- Counts the items that change_matching_work would try to change, by faculty and state, most first.
-- Locks: none. Raises: nothing.
create or replace function animus.count_matching_work(p_states text[], p_faculty text default null, p_since timestamptz default null)
returns table (faculty text, state text, items bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, gateway.
begin
  return query
    select w.faculty, w.state, count(*) from animus.work_items w
     where (w.submitted_by = animus.actor() or (select animus.may_operate())) and w.state = any (p_states)
       and (p_faculty is null or w.faculty = p_faculty) and (p_since is null or coalesce(w.resolved_at, w.created_at) >= p_since)
     group by w.faculty, w.state order by 3 desc, 1, 2;
end $$;

-- Cancels the items that match, or queues them again, and returns a row for each: p_action is 'cancel', for operators and of the actor's own work, or
-- 'retry', for operators. An item matches if its state is one of p_states and, where given, it is of the faculty and has ended since p_since or, if it is
-- open, was submitted since. problem: why the item stays as it is; null: it was changed. In the order of their ids, after p_after, 1 to 500 at a time.
-- Locks: those of cancel_works, or item by item of cancel_work or retry_work, each waiting two seconds at most. Raises: WA004, 42501; WA002, WA003 and 57PA1 of single
-- items are returned.
create or replace function animus.change_matching_work(
  p_action text, p_states text[], p_faculty text default null, p_since timestamptz default null, p_reason text default null, p_after uuid default null,
  p_limit int default 200) returns table (id uuid, problem text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, gateway.
declare
  v_ids    uuid[];
  v_active uuid;
begin
  if coalesce(p_action, '') not in ('cancel', 'retry') or p_limit is null or p_limit not between 1 and 500 then
    perform animus.raise('WA004', 'the action is cancel or retry, of 1 to 500 items');
  end if;
  if p_action = 'retry' then perform animus.require_operator(); end if;
  v_ids := array(
    select w.id from animus.work_items w
     where (w.submitted_by = animus.actor() or (select animus.may_operate())) and w.state = any (p_states)
       and (p_faculty is null or w.faculty = p_faculty) and (p_since is null or coalesce(w.resolved_at, w.created_at) >= p_since)
       and w.id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
     order by w.id limit p_limit);
  if p_action = 'cancel' then
    begin
      return query select c.id, null::text from animus.cancel_works(v_ids, p_reason) c;
      return;
    exception when sqlstate 'WA003' or sqlstate '57PA1' then null;  -- one of them; the others are cancelled below
    end;
  end if;
  foreach id in array v_ids loop
    problem := null;
    begin
      if p_action = 'cancel' then
        perform animus.cancel_work(id, p_reason);
      else
        v_active := animus.retry_work(id);
        if v_active <> id then problem := format('the same work is already active as %s', v_active); end if;
      end if;
    exception when sqlstate 'WA002' or sqlstate 'WA003' or sqlstate '57PA1' then problem := sqlerrm;
    end;
    return next;
  end loop;
end $$;

-- Returns a focus and those with which it goes on, of the answers before in its conversation: era counts from the oldest, null is the focus itself. Only of work that the
-- actor may see; what the focus was set up with is for those who see all work.
-- Locks: none. Raises: nothing.
create or replace function animus.visible_focus_chain(p_focus uuid)
returns table (focus_id uuid, work_item_id uuid, era int, system_prompt text, tools json)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query
    with recursive chain (id, continues, n) as (
      select f.id, f.continues, 0 from animus.foci f where f.id = p_focus
      union all
      select f.id, f.continues, c.n + 1 from chain c join animus.foci f on f.id = c.continues)
    select f.id, f.work_item_id, case when c.n > 0 then (select max(m.n) from chain m) - c.n + 1 end,
           case when animus.sees_all() then coalesce(f.system_prompt, s.system_prompt) end, case when animus.sees_all() then coalesce(f.tools, s.tools) end
      from chain c join animus.foci f on f.id = c.id left join animus.focus_settings s on s.id = f.settings_id
     where animus.shown_work(f.work_item_id) is not null;
end $$;

-- Daemons that run, have stopped within the hour, or are lost, with how much they do: slots, how many items they work on, and when they were last seen. For those who
-- see all work.
create or replace view animus.visible_daemons as
  select d.id, d.host, d.pid, d.version, d.started_at, d.seen_at, d.stopped_at, d.ending_at, d.max_concurrent as slots,
         (select count(*)::int from animus.work_items w where w.state in ('claimed', 'running') and w.lease_owner = d.id) as working,
         d.saturated, d.stopped_at is null and d.seen_at > animus.now() - interval '2 minutes' as alive,
         array(select k from jsonb_object_keys(d.faculties) k order by 1) as faculties,
         array(select case jsonb_typeof(p) when 'string' then p #>> '{}' else coalesce(p ->> 'message', p::text) end from jsonb_array_elements(d.problems) p) as problems,
         d.blocked_at, d.blocked_seconds, d.blocks
    from animus.daemons d where (d.stopped_at is null or d.stopped_at > animus.now() - interval '1 hour') and (select animus.sees_all());

-- What is wrong with faculties, as running daemons have reported it: code whose container cannot start (sandbox), work that a daemon leaves alone for a while because it cannot
-- begin it (held), and faculties of which nothing can be claimed (claims). For those who see all work.
create or replace view animus.visible_faculty_problems as
  select f.key as faculty, p.kind, p.problem, p.since, p.until, d.id as daemon_id, d.host
    from animus.daemons d cross join lateral jsonb_each(d.faculties) f
    cross join lateral (
      select 'sandbox' as kind, f.value ->> 'no_sandbox' as problem, null::timestamptz as since, null::timestamptz as until where f.value ->> 'no_sandbox' is not null
      union all
      select 'held', f.value #>> '{held,reason}', (f.value #>> '{held,since}')::timestamptz, (f.value #>> '{held,until}')::timestamptz
       where (f.value #>> '{held,until}')::timestamptz > animus.now() - interval '1 minute') p
   where d.stopped_at is null and d.seen_at > animus.now() - interval '2 minutes' and (select animus.sees_all())
  union all
  select x.faculty, 'claims', format('nothing of it can be claimed (SQLSTATE %s)', x.sqlstate), x.since, x.until, null, null
    from animus.faculty_faults x where x.until > animus.now() and (select animus.sees_all());
