-- Search of memories: by PostgreSQL's full text search (which ranks by where words stand and how often, and is not BM25) and by vectors, fused by
-- reciprocal rank: Cormack, Clarke and Büttcher, «Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods», SIGIR 2009.

-- Finds memories, best first. p_item: what its work may find: memories of its task, of its project and global ones, of those that all
-- its readers may see; without an item: what the actor may see, of all layers. p_text: words, also "in quotes", or, -not, with or without accents; what stands
-- in quotes is in each memory as it is written, also in those that an embedding finds. Without text and
-- embedding the newest come first. p_embedding: that of the text, by p_model, which must be prepared with its dimension; null: by text alone.
-- p_filters: an object with any of layers, kinds, tags (all of them), project, task, metadata (contained), source_item, faculty, since, until.
-- p_half_life: an age that halves a score. score: the sum of 1 / (60 + rank) in both lists. The source is the newest that stored or changed it.
-- alike: other memories with nearly the same words, which may say something else (memories_alike).
-- Locks: none. Raises: WA003, WA004.
drop function if exists animus.search_memories(text, uuid, real[], text, jsonb, int, interval);
create or replace function animus.search_memories(
  p_text text, p_item uuid default null, p_embedding real[] default null, p_model text default null, p_filters jsonb default '{}',
  p_limit int default 10, p_half_life interval default null)
returns table (
  id uuid, layer text, project text, task uuid, kind text, tags text[], content text, metadata jsonb, submitted_by text, created_at timestamptz,
  updated_at timestamptz, uses int, score float8, text_rank int, vector_rank int, similarity float8,
  sources int, source_item uuid, source_faculty text, source_entry int, source_actor text, alike jsonb)
language plpgsql rows 10 security definer set search_path = pg_catalog, pg_temp
set jit = off set plan_cache_mode = force_custom_plan set enable_mergejoin = off set client_min_messages = warning as $$
-- Callers: all.
declare
  v_now    timestamptz := animus.now();
  v_filter animus.memory_filter := animus.memory_filter_of(p_item, p_filters);
  v_limit  int := least(greatest(coalesce(p_limit, 10), 1), 200);
  -- Of each list: enough that a memory that is good in both is in both.
  v_each   int := least(greatest(v_limit * 5, 50), 400);
  v_words  text := animus.fold_accents(left(p_text, 4000));
  v_text   boolean := v_words ~ '[^[:space:]]';
  v_not    tsquery := animus.excluded_words(v_words);
  v_quoted tsquery := animus.quoted_words(v_words);
begin
  if p_embedding is not null and p_model is null then
    perform animus.raise('WA004', 'an embedding needs the name of its model');
  end if;
  return query
    with by_text as materialized (select t.id, t.rank from animus.rank_by_text(v_filter, v_words, v_each) t where v_text),
    by_vector as materialized (
      select v.id, v.similarity, (row_number() over (order by v.similarity desc, v.id))::int as rank
        from animus.nearest_memories(v_filter, p_embedding, p_model, v_each) v where p_embedding is not null),
    newest as materialized (
      select m.id from animus.fitting_memories(v_filter) m where v_text is not true and p_embedding is null order by m.updated_at desc, m.id desc limit v_limit),
    fused as (
      select coalesce(t.id, v.id) as id, t.rank as text_rank, v.rank as vector_rank, v.similarity,
             coalesce(1.0::float8 / (60 + t.rank), 0) + coalesce(1.0::float8 / (60 + v.rank), 0) as score
        from by_text t full join by_vector v on v.id = t.id
      union all
      select n.id, null, null, null, null from newest n)
    select m.id, m.layer, m.project,
           case when animus.may_name_source(v_filter, m.submitted_by, m.task) then m.task end, m.kind, m.tags, m.content, m.metadata, m.submitted_by, m.created_at, m.updated_at, m.uses, d.score,
           f.text_rank, f.vector_rank, f.similarity, s.sources,
           case when animus.may_name_source(v_filter, m.submitted_by, s.work_item_id) then s.work_item_id end, s.faculty, s.ledger_seq, s.actor, animus.memories_alike(m.id, v_filter)
      from fused f
      join animus.memories m on m.id = f.id
      cross join lateral (
        select f.score * case when p_half_life > interval '0'
            then power(0.5::float8, greatest(extract(epoch from v_now - m.updated_at), 0)::float8 / extract(epoch from p_half_life)::float8) else 1 end) d (score)
      left join lateral (
        select c.work_item_id, c.faculty, c.ledger_seq, c.actor, (count(*) over ())::int as sources
          from animus.memory_sources c where c.memory_id = m.id order by c.action in ('merged', 'unmerged'), c.id desc limit 1) s on true
     where (v_not is null or not m.search @@ v_not) and (v_quoted is null or m.search @@ v_quoted)
     order by d.score desc nulls last, m.updated_at desc, m.id desc limit v_limit;
