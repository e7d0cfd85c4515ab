-- Queries of words, as PostgreSQL searches for them, and what a search leaves behind: uses and statistics.

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
-- Callers: reader, operator, daemon.
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
