-- Pages and counts of the work that a filter finds (32_visible_search.sql).

-- Returns a page of visible work by a filter (read_work_filter). p_sort: newest, oldest; ended: the last end first; cost, duration, priority: the highest first, then the
-- newest. Duration is that of ended work. The next page begins after p_after and, but for newest and oldest, its p_after_value: next_id and next_value say what that is;
-- null: there is none. Where no index finds what matches, at most 20,000 items are looked at: in the order of newest, oldest and ended, a page may then have less than p_limit
-- items, or none, and yet a next one. cut: of cost, duration and priority, and for those
-- who do not see all work of ended, too, only the newest items were looked at.
-- Locks: none. Raises: WA004.
create or replace function animus.find_visible_work(
  p_limit int, p_filter jsonb default '{}', p_sort text default 'newest', p_after uuid default null, p_after_value text default null,
  out ids uuid[], out next_id uuid, out next_value text, out cut boolean)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off set enable_seqscan = off as $$
-- Callers: all.
declare
  v_value  constant text := case p_sort when 'newest' then 'null' when 'oldest' then 'null' when 'ended' then 'animus.iso_time(s.resolved_at)'
    when 'cost' then '(s.cost_usd + s.lost_usd)' when 'duration' then 'extract(epoch from s.resolved_at - s.created_at)' when 'priority' then 's.priority' end;
  v_ranked constant boolean := coalesce(p_sort in ('cost', 'duration', 'priority') or p_sort = 'ended' and not animus.sees_all(), false);
  v_filter record;
  v_from   record;
  v_where  text;
  v_values text[];
begin
  if p_limit is null or p_limit not between 1 and 20000 then perform animus.raise('WA004', 'a page has 1 to 20000 items'); end if;
  if v_value is null then perform animus.raise('WA004', format('work cannot be sorted by %s', quote_nullable(p_sort))); end if;
  select f.*, animus.sees_all() as sees_all, case when f.query is not null then animus.unwritten_with_words(f.query) end as unwritten into v_filter from animus.read_work_filter(p_filter) f;
  if p_sort = 'newest' then v_filter.below := least(v_filter.below, p_after); end if;
  if p_sort = 'oldest' then v_filter.above := greatest(v_filter.above, p_after); end if;
  select s.* into v_from from animus.work_source(v_filter, p_sort) s;

  v_where := animus.work_conditions(v_filter, v_from.by_words)
    || case when p_sort in ('ended', 'duration') then ' and s.resolved_at is not null' else '' end
    -- The parameters of other orders are null.
    || case when p_after is null or p_sort in ('newest', 'oldest') then '' when p_sort = 'ended' then ' and (s.resolved_at, s.id) < ($15::timestamptz, $16)'
            else format(' and (%s, s.id) < ($15::numeric, $16)', v_value) end
    -- What follows the end of a walk that is cut is for the next page: the others would pass over it.
    || case when v_ranked or coalesce(cardinality(v_from.walks), 0) < 2 then ''
            when p_sort = 'oldest' then $c$ and s.id <= coalesce((select f.id from floor f), 'ffffffff-ffff-ffff-ffff-ffffffffffff')$c$
            else $c$ and s.id >= coalesce((select f.id from floor f), '00000000-0000-0000-0000-000000000000')$c$ end;
  execute format(
      'with floor as materialized (%s),
       page as materialized (select s.id, %s::text as value from (%s) s where %s order by %s limit $18)
       select array(select p.id from page p), array(select p.value from page p), case when (select count(*) from page p) < $18 or %s then (select f.id from floor f) end,
              case when (select count(*) from page p) < $18 then (select f.value from floor f) end',
      animus.floor_of_walks(v_from.walks, p_sort, v_from.look), v_value,
      coalesce(animus.rows_of_walks(v_from.walks, v_from.look), 'select w.* from animus.work_items w where w.id = any ($17)'), v_where,
      case p_sort when 'oldest' then 's.id' when 'newest' then 's.id desc' when 'ended' then 's.resolved_at desc, s.id desc' else v_value || ' desc, s.id desc' end, v_ranked::text)
    into ids, v_values, next_id, next_value
    using animus.actor(), v_filter.states, v_filter.faculties, v_filter.submitters, v_filter.above, v_filter.below, v_filter.ended_since, v_filter.ended_until, v_filter.min_cost,
          v_filter.error, v_filter.root, v_filter.parent, v_filter.query, v_filter.unwritten, p_after_value, p_after, v_from.ids, p_limit + 1;
  cut := v_ranked and next_id is not null;
  if cut then next_id := null; next_value := null; end if;
  if cardinality(ids) > p_limit then
    ids := ids[1:p_limit]; next_id := ids[p_limit]; next_value := v_values[p_limit];
  end if;