end $$;

-- Returns whether what a search finds may name the work that a memory of this owner is from: in a context of several readers, if all of them read that work.
-- Locks: none. Raises: nothing.
create or replace function animus.may_name_source(p_filter animus.memory_filter, p_owner text, p_item uuid) returns boolean
language plpgsql stable as $$
begin
  if p_item is null then return false; end if;
  if (p_filter).sees_all then return true; end if;
  if (p_filter).readers is not null then return animus.all_may_read((p_filter).readers, p_item); end if;
  return coalesce(p_owner = (p_filter).viewer or animus.submitter_of(p_item) = (p_filter).viewer, false);
end $$;

-- Returns what a search may find, for the readers of an item or for the actor, narrowed by p_filters.
-- Locks: none. Raises: WA003 for an item that the actor may not see, WA004 for filters that do not exist or cannot be read.
create or replace function animus.memory_filter_of(p_item uuid, p_filters jsonb) returns animus.memory_filter
language plpgsql stable as $$
declare
  v_filter animus.memory_filter;
  v_key    text;
  v_list   text[];
begin
  v_filter.of_item := p_item is not null;
  perform animus.require_seen_item(p_item);
  if p_item is not null then
    select w.submitted_by, w.root_id into v_filter.viewer, v_filter.task from animus.work_items w where w.id = p_item;
    v_filter.project := animus.project_of(p_item);
    v_filter.owners := animus.audience_of(p_item);
    v_filter.readers := animus.bound_readers(v_filter.owners);
    v_filter.sees_all := v_filter.readers = '{}';
    if v_filter.sees_all or v_filter.readers = array[v_filter.viewer] then v_filter.readers := null; end if;
  else
    v_filter.viewer := animus.actor();
    v_filter.sees_all := animus.may_see(null) or animus.may_operate();
  end if;
  for v_key in select k from jsonb_object_keys(coalesce(p_filters, '{}')) k loop
    if p_filters -> v_key = 'null' then continue; end if;
    if v_key in ('layers', 'kinds', 'tags') then
      v_list := array(select e from jsonb_array_elements_text(p_filters -> v_key) e);
      if cardinality(v_list) > 50 then perform animus.raise('WA004', format('the filter %s has more than 50 words', v_key)); end if;
    end if;
    case v_key
      when 'layers' then v_filter.layers := v_list;
      when 'kinds' then v_filter.kinds := v_list;
      when 'tags' then v_filter.tags := array(select lower(btrim(t)) from unnest(v_list) t);
      when 'project' then v_filter.projects := array[p_filters ->> v_key];
      when 'task' then v_filter.tasks := array(select w.root_id from animus.work_items w where w.id = (p_filters ->> 'task')::uuid);
      when 'metadata' then v_filter.metadata := p_filters -> v_key;
      when 'source_item' then v_filter.source_item := (p_filters ->> v_key)::uuid;
      when 'faculty' then v_filter.faculty := p_filters ->> v_key;
      when 'since' then v_filter.since := (p_filters ->> v_key)::timestamptz;
      when 'until' then v_filter.until := (p_filters ->> v_key)::timestamptz;
      else perform animus.raise('WA004', format('memories cannot be filtered by %s', quote_literal(left(v_key, 100))), null,
        'one of layers, kinds, tags, project, task, metadata, source_item, faculty, since, until');
    end case;
  end loop;
  return v_filter;
