-- Embeddings of memories, where pgvector is installed: one per memory, of one model and dimension, with an HNSW index per model. Statements
-- that name pgvector's types are put together with the schema it is in, which the fixed search path leaves out.

-- Makes the table and the index for embeddings of a model, and makes it the current one: only its embeddings are asked for and found.
-- p_place: the provider, such as openai at https://api.openai.com/v1. Vectors of another place are those of another model, even if its name is the
-- same: they keep the name with their place. ready: false, and why, where there is no pgvector. Calling it again changes nothing.
-- Locks: animus.memory_models, against other callers; waits five seconds at most. Raises: WA004, 57PA1.
drop function if exists animus.prepare_embeddings(text, int);
create or replace function animus.prepare_embeddings(p_model text, p_dimensions int, p_place text default null, out ready boolean, out reason text)
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '5s' as $$
declare
  v_vectors text;
  v_id      int;
  v_role    text;
  v_type    text;
begin
  if coalesce(p_model, '') !~ '[^[:space:]]' or length(p_model) > 200 or coalesce(p_dimensions, 0) not between 1 and 16000 then
    perform animus.raise('WA004', 'a model has a name of at most 200 characters and 1 to 16000 dimensions');
  end if;
  lock table animus.memory_models in share row exclusive mode;
  v_vectors := animus.vector_schema();
  ready := v_vectors is not null;
  if not ready then
    reason := coalesce((select s.value ->> 'reason' from animus.settings s where s.key = 'memory'), 'pgvector is not installed in this database');
    return;
  end if;
  update animus.memory_models m set model = format('%s, %s', m.model, m.place)
   where m.model = p_model and m.dimensions = p_dimensions and m.place <> p_place;
  update animus.memory_models m set model = p_model where m.model = format('%s, %s', p_model, p_place) and m.dimensions = p_dimensions and m.place = p_place;
  select m.id into v_id from animus.memory_models m order by m.prepared_at desc, m.id desc limit 1;
  if not exists (select from animus.memory_models m where m.id = v_id and m.model = p_model and m.dimensions = p_dimensions) then
    insert into animus.memory_models as m (model, dimensions, prepared_at) values (p_model, p_dimensions, animus.now())
    on conflict (model, dimensions) do update set prepared_at = excluded.prepared_at
    returning m.id into v_id;
  end if;
  update animus.memory_models m set place = p_place where m.id = v_id and p_place is not null and m.place is null;
  if to_regclass('animus.memory_embeddings') is null then
    execute format('create table animus.memory_embeddings (
      memory_id  uuid primary key references animus.memories (id) on delete cascade,
      model_id   int not null references animus.memory_models (id),
      embedding  %s.vector not null)', v_vectors);
    for v_role in select rolname from pg_roles where rolname = any (array['animus_reader', 'animus_operator', 'animus_daemon']) loop
      execute format('grant select on animus.memory_embeddings to %I', v_role);
    end loop;
  end if;
  -- HNSW takes vectors of up to 2,000 dimensions, and half-precision ones of up to 4,000.
  v_type := case when p_dimensions <= 2000 then 'vector' when p_dimensions <= 4000 then 'halfvec' end;
  if v_type is not null and exists (select from pg_am where amname = 'hnsw') then
    execute format('create index if not exists %I on animus.memory_embeddings using hnsw ((embedding::%s.%s(%s)) %2$s.%3$s_cosine_ops) where model_id = %5$s',
      'memory_embeddings_model_' || v_id, v_vectors, v_type, p_dimensions, v_id);
  end if;
exception when lock_not_available then
  perform animus.raise('57PA1', 'the embeddings of memories are locked by another transaction', p_hint => 'try again');
end $$;

