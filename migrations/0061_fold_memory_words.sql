-- Words of memories are found with and without their accents, and a phrase does not join the end of a text to its own beginning. Stored vectors depend on
-- these two functions, so that they are never changed: a change needs a migration that makes the column again. Their bodies are no strings, so that a dump has them in
-- the order in which they are needed.

-- Returns a text without accents: those of Latin, Greek and Cyrillic letters, and the strokes of ø, ł and đ.
-- Locks: none. Raises: nothing.
create function animus.fold_accents(p_text text) returns text
language sql immutable strict parallel safe
return translate(normalize(regexp_replace(normalize(p_text, nfd), U&'[\0300-\036f]', '', 'g'), nfc), 'øØłŁđĐ', 'oOlLdD');

-- Returns what a memory is found by: its words as they are written, English words by their stems, and its tags. The gap between both kinds of words keeps the
-- last word of the text from standing before the first one.
-- Locks: none. Raises: nothing.
create function animus.memory_words(p_content text, p_tags text[]) returns tsvector
language sql immutable parallel safe
return ts_delete(to_tsvector('pg_catalog.simple', animus.fold_accents(p_content)) || tsvector '''|'':200'
                 || to_tsvector('pg_catalog.english', animus.fold_accents(p_content)), '|')
       || array_to_tsvector(array(select f from unnest(p_tags) t, animus.fold_accents(t) f where f <> ''));

alter table animus.memories drop column search;
alter table animus.memories add column search tsvector generated always as (animus.memory_words(content, tags)) stored;
create index memories_search on animus.memories using gin (search);
