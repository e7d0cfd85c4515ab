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
      else perform animus.raise('WA004', format('memories have no filter %s', quote_literal(left(v_key, 100))), null,
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
-- fewer than p_limit, then those with any of them, by how many, but with all that stands in quotes. Of words that very many memories have, the newest 5,000 are ranked.
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

-- Returns a query for all the words of a text, as they are written or by their English stems.
-- Locks: none. Raises: nothing.
create or replace function animus.all_words(p_text text) returns tsquery
language plpgsql stable as $$
begin
  if websearch_to_tsquery('simple', p_text) = websearch_to_tsquery('english', p_text) then return websearch_to_tsquery('simple', p_text); end if;
  return websearch_to_tsquery('simple', p_text) || websearch_to_tsquery('english', p_text);
exception when internal_error or program_limit_exceeded then
  -- A long run of minus signs overflows the stack of its parser, for one. Then all of it is words.
  return plainto_tsquery('simple', p_text) || plainto_tsquery('english', p_text);
end $$;

-- Returns a query for what a text has in quotes, at most 20 phrases: their words as they are written, one after the other; null if there is none. Where `or`
-- joins anything, it asks for one of the alternatives: its phrases, and its other words as all_words does.
-- Locks: none. Raises: nothing.
create or replace function animus.quoted_words(p_text text) returns tsquery
language plpgsql stable as $$
declare
  v_word    text;
  v_phrases int := 0;
  v_quoted  tsquery := '';
  v_asked   tsquery := '';
  v_others  text := '';
  v_either  tsquery := '';
  v_parts   int := 0;
begin
  p_text := regexp_replace(p_text, E'(^|\\s)-("[^"]*"|\\S+)', ' ', 'g');
  -- The `or` at the end ends the last alternative.
  for v_word in select e[1] from regexp_matches(p_text || ' or', '("[^"]*"|[^[:space:]"]+)', 'g') e loop
    if v_word like '"%' and v_phrases < 20 then
      v_phrases := v_phrases + 1;
      v_quoted := v_quoted && phraseto_tsquery('simple', v_word);
      v_asked := v_asked && phraseto_tsquery('simple', v_word);
    elsif lower(v_word) <> 'or' then
      v_others := v_others || ' ' || v_word;
    else
      v_asked := v_asked && animus.all_words(v_others);
      v_parts := v_parts + (numnode(v_asked) > 0)::int;
      v_either := v_either || v_asked;
      v_asked := '';
      v_others := '';
    end if;
  end loop;
  return case when numnode(v_quoted) = 0 then null when v_parts > 1 then v_either else v_quoted end;
end $$;

-- Returns a query for the words and phrases that a text excludes by a minus, at most 20; null if it excludes none. A phrase is excluded as it is written.
-- Locks: none. Raises: nothing.
create or replace function animus.excluded_words(p_text text) returns tsquery
language plpgsql stable as $$
declare
  v_word  text;
  v_query tsquery;
begin
  for v_word in select e[2] from regexp_matches(p_text, E'(^|\\s)-("[^"]*"|\\S+)', 'g') e limit 20 loop
    v_query := coalesce(v_query || phraseto_tsquery('simple', v_word), phraseto_tsquery('simple', v_word));
    if v_word not like '"%' then v_query := v_query || phraseto_tsquery('english', v_word); end if;
  end loop;
  return nullif(v_query, '');
end $$;

-- Returns a query for any of the words of a text: up to 64, with their stems, without English stop words (unless there is nothing else), and
-- for none that the text excludes.
-- Locks: none. Raises: nothing.
create or replace function animus.any_word(p_text text) returns tsquery
language plpgsql stable as $$
declare
  v_words    text[];
  v_word     text;
  v_query    tsquery;
  v_excluded tsquery := animus.excluded_words(p_text);
begin
  p_text := regexp_replace(p_text, E'(^|\\s)-("[^"]*"|\\S+)', ' ', 'g');
  v_words := (tsvector_to_array(to_tsvector('simple', p_text)))[1:200];
  v_words := array(select w from unnest(v_words) w where ts_lexize('english_stem', w) <> '{}')
    || array(select s from unnest(v_words) w, unnest(ts_lexize('english_stem', w)) s);
  if v_words = '{}' then v_words := tsvector_to_array(to_tsvector('simple', p_text)); end if;
  foreach v_word in array (array(select distinct w from unnest(v_words) w order by w))[1:64] loop
    -- Each word is parsed again, so that no word is read as an operator.
    v_query := coalesce(v_query || plainto_tsquery('simple', v_word), plainto_tsquery('simple', v_word));
  end loop;
  return case when v_excluded is null then v_query else v_query && !! v_excluded end;
end $$;

-- Notes that memories were given to a model. Approximate: rows that somebody has locked are skipped.
-- Locks: the rows of the memories, and skips those that others have locked. Raises: nothing.
create or replace function animus.note_memory_uses(p_ids uuid[]) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  update animus.memories m set uses = m.uses + 1, used_at = animus.now()
   where m.id in (select l.id from animus.memories l where l.id = any (p_ids) order by l.id for no key update skip locked)
$$;

-- Returns what is stored: per layer the memories, places, merged ones and texts without an embedding of the current model, and the model.
-- Locks: none. Raises: nothing.
create or replace function animus.memory_stats() returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with current as (select c.id, c.model, c.dimensions from animus.memory_models c order by c.prepared_at desc, c.id desc limit 1),
  layers as (
    select m.layer, count(*) filter (where m.merged_into is null) as memories, count(*) filter (where m.merged_into is not null) as merged,
           count(*) filter (where m.merged_into is null and m.embedded_as = c.id and m.embedding_problem is null) as embedded,
           count(*) filter (where m.merged_into is null and m.embedded_as = c.id and m.embedding_problem is not null) as refused,
           coalesce(sum(octet_length(m.content)) filter (where m.merged_into is null), 0) as bytes
      from animus.memories m left join current c on true group by m.layer)
  select jsonb_build_object(
    'layers', (select jsonb_object_agg(w.layer, jsonb_build_object('memories', coalesce(l.memories, 0), 'merged', coalesce(l.merged, 0),
                 'embedded', coalesce(l.embedded, 0), 'refused', coalesce(l.refused, 0), 'bytes', coalesce(l.bytes, 0), 'limit', animus.memory_limit(w.layer),
                 'places', (select count(*) from animus.memory_counts n where n.layer = w.layer and n.memories > 0)))
               from unnest(array['task', 'project', 'global']) w (layer) left join layers l on l.layer = w.layer),
    'model', (select jsonb_build_object('model', c.model, 'dimensions', c.dimensions) from current c))
$$;