-- Returns the memories that have no embedding of the model, at most p_limit; none unless it is the current one. digest: of the text; give
-- it back with the embedding.
-- Locks: none. Raises: nothing.
create or replace function animus.unembedded_memories(p_model text, p_dimensions int, p_limit int default 100)
returns table (id uuid, content text, digest text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_current animus.memory_models;
begin
  select * into v_current from animus.memory_models m order by m.prepared_at desc, m.id desc limit 1;
  if v_current.model = p_model and v_current.dimensions = p_dimensions then
    return query
      select m.id, m.content, encode(m.digest, 'hex') from animus.memories m
       where m.merged_into is null and (m.embedded_as is null or m.embedded_as < v_current.id or m.embedded_as > v_current.id) limit p_limit;
  end if;
end $$;

-- Stores embeddings, each a list like [1,2,3] of the model's dimension. Memories that were changed, merged, deleted or locked meanwhile are
-- skipped and embedded later. Returns how many were stored. Link those that are alike afterwards, in a statement of its own.
-- Locks: the rows of the memories, and skips those that others have locked. Raises: WA003, WA004.
create or replace function animus.store_embeddings(p_model text, p_dimensions int, p_ids uuid[], p_digests text[], p_embeddings text[]) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_model int := animus.memory_model(p_model, p_dimensions);
  v_ids   uuid[];
  v_zero  boolean;
begin
  v_ids := array(
    select m.id from animus.memories m join unnest(p_ids, p_digests) u (id, digest) on u.id = m.id
     where m.merged_into is null and encode(m.digest, 'hex') = u.digest order by m.id for no key update of m skip locked);
  execute format('select exists (select from unnest($1) e where %1$s.vector_norm(e::%1$s.vector) = 0)', animus.vector_schema()) into v_zero using p_embeddings;
  if v_zero then perform animus.raise('WA004', format('an embedding of %s has only zeros', p_model)); end if;
  execute format('
    insert into animus.memory_embeddings as e (memory_id, model_id, embedding)
    select u.id, $1, u.embedding::%1$s.vector(%2$s) from unnest($2, $3) u (id, embedding) where u.id = any ($4)
    on conflict (memory_id) do update set model_id = excluded.model_id, embedding = excluded.embedding', animus.vector_schema(), p_dimensions)
  using v_model, p_ids, p_embeddings, v_ids;
  update animus.memories m set embedded_as = v_model, embedding_problem = null where m.id = any (v_ids);
  return cardinality(v_ids);
exception when data_exception or numeric_value_out_of_range or invalid_text_representation then
  perform animus.raise('WA004', format('an embedding of %s is no vector of %s dimensions: %s', p_model, p_dimensions, sqlerrm));
end $$;

-- Records that the model makes no embedding of these texts, and why. They are found by text, and tried again when they change.
-- Locks: the rows of the memories, and skips those that others have locked. Raises: WA003.
create or replace function animus.skip_embeddings(p_model text, p_dimensions int, p_ids uuid[], p_digests text[], p_problem text) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_model int := animus.memory_model(p_model, p_dimensions);
  v_ids   uuid[];
begin
  v_ids := array(
    select m.id from animus.memories m join unnest(p_ids, p_digests) u (id, digest) on u.id = m.id
     where m.merged_into is null and encode(m.digest, 'hex') = u.digest order by m.id for no key update of m skip locked);
  perform animus.drop_embedding(u) from unnest(v_ids) u;
  update animus.memories m set embedded_as = v_model, embedding_problem = animus.cut_text(p_problem, 500) where m.id = any (v_ids);
  return cardinality(v_ids);
end $$;

-- Links each of these memories with those of its place that are nearly alike: whose embeddings are at least p_similarity alike (cosine), among
-- the 20 nearest. Nothing is merged: nearly the same words may say the opposite, and an embedding does not tell. Returns how many links are new.
-- Locks: the memories against deletion, one after the other in the order of their ids; the rows of the links. Raises: WA004.
create or replace function animus.link_similar_memories(p_ids uuid[], p_similarity float8) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_pair   record;
  v_there  int;
  v_new    int;
  v_linked int := 0;
begin
  if p_similarity is null or p_similarity not between 0.5 and 1 then
    perform animus.raise('WA004', 'the similarity of memories that are linked is between 0.5 and 1');
  end if;
  if to_regclass('animus.memory_embeddings') is null or animus.vector_schema() is null then return 0; end if;
  for v_pair in
    select distinct least(m.id, n.id) as one, greatest(m.id, n.id) as other
      from animus.memories m cross join lateral animus.near_duplicates(m, p_similarity) n
     where m.id = any (p_ids) and m.merged_into is null and m.embedded_as is not null
     order by 1, 2
  loop
    -- One of them may have been deleted meanwhile.
    perform from animus.memories m where m.id in (v_pair.one, v_pair.other) order by m.id for key share;
    get diagnostics v_there = row_count;
    continue when v_there < 2;
    insert into animus.memory_links (memory_id, alike_id, linked_at) values (v_pair.one, v_pair.other, animus.now()) on conflict do nothing;
    get diagnostics v_new = row_count;
    v_linked := v_linked + v_new;
  end loop;
  return v_linked;
end $$;

drop function if exists animus.merge_similar_memories(uuid[], float8);

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
    perform animus.raise('WA004', 'the embedding is no vector: it has only zeros, or something that is no number');
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
