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
  perform animus.raise('WA004', format('an embedding of %s is not a vector of %s dimensions: %s', p_model, p_dimensions, sqlerrm));
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
