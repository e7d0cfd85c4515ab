-- Nearest memories by their embeddings, with or without an index.

-- Returns the memories of the same place that are nearly alike, among the 20 nearest of a memory.
-- Locks: none. Raises: nothing.
drop function if exists animus.near_duplicates(animus.memories, float8);
create or replace function animus.near_duplicates(p_memory animus.memories, p_similarity float8) returns table (id uuid)
language plpgsql as $$
declare
  v_embedding  real[];
  v_everything animus.memory_filter;
  v_model      record;
begin
  v_everything.sees_all := true;
  v_everything.of_item := false;
  select m.model, m.dimensions into v_model from animus.memory_models m where m.id = p_memory.embedded_as;
  execute format('select e.embedding::real[] from animus.memory_embeddings e where e.memory_id = $1 and e.model_id = $2')
    into v_embedding using p_memory.id, p_memory.embedded_as;
  if v_embedding is null then return; end if;
  return query
    select m.id
      from animus.nearest_by_index(v_everything, v_embedding, p_memory.embedded_as, v_model.dimensions, 20, false) n
      join animus.memories m on m.id = n.id
     where n.similarity >= p_similarity and m.id <> p_memory.id and m.merged_into is null and m.layer = p_memory.layer
       and m.task is not distinct from p_memory.task and m.project is not distinct from p_memory.project and m.submitted_by is not distinct from p_memory.submitted_by;
end $$;

-- Returns the memories that fit and are nearest by cosine: exactly where at most 5,000 fit, otherwise by the HNSW index.
-- Locks: none. Raises: WA003, WA004.
create or replace function animus.nearest_memories(p_filter animus.memory_filter, p_embedding real[], p_model text, p_limit int)
returns table (id uuid, similarity float8)
language plpgsql rows 50 set plan_cache_mode = force_custom_plan as $$
declare
  v_model int;
  v_ids   uuid[];
begin
  if p_embedding is null then return; end if;
  v_model := animus.memory_model(p_model, cardinality(p_embedding));
  if (select bool_or(x in ('NaN', 'Infinity', '-Infinity') or x is null) or bool_and(x = 0) from unnest(p_embedding) x) then
    perform animus.raise('WA004', 'the embedding is not a vector: it has only zeros, or something that is not a number');
  end if;
  v_ids := array(select m.id from animus.fitting_memories(p_filter) m where m.embedded_as = v_model limit 5001);
  if cardinality(v_ids) > 5000 then
    return query select n.id, n.similarity from animus.nearest_by_index(p_filter, p_embedding, v_model, cardinality(p_embedding), p_limit, true) n;
    return;
  end if;
  return query execute format('
    select e.memory_id, 1 - (e.embedding operator(%1$s.<=>) $1::%1$s.vector) as similarity
      from animus.memory_embeddings e where e.memory_id = any ($2) and e.model_id = $3 order by similarity desc limit $4', animus.vector_schema())
  using p_embedding, v_ids, v_model, p_limit;
end $$;

-- Returns the memories that fit and are nearest by cosine, by the HNSW index of the model (approximately), with ef_search = 100 or more. Under
-- filters, pgvector 0.8 goes on scanning until there are enough (p_iterate); an older one may find fewer. Without an index, it is exact.
-- Locks: none. Raises: nothing.
create or replace function animus.nearest_by_index(
  p_filter animus.memory_filter, p_embedding real[], p_model int, p_dimensions int, p_limit int, p_iterate boolean) returns table (id uuid, similarity float8)
language plpgsql rows 50 set jit = off set enable_sort = off as $$
declare
  v_iterates boolean := (select string_to_array(regexp_replace(extversion, '[^0-9.].*', ''), '.')::int[] >= '{0,8}' from pg_extension where extname = 'vector');
  v_type     text := case when p_dimensions <= 2000 then 'vector' else 'halfvec' end;
  v_ef       text := current_setting('hnsw.ef_search', true);
  v_scan     text := current_setting('hnsw.iterative_scan', true);
begin
  perform set_config('hnsw.ef_search', least(greatest(100, p_limit * 2), 1000)::text, true);
  if v_iterates then perform set_config('hnsw.iterative_scan', case when p_iterate then 'relaxed_order' else 'off' end, true); end if;
  return query execute format('
    with near as materialized (
      select e.memory_id, (e.embedding::%1$s.%2$s(%3$s)) operator(%1$s.<=>) $1::%1$s.%2$s(%3$s) as distance
        from animus.memory_embeddings e join animus.fitting_memories($2) m on m.id = e.memory_id
       where e.model_id = %4$s order by (e.embedding::%1$s.%2$s(%3$s)) operator(%1$s.<=>) $1::%1$s.%2$s(%3$s) limit $3)
    select memory_id, 1 - distance from near order by distance', animus.vector_schema(), v_type, p_dimensions, p_model)
  using p_embedding, p_filter, p_limit;
  perform set_config('hnsw.ef_search', v_ef, true);
  if v_iterates then perform set_config('hnsw.iterative_scan', v_scan, true); end if;
end $$;

-- Returns why memories cannot be searched by embeddings of a model; null if they can.
-- Locks: none. Raises: nothing.
create or replace function animus.vector_search_problem(p_model text, p_dimensions int) returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: all.
declare
  v_current animus.memory_models;
begin
  if animus.vector_schema() is null then return 'pgvector is not installed in this database'; end if;
  select * into v_current from animus.memory_models m order by m.prepared_at desc, m.id desc limit 1;
  if not found or to_regclass('animus.memory_embeddings') is null then return 'no memory has an embedding yet'; end if;
  if (v_current.model, v_current.dimensions) is distinct from (p_model, p_dimensions) then
    return format('memories have embeddings of %s with %s dimensions, not of %s with %s', v_current.model, v_current.dimensions, p_model, p_dimensions);
  end if;
  return null;
end $$;

-- Returns the number of a model that was prepared.
-- Locks: none. Raises: WA003.
create or replace function animus.memory_model(p_model text, p_dimensions int) returns int
language plpgsql stable as $$
declare
  v_id int;
begin
  select m.id into v_id from animus.memory_models m where m.model = p_model and m.dimensions = p_dimensions;
  if not found or to_regclass('animus.memory_embeddings') is null then
    perform animus.raise('WA003', format('no embeddings of %s with %s dimensions are kept here', p_model, p_dimensions), null, 'prepare them with animus.prepare_embeddings');
  end if;
  return v_id;
end $$;

-- Returns the schema of pgvector, quoted; null where it is not installed.
-- Locks: none. Raises: nothing.
create or replace function animus.vector_schema() returns text
language sql stable as $$
  select quote_ident(n.nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'
$$;

-- Deletes the embedding of a memory, if there is one, and the links that it led to.
-- Locks: their rows. Raises: nothing.
create or replace function animus.drop_embedding(p_id uuid) returns void
language plpgsql as $$
begin
  delete from animus.memory_links where p_id in (memory_id, alike_id);
  if to_regclass('animus.memory_embeddings') is not null then
    delete from animus.memory_embeddings where memory_id = p_id;
  end if;
end $$;