exception when invalid_text_representation or invalid_parameter_value or datetime_field_overflow or invalid_datetime_format then
  perform animus.raise('WA004', format('the filter %s cannot be read', quote_literal(left(coalesce(v_key, ''), 100))));
end $$;

-- Returns the memories that fit. PostgreSQL inlines it, so that searches use their indexes.
-- Locks: none. Raises: nothing.
create or replace function animus.fitting_memories(p animus.memory_filter) returns setof animus.memories
language sql stable as $$
  select m.* from animus.memories m
   where m.merged_into is null
     and ((p).sees_all or m.submitted_by is null or m.submitted_by = (p).viewer and (p).readers is null
          or m.submitted_by = any ((p).owners) and (p).readers is not null and (m.task = (p).task or animus.memory_for_all(m, (p).readers)))
     and (not (p).of_item or m.layer = 'global' or m.layer = 'task' and m.task = (p).task
          or m.layer = 'project' and ((p).projects is not null or m.project = (p).project))
     and ((p).projects is null or m.project = any ((p).projects))
     and ((p).tasks is null or m.task = any ((p).tasks))
     and ((p).layers is null or m.layer = any ((p).layers))
     and ((p).kinds is null or m.kind = any ((p).kinds))
     and ((p).tags is null or m.tags @> (p).tags)
     and ((p).metadata is null or m.metadata @> (p).metadata)
     and ((p).since is null or m.updated_at >= (p).since)
     and ((p).until is null or m.updated_at < (p).until)
     and ((p).source_item is null and (p).faculty is null or exists (
            select from animus.memory_sources s
             where s.memory_id = m.id and ((p).source_item is null or s.work_item_id = (p).source_item) and ((p).faculty is null or s.faculty = (p).faculty)))
$$;

-- Ranks memories by PostgreSQL's full text search: first those with all the words, by how near the words are to each other; if these are
-- fewer than p_limit, then those with any of them, by how many, but with every phrase in quotes. Of words that very many memories have, the newest 5,000 are ranked.
-- Locks: none. Raises: nothing.
create or replace function animus.rank_by_text(p_filter animus.memory_filter, p_text text, p_limit int) returns table (id uuid, rank int)
language plpgsql stable rows 50 set plan_cache_mode = force_custom_plan as $$
declare
  v_all    tsquery := animus.all_words(p_text);
  v_any    tsquery;
  v_found  uuid[];
  v_quoted tsquery := animus.quoted_words(p_text);
begin
  -- `T` and nothing: words to exclude alone, or no words.
  if numnode(v_all) = 0 or querytree(v_all) in ('', 'T') then return; end if;
  v_found := array(
    select c.id from (select m.id, m.search, m.updated_at from animus.fitting_memories(p_filter) m where m.search @@ v_all and (v_quoted is null or m.search @@ v_quoted)
            order by m.id desc limit 5000) c
     order by ts_rank_cd(c.search, v_all) desc, c.updated_at desc, c.id desc limit p_limit);
  if cardinality(v_found) < p_limit then
    v_any := animus.any_word(p_text);
    if querytree(v_any) not in ('', 'T') then
      v_found := v_found || array(
        select c.id from (select m.id, m.search, m.updated_at from animus.fitting_memories(p_filter) m
                           where m.search @@ v_any and m.id <> all (v_found) and (v_quoted is null or m.search @@ v_quoted) order by m.id desc limit 5000) c
         order by ts_rank(c.search, v_any) desc, c.updated_at desc, c.id desc limit p_limit - cardinality(v_found));
    end if;
  end if;
  return query select f.id, f.n::int from unnest(v_found) with ordinality f (id, n);
end $$;
