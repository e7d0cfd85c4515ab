-- Skills in use: packages, which are skills as they were at some moment, and what foci activated. Lock order: the item, the skill, its
-- package.

-- Returns whether a package is stored, and keeps it from retention for as long as one that was stored today.
-- Locks: the package, once a day. Raises: nothing.
create or replace function animus.keep_skill_package(p_hash text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_today date := (animus.now() at time zone 'UTC')::date;
  v_day   date;
begin
  select p.used_on into v_day from animus.skill_packages p where p.content_hash = p_hash;
  if not found then return false; end if;
  if v_day < v_today then
    update animus.skill_packages p set used_on = v_today where p.content_hash = p_hash;
    return found;
  end if;
  return true;
end $$;

-- Stores a skill under its content hash, and returns false if it was stored before. p_files: an object of paths and contents in base64, with SKILL.md; at most
-- 500 files of 8 MiB together. Ask keep_skill_package first: it does not need the files.
-- Locks: the package. Raises: WA004, 22023 for text that is not base64, 23514 for a path that leads out of the skill.
create or replace function animus.store_skill_package(p_hash text, p_name text, p_files jsonb) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now   timestamptz := animus.now();
  v_files int;
  v_bytes bigint;
begin
  if animus.keep_skill_package(p_hash) then return false; end if;
  if coalesce(jsonb_typeof(p_files), '') <> 'object' or not p_files ? 'SKILL.md' then
    perform animus.raise('WA004', format('skill %s needs a file SKILL.md', p_name));
  end if;
  select count(*), sum(octet_length(decode(f.value, 'base64'))) into v_files, v_bytes from jsonb_each_text(p_files) f;
  if v_files > 500 or v_bytes > 8388608 then
    perform animus.raise('WA004', format('skill %s has %s files of %s bytes together; at most 500 files of 8388608 bytes (8 MiB) are accepted', p_name, v_files, v_bytes));
  end if;
  insert into animus.skill_packages (content_hash, name, bytes, created_at, used_on)
  values (p_hash, p_name, v_bytes, v_now, (v_now at time zone 'UTC')::date) on conflict do nothing;
  if not found then return false; end if;
  insert into animus.skill_files (content_hash, path, content)
  select p_hash, f.key, decode(f.value, 'base64') from jsonb_each_text(p_files) f;
  return true;
end $$;

-- Records that a focus activates skills, and returns the names of those that it had not activated before. p_skills: an array of
-- {name, version, hash, reason}; version is a text or null, and the packages are stored. Call it in the transaction that records what the model gets of them.
-- Locks: the item's row, as hold_focus; the packages, against deletion. Raises: WA001, WA003, 57PA1.
create or replace function animus.activate_skills(p_focus_id uuid, p_token bigint, p_skills jsonb) returns text[]
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_item animus.held_work := animus.hold_focus(p_focus_id, p_token);
begin
  return animus.add_activations(p_focus_id, v_item.id, v_item.faculty, p_skills);
end $$;

-- Records activations for a caller that holds the item, or that has just created the focus.
-- Locks: the packages, against deletion. Raises: WA003.
create or replace function animus.add_activations(p_focus_id uuid, p_item uuid, p_faculty text, p_skills jsonb) returns text[]
language plpgsql as $$
declare
  v_now   timestamptz := animus.now();
  v_names text[];
  v_skill record;
begin
  for v_skill in select s ->> 'name' as name, s ->> 'hash' as hash from jsonb_array_elements(p_skills) s order by 2 loop
    if not animus.keep_skill_package(v_skill.hash) then
      perform animus.raise('WA003', format('the files of skill %s are not stored', v_skill.name), p_item, 'store its package first');
    end if;
  end loop;
  with added as (
    insert into animus.skill_activations (focus_id, skill, version, content_hash, reason, activated_at, work_item_id, faculty)
    select p_focus_id, s ->> 'name', s ->> 'version', s ->> 'hash', coalesce(s ->> 'reason', ''), v_now, p_item, p_faculty
      from jsonb_array_elements(p_skills) s
    on conflict (focus_id, skill) do nothing returning skill)
  select coalesce(array_agg(a.skill), '{}') into v_names from added a;
  return v_names;
end $$;

-- Records which skills a daemon has found at a place, in place of what was reported of it before: p_skills, an array of {name, origin, hash}. Deletes what
-- places have reported that no daemon has spoken for in a week. p_stale_days: after how many days without use a skill is stale, here.
-- Locks: the rows, in the order of their names; the setting. Raises: nothing.
create or replace function animus.report_skills(p_place text, p_skills jsonb, p_stale_days int default 30) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := animus.now();
begin
  perform from animus.skill_names n where n.place = p_place or n.seen_at < v_now - interval '7 days' order by n.name, n.place for no key update;
  delete from animus.skill_names n
   where n.place = p_place and n.name not in (select s ->> 'name' from jsonb_array_elements(p_skills) s)
      or n.place <> p_place and n.seen_at < v_now - interval '7 days';
  insert into animus.skill_names as n (name, place, origin, content_hash, first_seen_at, seen_at)
  select s ->> 'name', p_place, s ->> 'origin', s ->> 'hash', v_now, v_now from jsonb_array_elements(p_skills) s order by 1
  on conflict (name, place) do update set origin = excluded.origin, content_hash = excluded.content_hash, seen_at = excluded.seen_at;
  insert into animus.settings as s (key, value) values ('stale_skill_days', to_jsonb(p_stale_days))
  on conflict (key) do update set value = excluded.value where s.value <> excluded.value;
end $$;