end $$;

-- Returns a query of the rows of walks, each of which ends after p_look rows; null without walks.
-- Locks: none. Raises: nothing.
create or replace function animus.rows_of_walks(p_walks text[], p_look int) returns text
language sql immutable as $$
  select string_agg(format('(%s limit %s)', w.walk, p_look), ' union all ') from unnest(p_walks) w (walk)
$$;

-- Returns a query of the row, if any, at which the walks end together: the first one at which one of them is cut; value: its end, of a walk in that order.
-- Locks: none. Raises: nothing.
create or replace function animus.floor_of_walks(p_walks text[], p_sort text, p_look int) returns text
language sql immutable as $$
  select coalesce((
    select format('select e.id, %s as value from (%s) e order by e.id%s limit 1', case p_sort when 'ended' then 'animus.iso_time(e.resolved_at)' else 'null::text' end,
                  string_agg(format('(select c.id, c.resolved_at from (%s limit %s) c offset %s)', w.walk, p_look, p_look - 1), ' union all '),
                  case p_sort when 'oldest' then '' else ' desc' end)
      from unnest(p_walks) w (walk) having count(*) > 0), 'select null::uuid as id, null::text as value where false')
$$;

-- Counts visible work by its state, under the same filter. more: there may be more of this state, because only the newest items were looked at.
-- Locks: none. Raises: WA004.
create or replace function animus.count_visible_work(p_filter jsonb default '{}') returns table (state text, items int, more boolean)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off set enable_seqscan = off as $$
-- Callers: all.
declare
  v_states constant text[] := array['scheduled', 'queued', 'claimed', 'running', 'waiting', 'completed', 'dead', 'merged', 'cancelled'];
  v_filter record;
  v_from   record;
  v_apart  boolean;
  v_state  text;
begin
  select f.*, animus.sees_all() as sees_all, case when f.query is not null then animus.unwritten_with_words(f.query) end as unwritten into v_filter from animus.read_work_filter(p_filter) f;
  select s.* into v_from from animus.work_source(v_filter, 'newest') s;
  -- Walks through the items of all people: then each state has its own.
  v_apart := v_from.walks is not null and v_filter.sees_all
         and (v_filter.submitters is null or exists (select from unnest(v_filter.submitters) s (name) where not starts_with(s.name, 'person:')));
  foreach v_state in array case when v_apart then coalesce(v_filter.states, v_states) else array[null::text] end loop
    if v_apart then
      v_from.look := case when v_filter.query is null then 5000 else 2000 end;
      v_from.walks := array[case when v_state = 'completed' and (p_filter ? 'since' or p_filter ? 'until') then 'select w.* from animus.work_items w where w.id > $5 and w.id < $6 order by w.id desc'
                                   else animus.walk_of_state(v_state, 'w.id desc') end];
    end if;
    return query execute format(
        'with counted as (select s.state, count(*)::int as items from (%s) s where %s group by s.state), floor as materialized (%s)
         select n.name, coalesce(c.items, 0), exists (select from floor) from unnest($18::text[]) n (name) left join counted c on c.state = n.name',
        coalesce(animus.rows_of_walks(v_from.walks, v_from.look), 'select w.* from animus.work_items w where w.id = any ($17)'), animus.work_conditions(v_filter, v_from.by_words),
        animus.floor_of_walks(v_from.walks, 'newest', v_from.look))
      using animus.actor(), v_filter.states, v_filter.faculties, v_filter.submitters, v_filter.above, v_filter.below, v_filter.ended_since, v_filter.ended_until, v_filter.min_cost,
            v_filter.error, v_filter.root, v_filter.parent, v_filter.query, v_filter.unwritten, null::text, null::uuid, v_from.ids,
            case when v_apart then array[v_state] else coalesce(v_filter.states, v_states) end;
  end loop;
end $$;
