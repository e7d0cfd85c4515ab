-- Lists of work by any of its properties, in several orders, and counts by state. What no index serves is looked for among a bounded number of items, so that
-- no request reads all of a large table: a page may then end before it is full, and the next one goes on behind the last item that was looked at.

-- Reads a filter: {states, faculties, submitters: lists; since, until, ended_since, ended_until: times, until without the time itself; min_cost_usd; error, its
-- code; root, parent: items; q: words}. A time of submission becomes ids, which begin with it: above `above`, below `below`.
-- Locks: none. Raises: WA004.
create or replace function animus.read_work_filter(p_filter jsonb,
  out states text[], out faculties text[], out submitters text[], out above uuid, out below uuid, out ended_since timestamptz, out ended_until timestamptz,
  out min_cost numeric, out error text, out root uuid, out parent uuid, out query tsquery)
language plpgsql stable as $$
declare
  v_wrong text;
begin
  select string_agg(k.name, ', ') into v_wrong from jsonb_object_keys(p_filter) k (name)
   where k.name <> all (array['states', 'faculties', 'submitters', 'since', 'until', 'ended_since', 'ended_until', 'min_cost_usd', 'error', 'root', 'parent', 'q']);
  if v_wrong is not null then perform animus.raise('WA004', format('work is not found by %s', v_wrong)); end if;
  if p_filter ? 'states' then states := array(select distinct e.value from jsonb_array_elements_text(p_filter -> 'states') e (value)); end if;
  if p_filter ? 'faculties' then faculties := array(select distinct e.value from jsonb_array_elements_text(p_filter -> 'faculties') e (value)); end if;
  if p_filter ? 'submitters' then submitters := array(select distinct e.value from jsonb_array_elements_text(p_filter -> 'submitters') e (value)); end if;
  if greatest(cardinality(states), cardinality(faculties), cardinality(submitters)) > 20 or 0 in (cardinality(states), cardinality(faculties), cardinality(submitters)) then
    perform animus.raise('WA004', 'a list in a filter has 1 to 20 values');
  end if;
  select s.state into v_wrong from unnest(states) s (state) where s.state is null or animus.state_condition(s.state) is null;
  if found then perform animus.raise('WA004', format('%s is not a state of work', quote_nullable(v_wrong))); end if;
  above := animus.first_id_at(coalesce((p_filter ->> 'since')::timestamptz, '-infinity'));
  below := animus.first_id_at(coalesce((p_filter ->> 'until')::timestamptz, 'infinity'));
  ended_since := (p_filter ->> 'ended_since')::timestamptz;
  ended_until := (p_filter ->> 'ended_until')::timestamptz;
  min_cost := (p_filter ->> 'min_cost_usd')::numeric;
  error := p_filter ->> 'error';
  root := (p_filter ->> 'root')::uuid;
  parent := (p_filter ->> 'parent')::uuid;
  if p_filter ? 'q' then query := animus.work_query(p_filter ->> 'q'); end if;
end $$;

-- Returns where the items of a filter are looked for. ids: all that may match, if an index finds them and they are few; by_words: these have the words. Otherwise
-- walks: queries in the order of ids or, with p_sort = ended, of ends, which together have all that may match, and are to be cut. Their parameters are those of
-- find_visible_work; look: after how many rows each is cut.
-- Locks: none. Raises: nothing.
create or replace function animus.work_source(p_filter record, p_sort text, out ids uuid[], out by_words boolean, out walks text[], out look int)
language plpgsql stable set enable_seqscan = off set jit = off as $$
declare
  v_most  constant int := 5000;
  v_open  constant text[] := array['queued', 'scheduled', 'claimed', 'running', 'waiting'];
  v_order constant text := case p_sort when 'oldest' then 'w.id' else 'w.id desc' end;
  v_ids   uuid[];
