-- What a gateway reads by functions: pages of visible work, the status.

-- Returns the condition of a state in the words of the partial indexes of work_items; without a state, a condition that every item meets.
-- Locks: none. Raises: WA004.
create or replace function animus.state_condition(p_state text) returns text
language plpgsql immutable as $$
begin
  return case
    when p_state is null then $c$(w.state = 'queued' and not w.key_blocked or w.state = 'queued' and w.key_blocked or w.state = 'scheduled'
                               or w.state in ('claimed', 'running') or w.state = 'waiting' or w.resolved_at is not null)$c$
    when p_state = 'queued' then $c$(w.state = 'queued' and not w.key_blocked or w.state = 'queued' and w.key_blocked)$c$
    when p_state in ('scheduled', 'claimed', 'running', 'waiting') then format('w.state = %L', p_state)
    when p_state in ('completed', 'dead', 'merged', 'cancelled') then format('w.state = %L and w.resolved_at is not null', p_state)
  end;
end $$;

-- Returns the ids of the newest queued items after p_after, newest first; of a faculty, if it is not null. Where the newest items are queued, it
-- reads those. Otherwise it does not go through the items that have ended since, which may be a million: it merges the newest items of each faculty
-- and priority, each from the index of claimable items, with those whose concurrency key is taken. Pages cost nothing in its plan, because the
-- index of claimable items needs the fewest rows in any case, and the planner does not know that the queued items are old.
-- Locks: none. Raises: nothing.
create or replace function animus.newest_queued(p_limit int, p_after uuid, p_faculty text) returns setof uuid
language plpgsql stable security definer rows 100 set search_path = pg_catalog, pg_temp set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set random_page_cost = 0 set seq_page_cost = 0 as $$
-- Callers: reader, operator, daemon.
declare
  v_after      constant uuid := coalesce(p_after, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  v_most       constant int := 50;
  v_ids        uuid[];
  v_faculties  text[];
  v_priorities int[];
begin
  v_ids := array(
    select n.id from (select w.id, w.state, w.faculty from animus.work_items w where w.id < v_after order by w.id desc limit 1000) n
     where n.state = 'queued' and (p_faculty is null or n.faculty = p_faculty) order by n.id desc limit p_limit);
  if cardinality(v_ids) = p_limit then return query select unnest(v_ids); return; end if;
  with recursive faculty as (
    select 1 as n, coalesce(p_faculty, (select min(w.faculty) from animus.work_items w where w.state = 'queued' and not w.key_blocked)) as name
    union all
    select f.n + 1, (select min(w.faculty) from animus.work_items w where w.state = 'queued' and not w.key_blocked and w.faculty > f.name)
      from faculty f where p_faculty is null and f.name is not null and f.n <= v_most),
  priority as (
    select 1 as n, f.name, (select max(w.priority) from animus.work_items w where w.state = 'queued' and not w.key_blocked and w.faculty = f.name) as value
      from faculty f where f.name is not null
    union all
    select p.n + 1, p.name, (select max(w.priority) from animus.work_items w
                              where w.state = 'queued' and not w.key_blocked and w.faculty = p.name and w.priority < p.value)
      from priority p where p.value is not null and p.n <= v_most)
  select array_agg(p.name), array_agg(p.value) into v_faculties, v_priorities from priority p where p.value is not null;
  if cardinality(v_faculties) > v_most then
    return query execute 'select w.id from animus.work_items w where w.id < $1 and ' || animus.state_condition('queued')
      || case when p_faculty is null then '' else ' and w.faculty = $2' end || ' order by w.id desc limit $3' using v_after, p_faculty, p_limit;
    return;
  end if;
  return query
    with blocked as materialized (
      select w.id from animus.work_items w where w.state = 'queued' and w.key_blocked and (p_faculty is null or w.faculty = p_faculty) and w.id < v_after)
    select q.id from (
      select i.id from unnest(v_faculties, v_priorities) as g (faculty, priority) cross join lateral (
        select w.id from animus.work_items w
         where w.state = 'queued' and not w.key_blocked and w.faculty = g.faculty and w.priority = g.priority and w.id < v_after
         order by w.id desc limit p_limit) i
      union all
      select b.id from blocked b) q
     order by q.id desc limit p_limit;
end $$;

-- Returns the ids of a page of visible work, newest first: after p_after, with a state, of a faculty, children of an item. Each argument but the
-- limit, of 1 to 20,000, may be null. The statement depends on whose work it is, so that it uses an index in each case.
-- Locks: none. Raises: WA004.
create or replace function animus.list_visible_work(
  p_limit int, p_after uuid default null, p_state text default null, p_faculty text default null, p_parent uuid default null) returns setof uuid
language plpgsql stable security definer rows 100 set search_path = pg_catalog, pg_temp as $$
-- Callers: all.
declare
  v_actor constant text := animus.actor();
  v_where text;
begin
  if p_limit is null or p_limit not between 1 and 20000 then perform animus.raise('WA004', 'a page has 1 to 20000 items'); end if;
  if p_state is not null and animus.state_condition(p_state) is null then
    perform animus.raise('WA004', format('%s is not a state of work', quote_literal(p_state)));
  end if;
  if p_state = 'queued' and p_parent is null and animus.sees_all() then
    return query select animus.newest_queued(p_limit, p_after, p_faculty);
    return;
  end if;
  if p_parent is not null then
    v_where := 'w.parent_id = $5 and ($3 is null or w.state = $3) and ($6 or w.submitted_by = $1)';
  elsif animus.sees_all() then
    v_where := case when num_nonnulls(p_state, p_faculty) = 0 then 'true' else animus.state_condition(p_state) end;
  else
    v_where := 'w.submitted_by = $1' || case when animus.person_acts() then $c$ and w.submitted_by like 'person:%'$c$ else '' end
      -- Without a state and a faculty, the index of the actor's items has the order of the list.
      || case when num_nonnulls(p_state, p_faculty) = 0 then '' else ' and ' || animus.state_condition(p_state) end;
  end if;
  if p_faculty is not null then v_where := v_where || ' and w.faculty = $4'; end if;
  return query execute 'select w.id from animus.work_items w where w.id < $2 and ' || v_where || ' order by w.id desc limit $7'
    using v_actor, coalesce(p_after, 'ffffffff-ffff-ffff-ffff-ffffffffffff'), p_state, p_faculty, p_parent, animus.sees_all(), p_limit;
end $$;

-- Returns what `animus status` shows, for those who see all work.
-- Locks: none. Raises: 42501.
create or replace function animus.visible_status() returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.require_sees_all();
  return animus.status() || animus.ways_in_status() || animus.batch_status() || animus.asks_status() || animus.budget_status() || animus.embedding_status()
      || animus.skill_status() || animus.webhook_status() || animus.worktree_status() || animus.waiting_status();
end $$;

-- Returns the limits that apply to a visible item, and what is left of them; null for any other.
-- Locks: none. Raises: nothing.
create or replace function animus.visible_budget_left(p_id uuid) returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (select from animus.work_items w where w.id = p_id and animus.may_see(w.submitted_by)) then return null; end if;
  return animus.budget_shown(p_id);
end $$;

-- Raises 42501 unless the actor may see all work.
-- Locks: none. Raises: 42501.
create or replace function animus.require_sees_all() returns void
language plpgsql stable as $$
begin
  if animus.sees_all() then return; end if;
  raise insufficient_privilege using message = format('%I may not see the work of others', animus.actor()),
    hint = case when animus.person_acts() then 'this needs a person with role reader or operator' else 'grant animus_reader to the role' end;
end $$;
