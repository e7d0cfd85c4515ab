-- Searches for work by its words. Daemons write the words of what was submitted or has ended, a little later and many at once; whatever is not there yet is
-- looked at by each search, as far as it is little.

-- Returns the words of an item: of its description, its outcome, its error and its ledger, whose texts are cut. Any language: no word is reduced to a stem or
-- left out. Without places, which would be half of it.
-- Locks: none. Raises: nothing.
create or replace function animus.words_of_work(p_id uuid) returns tsvector
language plpgsql stable set client_min_messages = error as $$
begin
  return (
    select strip(to_tsvector('simple', concat_ws(E'\n', left(w.description, 20000), left(w.outcome_summary, 5000), left(w.outcome::text, 5000), left(w.error ->> 'message', 2000),
             (select left(string_agg(left(l.content, 2000), E'\n'), 30000)
                from (select a.content from animus.all_ledger a where a.work_item_id = w.id order by a.seq desc limit 100) l))))
      from animus.work_items w where w.id = p_id);
end $$;

-- Returns a query for all words of a text, each by its beginning; at most 16 words.
-- Locks: none. Raises: WA004 for a text without words.
create or replace function animus.work_query(p_text text) returns tsquery
language plpgsql stable set client_min_messages = error as $$
declare
  v_query text;
begin
  select string_agg(format('''%s'':*', replace(replace(w.word, E'\\', E'\\\\'), '''', '''''')), ' & ') into v_query
    from (select u.word from unnest(tsvector_to_array(to_tsvector('simple', left(p_text, 1000)))) u (word) limit 16) w;
  if v_query is null then perform animus.raise('WA004', format('%s has no word to search for', quote_literal(left(p_text, 100)))); end if;
  return v_query::tsquery;
end $$;

-- Writes the words of about p_limit items that were submitted or have ended, where everything is committed. Returns how many; null if there is nothing to read
-- yet, or another daemon reads. Items that have ended later are written then.
-- Locks: the reader's row, and skips it if another has it; the rows of the items, against deletion. Raises: nothing.
create or replace function animus.read_words(p_limit int default 500) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off set enable_seqscan = off as $$
-- Callers: daemon.
declare
  v_since timestamptz;
  v_until timestamptz;
  v_ids   uuid[];
begin
  select p.since, p.until into v_since, v_until from animus.next_period('words') p;
  if v_until is null then return null; end if;
  v_until := animus.part_of_period(v_since, v_until, p_limit);
  v_ids := array(
    select w.id from animus.work_items w
     where w.id = any (array(
       select o.id from animus.work_items o where o.id >= animus.first_id_at(v_since) and o.id < animus.first_id_at(v_until) and o.resolved_at is null
       union all
       select e.id from animus.work_items e where e.resolved_at >= v_since and e.resolved_at < v_until))
     order by w.id for key share);
  insert into animus.work_words as t (work_item_id, words) select i.id, animus.words_of_work(i.id) from unnest(v_ids) i (id)
  on conflict (work_item_id) do update set words = excluded.words where t.words <> excluded.words;
  perform animus.period_read('words', v_until);
  return cardinality(v_ids);
end $$;

-- Returns what a search finds among the items whose words are not written yet: of the newest 500 each of what is worked on, waits, was submitted or has ended
-- since.
-- Locks: none. Raises: nothing.
create or replace function animus.unwritten_with_words(p_query tsquery) returns uuid[]
language plpgsql stable set jit = off set enable_seqscan = off as $$
declare
  v_since constant timestamptz := coalesce((select r.up_to from animus.periods_read r where r.reader = 'words'), '-infinity');
begin
  return array(
    select n.id from (
      (select w.id from animus.work_items w where w.state in ('claimed', 'running') order by w.id desc limit 500)
      union
      (select w.id from animus.work_items w where w.state = 'waiting' order by w.id desc limit 500)
      union
      (select w.id from animus.work_items w where w.id >= animus.first_id_at(v_since) order by w.id desc limit 500)
      union
      (select w.id from animus.work_items w where w.resolved_at >= v_since order by w.resolved_at desc limit 500)) n
     where animus.words_of_work(n.id) @@ p_query);
end $$;

-- Forgets the words of deleted items.
-- Locks: the rows. Raises: nothing.
create or replace function animus.forget_words() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from animus.work_words t using deleted d where t.work_item_id = d.id;
  return null;
end $$;

create or replace trigger work_items_forget_words after delete on animus.work_items
  referencing old table as deleted for each statement execute function animus.forget_words();
