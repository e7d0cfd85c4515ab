-- Skills that work writes: versions in rows, from which every daemon writes files. Channel animus_skills: another version of a skill is
-- current, or none is; the payload is its name.

-- Locks a skill for its focus, and returns the number that its next version gets, with the current version and the proposed one (null: there is none). The
-- version is then made, and stored by create_skill or update_skill in the same transaction.
-- Locks: the item's row, as hold_lease; the skill; waits a second at most. Raises: WA001, WA003, WA004, 57PA1.
create or replace function animus.begin_skill_version(
  p_id uuid, p_token bigint, p_name text, out next int, out current int, out proposed int, out proposed_by uuid)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.hold_lease(p_id, p_token);
  perform animus.lock_skill(p_name);
  select s.versions + 1, c.version, p.version, p.work_item_id into next, current, proposed, proposed_by
    from animus.skills s
    left join animus.skill_versions c on c.name = s.name and c.state = 'current'
    left join animus.skill_versions p on p.name = s.name and p.state = 'proposed'
   where s.name = p_name;
end $$;

-- Stores the first version of a skill, or the first after it was archived or rejected. p_mode: `auto`, it is current at once, if the submitter
-- of the item may see all work; `ask`, an operator decides. p_version: the number that begin_skill_version returned. p_package: the content hash of the stored package.
-- p_sources: an array of {work_item_id, seq, supports}, the entries of ledgers that it comes from, which the submitter may see; at most 50. p_focus_id, p_call_id:
-- the call; null for a hook. Returns the state of the version.
-- Locks: as begin_skill_version. Raises: WA001, WA002, WA003, WA004, 23514, 57PA1.
create or replace function animus.create_skill(
  p_id uuid, p_token bigint, p_name text, p_version int, p_package text, p_description text, p_note text, p_sources jsonb, p_mode text,
  p_focus_id uuid default null, p_call_id text default null) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_current int;
begin
  perform animus.hold_lease(p_id, p_token);
  perform animus.lock_skill(p_name);
  select v.version into v_current from animus.skill_versions v where v.name = p_name and v.state = 'current';
  if found then
    perform animus.raise('WA002', format('skill %s exists: version %s is current', p_name, v_current), p_id, 'read it, and improve it with update_skill');
  end if;
  return animus.add_skill_version(p_id, p_name, p_version, null, p_package, p_description, p_note, p_sources, p_mode, p_focus_id, p_call_id);
end $$;

-- Stores a new version of a skill. p_base: the version that it was made from; refused if another one is current by now. Otherwise as create_skill.
-- Locks: as begin_skill_version. Raises: WA001, WA002, WA003, WA004, 23514, 57PA1.
create or replace function animus.update_skill(
  p_id uuid, p_token bigint, p_name text, p_version int, p_base int, p_package text, p_description text, p_note text, p_sources jsonb, p_mode text,
  p_focus_id uuid default null, p_call_id text default null) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_base animus.skill_versions;
begin
  perform animus.hold_lease(p_id, p_token);
  perform animus.lock_skill(p_name);
  -- Its own proposal, too, may be made better by the work that wrote it.
  select * into v_base from animus.skill_versions v
   where v.name = p_name and (v.state = 'current' or v.state = 'proposed' and v.work_item_id = p_id and v.version = p_base)
   order by v.version = p_base desc limit 1;
  if v_base.version is null then
    perform animus.raise('WA003', format('no work has written a skill %s that is current', p_name), p_id, 'create it with create_skill');
  elsif v_base.version is distinct from p_base then
    perform animus.raise('WA002', format('version %s of skill %s is current by now, not %s', v_base.version, p_name, coalesce(p_base::text, 'none')), p_id,
      format('read version %s, and change that', v_base.version));
  end if;
  return animus.add_skill_version(p_id, p_name, p_version, case v_base.state when 'current' then p_base else v_base.base end, p_package, p_description, p_note,
    p_sources, p_mode, p_focus_id, p_call_id);
end $$;

-- Locks a skill that work writes, and creates its row.
-- Locks: the skill; waits a second at most. Raises: WA004, 57PA1.
create or replace function animus.lock_skill(p_name text) returns void
language plpgsql set lock_timeout = '1s' as $$
begin
  if coalesce(p_name, '') !~ '^[a-z0-9]+(-[a-z0-9]+)*$' or length(p_name) > 64 then
    perform animus.raise('WA004', format('%s is not a valid skill name', quote_nullable(left(p_name, 100))), null,
      '1 to 64 lower-case letters, digits and single hyphens between them');
  end if;
  loop
    perform from animus.skills s where s.name = p_name for no key update;
    exit when found;
    insert into animus.skills (name, versions, created_at) values (p_name, 0, animus.now()) on conflict do nothing;
  end loop;
exception when lock_not_available then
  perform animus.raise('57PA1', format('skill %s is locked by another transaction', p_name), null, 'try again');
end $$;

-- Stores a version of a skill that the caller has locked, with its sources, and makes it current or proposes it.
-- Locks: none that the caller does not have. Raises: WA002, WA004, 23503, 23514.
create or replace function animus.add_skill_version(
  p_id uuid, p_name text, p_version int, p_base int, p_package text, p_description text, p_note text, p_sources jsonb, p_mode text, p_focus_id uuid,
  p_call_id text) returns text
