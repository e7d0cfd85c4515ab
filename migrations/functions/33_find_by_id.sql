-- Finding what a person names by a part of its id: `p_from` to `p_to` are the ids that begin with what was typed, `p_start` is the beginning and
-- `p_ending` the end of the twelve digits that lists show, both null where what was typed is too long for that. At least four digits: the
-- first two bytes of the twelve, and the last two, are what indexes know.

-- Returns the items that the actor may see and whose id begins or ends with these digits, or whose last twelve digits begin with them: newest first, and at most six,
-- because one is wanted. If there is none, the items of the foci whose id begins with them, for those who see all work.
-- Ended items are found by indexes, the ends with one probe per faculty. For open items there are no such indexes, which each insert would pay
-- for: the ids in the partial indexes of the open states are read, 0.1 s at a million queued items.
-- Locks: none. Raises: nothing.
create or replace function animus.find_work(p_from uuid, p_to uuid, p_start text, p_ending text)
  returns table (id uuid, faculty text, state text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: all.
declare
  v_all   constant boolean := animus.sees_all();
  v_first constant bytea := decode(left(p_start, 4), 'hex');
  v_last  constant bytea := decode(right(p_ending, 4), 'hex');
begin
  return query
    with recursive faculties as (
      (select w.faculty from animus.work_items w where w.resolved_at is not null order by w.faculty limit 1)
      union all
      select (select w.faculty from animus.work_items w where w.resolved_at is not null and w.faculty > f.faculty order by w.faculty limit 1)
        from faculties f where f.faculty is not null),
    -- Materialized, so that only few ids are compared as texts.
    near as materialized (
      select w.id from animus.work_items w where w.resolved_at is not null and substring(uuid_send(w.id), 11, 2) = v_first
      union all
      select e.id from faculties f, lateral (
        select w.id from animus.work_items w where w.faculty = f.faculty and substring(uuid_send(w.id), 15, 2) = v_last and w.resolved_at is not null offset 0) e
      union all
      select w.id from animus.work_items w
       where w.state = 'queued' and not w.key_blocked and (substring(uuid_send(w.id), 11, 2) = v_first or substring(uuid_send(w.id), 15, 2) = v_last)
      union all
      select w.id from animus.work_items w
       where w.state = 'queued' and w.key_blocked and (substring(uuid_send(w.id), 11, 2) = v_first or substring(uuid_send(w.id), 15, 2) = v_last)
      union all
      select w.id from animus.work_items w
       where w.state = 'scheduled' and (substring(uuid_send(w.id), 11, 2) = v_first or substring(uuid_send(w.id), 15, 2) = v_last)
      union all
      select w.id from animus.work_items w
       where w.state in ('claimed', 'running') and (substring(uuid_send(w.id), 11, 2) = v_first or substring(uuid_send(w.id), 15, 2) = v_last)
      union all
      select w.id from animus.work_items w
       where w.state = 'waiting' and (substring(uuid_send(w.id), 11, 2) = v_first or substring(uuid_send(w.id), 15, 2) = v_last)),
    named as (
      -- The beginning of an id is a time: four digits of it are all items of weeks.
      (select w.id from animus.work_items w where w.id between p_from and p_to and (v_all or w.submitted_by = animus.actor()) order by w.id desc limit 6)
      union
      select n.id from near n where starts_with(right(n.id::text, 12), p_start) or right(replace(n.id::text, '-', ''), length(p_ending)) = p_ending)
    select w.id, w.faculty, w.state from named n join animus.work_items w on w.id = n.id
     where v_all or w.submitted_by = animus.actor() order by w.id desc limit 6;
  if found or not v_all then return; end if;
  return query
    select w.id, w.faculty, w.state from animus.work_items w
     where w.id in (select f.work_item_id from animus.foci f where f.id between p_from and p_to order by f.id desc limit 1000) order by w.id desc limit 6;
end $$;

-- Returns the conversations in which the actor takes part, by the digits of their id as find_work does: newest first, at most six.
-- Locks: none. Raises: nothing.
create or replace function animus.find_conversation(p_from uuid, p_to uuid, p_start text, p_ending text) returns table (id uuid, faculty text, title text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: all.
declare
  v_first constant bytea := decode(left(p_start, 4), 'hex');
  v_last  constant bytea := decode(right(p_ending, 4), 'hex');
begin
  return query
    with near as materialized (
      select c.file_id from animus.conversations c where substring(uuid_send(c.file_id), 11, 2) = v_first
      union
      select c.file_id from animus.conversations c where substring(uuid_send(c.file_id), 15, 2) = v_last),
    named as (
      (select p.file_id from animus.conversation_people p join animus.files f on f.id = p.file_id and f.deleted_at is null
        where p.actor = animus.actor() and p.file_id between p_from and p_to order by p.file_id desc limit 6)
      union
      select n.file_id from near n where starts_with(right(n.file_id::text, 12), p_start) or right(replace(n.file_id::text, '-', ''), length(p_ending)) = p_ending)
    select o.file_id, o.faculty, o.title
      from named n, lateral (select c.file_id, c.faculty, c.title from animus.own_conversations c where c.file_id = n.file_id offset 0) o
     order by o.file_id desc limit 6;
end $$;