begin
  by_words := false;
  look := case when p_filter.query is null then 20000 else 5000 end;
  if p_filter.parent is not null then
    ids := array(select w.id from animus.work_items w where w.parent_id = p_filter.parent);
    return;
  elsif p_filter.root is not null then
    ids := p_filter.root || array(select w.id from animus.work_items w where w.root_id = p_filter.root and w.depth > 0);
    return;
  end if;
  if p_filter.query is not null then
    v_ids := array(select t.work_item_id from animus.work_words t where t.words @@ p_filter.query limit v_most + 1);
    if cardinality(v_ids) <= v_most then ids := v_ids || p_filter.unwritten; by_words := true; return; end if;
  end if;
  if num_nonnulls(p_filter.ended_since, p_filter.ended_until) > 0 then
    v_ids := array(select w.id from animus.work_items w
                    where w.resolved_at >= coalesce(p_filter.ended_since, '-infinity') and w.resolved_at < coalesce(p_filter.ended_until, 'infinity') limit v_most + 1);
    if cardinality(v_ids) <= v_most then ids := v_ids; return; end if;
  end if;
  -- Its end is told to the person, so it goes through the items of all people only for those who see them.
  if p_sort = 'ended' and p_filter.sees_all then
    walks := array['select w.* from animus.work_items w where w.resolved_at >= coalesce($7, ''-infinity'') and w.resolved_at < coalesce($8, ''infinity'')
                       and (w.resolved_at, w.id) < (coalesce($15::timestamptz, ''infinity''), coalesce($16, ''ffffffff-ffff-ffff-ffff-ffffffffffff'')) order by w.resolved_at desc, w.id desc'];
  elsif not p_filter.sees_all then
    walks := array['select w.* from animus.work_items w where w.submitted_by = $1'
                   || case when animus.person_acts() then $c$ and w.submitted_by like 'person:%'$c$ else '' end || ' and w.id > $5 and w.id < $6 order by ' || v_order];
  elsif not exists (select from unnest(p_filter.submitters) s (name) where not starts_with(s.name, 'person:')) and p_filter.submitters is not null then
    walks := array(select format($q$select w.* from animus.work_items w where w.submitted_by = ($4)[%s] and w.submitted_by like 'person:%%' and w.id > $5 and w.id < $6 order by %s$q$,
                            s.n, v_order) from generate_subscripts(p_filter.submitters, 1) s (n));
  else
    v_ids := animus.few_of_states(p_filter.states, null, v_most);
    if v_ids is null and p_filter.faculties is not null then
      v_ids := array(select w.id from animus.work_items w where w.faculty = any (p_filter.faculties) and w.resolved_at is not null limit v_most + 1);
      v_ids := case when cardinality(v_ids) <= v_most then v_ids || animus.few_of_states(v_open, p_filter.faculties, v_most) end;
    end if;
    if v_ids is not null then ids := v_ids; return; end if;
    if not 'completed' = any (p_filter.states) and (p_sort <> 'oldest' or not 'queued' = any (p_filter.states)) then
      walks := array(select animus.walk_of_state(s.name, v_order) from unnest(p_filter.states) s (name));
      look := v_most;
    else
      walks := array['select w.* from animus.work_items w where w.id > $5 and w.id < $6 order by ' || v_order];
    end if;
  end if;
end $$;

-- Returns the ids of all items in some states, of some faculties or any; null if they are more than p_most, or no index has them.
-- Locks: none. Raises: nothing.
create or replace function animus.few_of_states(p_states text[], p_faculties text[], p_most int) returns uuid[]
language plpgsql stable set enable_seqscan = off set jit = off as $$
declare
  v_all  uuid[] := '{}';
  v_ids  uuid[];
  v_name text;
begin
  if p_states is null or 'completed' = any (p_states) then return null; end if;
  foreach v_name in array p_states loop
    -- In the words of the partial indexes.
    execute format('select array(select w.id from animus.work_items w where %s%s limit $2)', animus.state_condition(v_name),
                   case when p_faculties is null then '' else ' and w.faculty = any ($1)' end) into v_ids using p_faculties, p_most + 1;
    v_all := v_all || v_ids;
    if cardinality(v_all) > p_most then return null; end if;
  end loop;
  return v_all;
end $$;

-- Returns a walk through the items of a state. That of what has completed reads all that has ended, in the order of ends.
-- Locks: none. Raises: nothing.
create or replace function animus.walk_of_state(p_state text, p_order text) returns text
language sql stable as $$
  select case p_state
    when 'queued' then 'select w.* from animus.work_items w where w.id = any (array(select animus.newest_queued(5000, $6, null))) and w.id > $5 order by w.id desc'
    when 'completed' then 'select w.* from animus.work_items w where w.resolved_at is not null order by w.resolved_at desc'
    else format('select w.* from animus.work_items w where %s and w.id > $5 and w.id < $6 order by %s', animus.state_condition(p_state), p_order) end
$$;

-- Returns the conditions of a filter on a row `s`, with the parameters of find_visible_work.
-- Locks: none. Raises: nothing.
create or replace function animus.work_conditions(p_filter record, p_by_words boolean) returns text
language plpgsql stable as $$
begin
  return 's.id > $5 and s.id < $6'
    || case when p_filter.sees_all then '' else ' and s.submitted_by = $1' end
    || case when p_filter.states is null then '' else ' and s.state = any ($2)' end
    || case when p_filter.faculties is null then '' else ' and s.faculty = any ($3)' end
    || case when p_filter.submitters is null then '' else ' and s.submitted_by = any ($4)' end
    || case when p_filter.ended_since is null then '' else ' and s.resolved_at >= $7' end
    || case when p_filter.ended_until is null then '' else ' and s.resolved_at < $8' end
    || case when p_filter.min_cost is null then '' else ' and s.cost_usd + s.lost_usd >= $9' end
    || case when p_filter.error is null then '' else $c$ and s.error ->> 'code' = $10$c$ end
    || case when p_filter.root is null then '' else ' and s.root_id = $11' end
    || case when p_filter.parent is null then '' else ' and s.parent_id = $12' end
    || case when p_filter.query is null or p_by_words then ''
            else ' and (s.id = any ($14) or (select t.words @@ $13 from animus.work_words t where t.work_item_id = s.id))' end;
end $$;
