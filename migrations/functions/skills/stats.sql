-- What became of work that used skills. Items that were deleted are counted in animus.skill_outcomes, so the numbers outlive them.

-- Counts what became of deleted items and of the skills that they used, and deletes their activations: one statement for all items that a statement deletes.
-- Locks: the rows of animus.skill_outcomes, in their order. Raises: nothing.
create or replace function animus.keep_skill_outcomes() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  -- Where nobody uses skills, no index is searched for each deleted item.
  v_used boolean := exists (select from animus.skill_activations);
begin
  with used as (
    delete from animus.skill_activations a using deleted d where v_used and a.work_item_id = d.id
    returning a.work_item_id, a.skill, a.activated_at),
  skills as (
    select u.work_item_id, u.skill, count(*) as activations, max(u.activated_at) as activated_at from used u group by u.work_item_id, u.skill),
  items as (
    select d.id, (d.resolved_at at time zone 'UTC')::date as day, d.faculty, d.state, d.turns, d.cost_usd + d.lost_usd as cost_usd, d.unpriced_calls
      from deleted d where d.resolved_at is not null and d.state <> 'merged')
  insert into animus.skill_outcomes as o (day, faculty, skill, state, items, activations, turns, cost_usd, unpriced_calls, activated_at)
  select i.day, i.faculty, coalesce(s.skill, ''), i.state, count(*), coalesce(sum(s.activations), 0), sum(i.turns), sum(i.cost_usd), sum(i.unpriced_calls), max(s.activated_at)
    from (select i.*, null::text as skill from items i union all select i.*, s.skill from items i join skills s on s.work_item_id = i.id) i
    left join skills s on s.work_item_id = i.id and s.skill = i.skill
   group by i.day, i.faculty, coalesce(s.skill, ''), i.state order by 1, 2, 3, 4
  on conflict (day, faculty, skill, state) do update
     set items = o.items + excluded.items, activations = o.activations + excluded.activations, turns = o.turns + excluded.turns,
         cost_usd = o.cost_usd + excluded.cost_usd, unpriced_calls = o.unpriced_calls + excluded.unpriced_calls, activated_at = greatest(o.activated_at, excluded.activated_at);
  return null;
end $$;

create or replace trigger work_items_keep_skill_outcomes after delete on animus.work_items
  referencing old table as deleted for each statement execute function animus.keep_skill_outcomes();

-- A function with fewer columns cannot be replaced.
do $$
begin
  if pg_get_function_result(to_regprocedure('animus.skill_stats(timestamptz, text)')) !~ 'unpriced_calls' then drop function animus.skill_stats(timestamptz, text); end if;
end $$;