language plpgsql as $$
declare
  v_now   timestamptz := animus.now();
  v_item  record;
  v_other animus.skill_versions;
  v_state text;
begin
  perform animus.refuse_skill_of_person(p_id, p_name);
  select w.faculty, w.submitted_by into v_item from animus.work_items w where w.id = p_id;
  update animus.skills s set versions = p_version where s.name = p_name and s.versions = p_version - 1;
  if not found then
    perform animus.raise('WA002', format('version %s of skill %s is not the next one', p_version, p_name), p_id, 'begin again');
  end if;
  select * into v_other from animus.skill_versions v where v.name = p_name and v.state = 'proposed';
  if v_other.version is not null then
    if v_other.work_item_id is distinct from p_id then
      perform animus.raise('WA002', format('version %s of skill %s waits for the decision of a person, so it cannot be changed now', v_other.version, p_name), p_id,
        'record what you know in the ledger');
    end if;
    update animus.skill_versions v set state = 'replaced', decided_at = v_now where v.name = p_name and v.version = v_other.version;
  end if;
  if octet_length(coalesce(p_description, '')) not between 1 and 4096 then
    perform animus.raise('WA004', 'a skill needs a description of at most 1024 characters', p_id);
  end if;
  v_state := case when p_mode = 'auto' and animus.actor_sees_all(v_item.submitted_by) then 'current' else 'proposed' end;
  if v_state = 'proposed' and animus.too_many_asks(p_id) is not null then
    perform animus.raise('WA004', format('the skill is not proposed: %s', animus.too_many_asks(p_id)), p_id);
  end if;
  if v_state = 'current' then perform animus.end_current_version(p_name, 'replaced', v_now); end if;
  insert into animus.skill_versions (name, version, state, base, content_hash, description, note, work_item_id, faculty, focus_id, call_id, submitted_by, created_at, current_from)
  values (p_name, p_version, v_state, p_base, p_package, p_description, animus.cut_text(coalesce(p_note, ''), 10000), p_id, v_item.faculty, p_focus_id, p_call_id,
          v_item.submitted_by, v_now, case v_state when 'current' then v_now end);
  perform animus.add_skill_sources(p_id, v_item.submitted_by, p_name, p_version, p_sources, v_now);
  if v_state = 'current' then perform animus.notify('animus_skills', p_name); else perform animus.notify_of('animus_asks', p_id); end if;
  return v_state;
end $$;

-- Refuses a name under which a daemon has found a skill that no work has written as it is: a person wrote it, or has edited it since.
-- Locks: none. Raises: WA002.
create or replace function animus.refuse_skill_of_person(p_id uuid, p_name text) returns void
language plpgsql stable as $$
begin
  if exists (select from animus.skill_names n
              where n.name = p_name
                and not exists (select from animus.skill_versions v where v.name = n.name and v.content_hash = n.content_hash)) then
    perform animus.raise('WA002', format('skill %s belongs to a person, and work cannot change it', p_name), p_id,
      'write one with another name; an operator can allow changes: animus skill adopt ' || p_name);
  end if;
end $$;

-- Copies the entries of ledgers that a version comes from. Entries that the submitter may not see are refused like those that do not exist.
-- Locks: none. Raises: WA004.
create or replace function animus.add_skill_sources(p_id uuid, p_submitter text, p_name text, p_version int, p_sources jsonb, p_now timestamptz) returns void
language plpgsql as $$
declare
  v_all    boolean := animus.actor_sees_all(p_submitter);
  v_source record;
  v_entry  record;
begin
  if coalesce(jsonb_typeof(p_sources), '') <> 'array' or jsonb_array_length(p_sources) > 50 then
    perform animus.raise('WA004', 'the sources of a skill are a list of at most 50 ledger entries', p_id);
  end if;
  for v_source in select (s ->> 'work_item_id')::uuid as id, (s ->> 'seq')::int as seq, s ->> 'supports' as supports from jsonb_array_elements(p_sources) s loop
    select l.entry_type, l.content, w.faculty into v_entry
      from animus.work_items w join animus.all_ledger l on l.work_item_id = w.id
     where w.id = v_source.id and l.seq = v_source.seq and (v_all or w.submitted_by = p_submitter);
    if not found then
      perform animus.raise('WA004', format('there is no ledger entry %s/%s', v_source.id, v_source.seq), p_id, 'name entries as <id of the work item>/<number of the entry>');
    end if;
    insert into animus.skill_provenance (skill, version, work_item_id, ledger_seq, entry_type, content, created_at, supports, faculty)
    values (p_name, p_version, v_source.id, v_source.seq, v_entry.entry_type, animus.cut_text(v_entry.content, 20000), p_now,
            animus.cut_text(v_source.supports, 2000), v_entry.faculty);
  end loop;
end $$;

-- Ends the current version of a skill that the caller has locked, and returns its number; null: there is none.
-- Locks: none that the caller does not have. Raises: nothing.
create or replace function animus.end_current_version(p_name text, p_state text, p_now timestamptz) returns int
language plpgsql as $$
declare
  v_version int;
begin
  update animus.skill_versions v set state = p_state, current_until = p_now where v.name = p_name and v.state = 'current' returning v.version into v_version;
  return v_version;
end $$;