-- Returns how each skill was used since p_since: how often it was activated, the items that used it, and, of the same faculties, the items that
-- did not, from the day on which it was first used in this time. Only items that have ended count, and cancelled ones are left out. Days are UTC.
-- p_skill: only this one; null: every skill that was used. The last use is that of all time.
-- Locks: none. Raises: nothing.
create or replace function animus.skill_stats(p_since timestamptz, p_skill text default null)
returns table (skill text, activations bigint, last_used_at timestamptz, items bigint, completed bigint, cost_usd numeric, turns bigint,
               other_items bigint, other_completed bigint, other_cost_usd numeric, other_turns bigint, unpriced_calls bigint, other_unpriced_calls bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off as $$
-- Callers: reader, operator, daemon.
declare
  v_day date := (p_since at time zone 'UTC')::date;
begin
  return query
  with uses as materialized (
    select a.skill, a.work_item_id, count(*) as activations from animus.skill_activations a
     where a.activated_at >= p_since and (p_skill is null or a.skill = p_skill) group by a.skill, a.work_item_id),
  -- Of items that exist and of deleted ones alike: one row per day, faculty, skill and state.
  used as materialized (
    select (w.resolved_at at time zone 'UTC')::date as day, w.faculty, u.skill, w.state, count(*) as items, sum(u.activations) as activations,
           sum(w.cost_usd + w.lost_usd) as cost_usd, sum(w.turns) as turns, sum(w.unpriced_calls) as unpriced
      from uses u join animus.work_items w on w.id = u.work_item_id group by 1, 2, 3, 4
    union all
    select o.day, o.faculty, o.skill, o.state, o.items, o.activations, o.cost_usd, o.turns, o.unpriced_calls
      from animus.skill_outcomes o where o.skill <> '' and o.day >= v_day and (p_skill is null or o.skill = p_skill)),
  spans as (select u.skill, u.faculty, min(u.day) as first_day from used u group by 1, 2),
  ended as materialized (
    select (w.resolved_at at time zone 'UTC')::date as day, w.faculty, w.state, count(*) as items, sum(w.cost_usd + w.lost_usd) as cost_usd, sum(w.turns) as turns,
           sum(w.unpriced_calls) as unpriced
      from animus.work_items w
     where w.resolved_at >= v_day::timestamp at time zone 'UTC' and w.state in ('completed', 'dead') group by 1, 2, 3
    union all
    select o.day, o.faculty, o.state, o.items, o.cost_usd, o.turns, o.unpriced_calls from animus.skill_outcomes o where o.skill = '' and o.day >= v_day),
  with_it as (
    select u.skill, sum(u.activations) as activations, sum(u.items) filter (where u.state in ('completed', 'dead')) as items,
           sum(u.items) filter (where u.state = 'completed') as completed,
           sum(u.cost_usd) filter (where u.state in ('completed', 'dead')) as cost_usd, sum(u.turns) filter (where u.state in ('completed', 'dead')) as turns,
           sum(u.unpriced) filter (where u.state in ('completed', 'dead')) as unpriced
      from used u group by u.skill),
  all_of_them as (
    select s.skill, sum(e.items) as items, sum(e.items) filter (where e.state = 'completed') as completed, sum(e.cost_usd) as cost_usd, sum(e.turns) as turns,
           sum(e.unpriced) as unpriced
      from spans s join ended e on e.faculty = s.faculty and e.day >= s.first_day and e.state in ('completed', 'dead') group by s.skill)
  select i.skill, i.activations::bigint, animus.skill_used_at(i.skill), coalesce(i.items, 0)::bigint, coalesce(i.completed, 0)::bigint,
         coalesce(i.cost_usd, 0), coalesce(i.turns, 0)::bigint,
         greatest(coalesce(a.items, 0) - coalesce(i.items, 0), 0)::bigint, greatest(coalesce(a.completed, 0) - coalesce(i.completed, 0), 0)::bigint,
         greatest(coalesce(a.cost_usd, 0) - coalesce(i.cost_usd, 0), 0), greatest(coalesce(a.turns, 0) - coalesce(i.turns, 0), 0)::bigint,
         coalesce(i.unpriced, 0)::bigint, greatest(coalesce(a.unpriced, 0) - coalesce(i.unpriced, 0), 0)::bigint
    from with_it i left join all_of_them a on a.skill = i.skill
   order by i.activations desc, i.skill;
end $$;

-- Returns when a skill was last activated; null: never.
-- Locks: none. Raises: nothing.
create or replace function animus.skill_used_at(p_skill text) returns timestamptz
language sql stable as $$
  select greatest((select max(a.activated_at) from animus.skill_activations a where a.skill = p_skill),
                  (select max(o.activated_at) from animus.skill_outcomes o where o.skill = p_skill))
$$;

-- Returns after how many days without use a skill is stale: what a daemon has reported last, else 30.
-- Locks: none. Raises: nothing.
create or replace function animus.stale_days() returns int
language sql stable as $$
  select coalesce((select (s.value #>> '{}')::int from animus.settings s where s.key = 'stale_skill_days'), 30)
$$;

-- Returns the skills that daemons have found and that nobody has used for p_days: first those that have never been used, or that have been unused for
-- longest. A skill counts from the day on which it was found. p_days: default what daemons have reported, else 30.
-- Locks: none. Raises: nothing.
create or replace function animus.stale_skills(p_days int default null)
returns table (skill text, origin text, last_used_at timestamptz, first_seen_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: reader, operator, daemon.
  select n.name, n.origin, u.used_at, n.first_seen_at
    from (select name, min(origin) as origin, min(first_seen_at) as first_seen_at from animus.skill_names group by name) n
    cross join lateral animus.skill_used_at(n.name) u (used_at)
   where greatest(u.used_at, n.first_seen_at) < animus.now() - make_interval(days => coalesce(p_days, animus.stale_days()))
   order by u.used_at nulls first, n.name
$$;

-- Returns how many skills are stale, for `animus status`: {stale_skills: {count, days}}.
-- Locks: none. Raises: nothing.
create or replace function animus.skill_status() returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: reader, operator, daemon.
  select jsonb_build_object('stale_skills', jsonb_build_object('count', (select count(*) from animus.stale_skills()), 'days', animus.stale_days()))
$$;

-- Deletes packages that neither a version nor a focus refers to and that were last used more than p_older_than ago; null when another retention call is
-- running.
-- Locks: animus.retention_turn; the rows, and skips those that others have locked. Raises: nothing.
create or replace function animus.prune_skill_packages(p_older_than interval, p_limit int default 200) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not animus.try_retention() then return null; end if;
  set constraints all immediate;
  return animus.prune_rows('animus.skill_packages', $sql$
    delete from animus.skill_packages where content_hash in (
      select p.content_hash from animus.skill_packages p
       where p.used_on < ($1 at time zone 'UTC')::date
         and not exists (select from animus.skill_versions v where v.content_hash = p.content_hash)
         and not exists (select from animus.skill_activations a where a.content_hash = p.content_hash)
       limit $2 for update skip locked)$sql$, animus.now() - p_older_than, p_limit);
end $$;
