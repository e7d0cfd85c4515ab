-- What people decide about skills that work has written. Each decision is a row of animus.decisions with target `skill NAME`, bound to the
-- content hash of the version.

-- Makes the proposed version of a skill current, and returns its number. p_hash: the content hash that was shown; refused if another one waits by
-- now. p_ask: the same by its ask_id in animus.inbox. Refused if the version that it was made from is no longer current.
-- Locks: the skill; waits a second at most. Raises: WA002, WA003, WA004, 42501, 57PA1.
drop function if exists animus.approve_skill(text, text, text);
create or replace function animus.approve_skill(p_name text, p_note text default '', p_hash text default null, p_ask uuid default null) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now     timestamptz;
  v_version animus.skill_versions;
  v_current int;
begin
  perform animus.require_operator();
  v_version := animus.hold_proposal(p_name, p_hash, p_ask);
  perform animus.require_four_eyes(v_version.work_item_id, v_version.focus_id, null);
  v_now := animus.now();
  select v.version into v_current from animus.skill_versions v where v.name = p_name and v.state = 'current';
  if v_current is distinct from v_version.base then
    perform animus.raise('WA002', format('version %s of skill %s was made from %s, and %s by now', v_version.version, p_name,
      coalesce('version ' || v_version.base, 'nothing'), coalesce('version ' || v_current, 'no version') || ' is current'), null,
      'deny it: the work can be done again from what is current');
  end if;
  perform animus.end_current_version(p_name, 'replaced', v_now);
  update animus.skill_versions v
     set state = 'current', decided_by = animus.actor(), decided_at = v_now, current_from = v_now, decision_note = animus.cut_text(coalesce(p_note, ''), 10000)
   where v.name = p_name and v.version = v_version.version;
  perform animus.record_skill_decision(p_name, 'approve', p_note, v_version, v_now);
  perform animus.notify('animus_skills', p_name);
  return v_version.version;
end $$;

-- Rejects the proposed version of a skill, and returns its number. p_hash and p_ask: as for approve_skill.
-- Locks: the skill; waits a second at most. Raises: WA002, WA003, WA004, 42501, 57PA1.
drop function if exists animus.deny_skill(text, text, text);
create or replace function animus.deny_skill(p_name text, p_note text default '', p_hash text default null, p_ask uuid default null) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now     timestamptz;
  v_version animus.skill_versions;
begin
  perform animus.require_operator();
  v_version := animus.hold_proposal(p_name, p_hash, p_ask);
  v_now := animus.now();
  update animus.skill_versions v
     set state = 'rejected', decided_by = animus.actor(), decided_at = v_now, decision_note = animus.cut_text(coalesce(p_note, ''), 10000)
   where v.name = p_name and v.version = v_version.version;
  perform animus.record_skill_decision(p_name, 'deny', p_note, v_version, v_now);
  return v_version.version;
end $$;

-- Archives a skill that work has written: daemons delete its files, and its versions stay. Returns the number of the version that was current.
-- Locks: the skill; waits a second at most. Raises: WA002, WA003, WA004, 42501, 57PA1.
create or replace function animus.archive_skill(p_name text, p_note text default '') returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now     timestamptz;
  v_version animus.skill_versions;
begin
  perform animus.require_operator();
  perform animus.require_written(p_name);
  perform animus.lock_skill(p_name);
  v_now := animus.now();
  select * into v_version from animus.skill_versions v where v.name = p_name and v.state = 'current';
  if not found then
    perform animus.raise('WA002', format('no version of skill %s is current', p_name), null, 'animus skill history shows what became of them');
  end if;
  perform animus.end_current_version(p_name, 'archived', v_now);
  perform animus.record_skill_decision(p_name, 'archive', p_note, v_version, v_now);
  perform animus.notify('animus_skills', p_name);
  return v_version.version;
end $$;

-- Makes an earlier version of a skill current again, as a new version with the same files, and returns its number. p_version: one that was current before; null: the
-- one that was current last before the present version, or before the skill was archived. A version that waits for a decision is refused later, because its base is
-- replaced.
-- Locks: the skill; waits a second at most. Raises: WA002, WA003, WA004, 42501, 57PA1.
create or replace function animus.rollback_skill(p_name text, p_version int default null, p_note text default '') returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now  timestamptz;
  v_old  animus.skill_versions;
  v_new  animus.skill_versions;
  v_hash text;
begin
  perform animus.require_operator();
  perform animus.require_written(p_name);
  perform animus.lock_skill(p_name);
  v_now := animus.now();
  select v.content_hash into v_hash from animus.skill_versions v where v.name = p_name and v.state = 'current';
  select * into v_old from animus.skill_versions v
   where v.name = p_name and (v.version = p_version or p_version is null and v.current_until is not null and v.content_hash is distinct from v_hash)
   order by v.current_until desc, v.version desc limit 1;
  if v_old.version is null then
    perform animus.raise(case when p_version is null then 'WA002' else 'WA003' end,
      case when p_version is null then format('no version of skill %s was current before', p_name) else format('skill %s has no version %s', p_name, p_version) end, null,
      'it has ' || animus.skill_versions_text(p_name));
  elsif v_old.current_from is null then
    perform animus.raise('WA002', format('version %s of skill %s was never current: it is %s', v_old.version, p_name, v_old.state), null, 'it has ' || animus.skill_versions_text(p_name));
  elsif v_old.content_hash = v_hash then
    perform animus.raise('WA002', format('the files of version %s of skill %s are current', v_old.version, p_name), null, 'it has ' || animus.skill_versions_text(p_name));
  end if;
  update animus.skills s set versions = s.versions + 1 where s.name = p_name returning s.versions into v_new.version;
  v_new.base := animus.end_current_version(p_name, 'replaced', v_now);
  v_new.content_hash := v_old.content_hash;
  insert into animus.skill_versions (name, version, state, base, content_hash, description, note, created_at, decided_by, decided_at, decision_note, current_from)
  values (p_name, v_new.version, 'current', v_new.base, v_old.content_hash, v_old.description, format('the files of version %s again', v_old.version), v_now,
          animus.actor(), v_now, animus.cut_text(coalesce(p_note, ''), 10000), v_now);
  perform animus.record_skill_decision(p_name, 'rollback', p_note, v_new, v_now);
  perform animus.notify('animus_skills', p_name);
  return v_new.version;
end $$;

-- Returns the newest 20 versions of a skill with their states, for people: `versions 3 (current), 2 (rejected), 1 (replaced)`.
-- Locks: none. Raises: nothing.
create or replace function animus.skill_versions_text(p_name text) returns text
language sql stable as $$
  select 'versions ' || string_agg(format('%s (%s)', v.version, v.state), ', ' order by v.version desc)
    from (select * from animus.skill_versions s where s.name = p_name order by s.version desc limit 20) v
$$;

-- Hands a skill that a person has written, or has edited since, to the agents: its files become the current version, and work may update it from then on.
-- Returns the number of the version. p_description: that of SKILL.md. p_files: an object of paths and contents in base64, as store_skill_package takes it; the content
-- hash is made from it here. Refused if a version of the skill has exactly these files.
-- Locks: the skill, waiting a second at most; its package. Raises: WA002, WA004, 22023, 23514, 42501, 57PA1.
create or replace function animus.adopt_skill(p_name text, p_description text, p_files jsonb, p_note text default '') returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now     timestamptz;
  v_version animus.skill_versions;
begin
  perform animus.require_operator();
  perform animus.lock_skill(p_name);
  v_now := animus.now();
  v_version.name := p_name;
  v_version.content_hash := animus.skill_files_hash(p_files);
  select v.version, v.state into v_version.version, v_version.state from animus.skill_versions v
   where v.name = p_name and v.content_hash = v_version.content_hash order by v.version desc limit 1;
  if found then
    perform animus.raise('WA002', format('skill %s was not written by a person: these files are its version %s, which is %s', p_name, v_version.version, v_version.state), null,
      'animus skill history ' || p_name);
  end if;
  if octet_length(coalesce(p_description, '')) not between 1 and 4096 then
    perform animus.raise('WA004', 'a skill needs a description of at most 1024 characters');
  end if;
  perform animus.store_skill_package(v_version.content_hash, p_name, p_files);
  update animus.skills s set versions = s.versions + 1 where s.name = p_name returning s.versions into v_version.version;
  v_version.base := animus.end_current_version(p_name, 'replaced', v_now);
  insert into animus.skill_versions (name, version, state, base, content_hash, description, created_at, decided_by, decided_at, decision_note, current_from)
  values (p_name, v_version.version, 'current', v_version.base, v_version.content_hash, p_description, v_now, animus.actor(), v_now,
          animus.cut_text(coalesce(p_note, ''), 10000), v_now);
  perform animus.record_skill_decision(p_name, 'adopt', p_note, v_version, v_now);
  perform animus.notify('animus_skills', p_name);
  return v_version.version;
end $$;

-- Returns the content hash of files, as src/catalog/skills/content-hash.ts makes it.
-- Locks: none. Raises: WA004, 22023 for text that is not base64.
create or replace function animus.skill_files_hash(p_files jsonb) returns text
language plpgsql stable as $$
begin
  if coalesce(jsonb_typeof(p_files), '') <> 'object' then
    perform animus.raise('WA004', 'the files of a skill are an object of paths and contents');
  end if;
  return (select encode(sha256(convert_to(coalesce(string_agg(encode(sha256(decode(f.value, 'base64')), 'hex') || '  ' || f.key || chr(10), '' order by f.key collate "C"), ''),
                        'UTF8')), 'hex')
            from jsonb_each_text(p_files) f);
end $$;

-- Locks a skill and returns its proposed version.
-- Locks: the skill; waits a second at most. Raises: WA002, WA003, WA004, 57PA1.
drop function if exists animus.hold_proposal(text, text);
create or replace function animus.hold_proposal(p_name text, p_hash text, p_ask uuid) returns animus.skill_versions
language plpgsql as $$
declare
  v_version animus.skill_versions;
begin
  perform animus.require_written(p_name);
  perform animus.lock_skill(p_name);
  select * into v_version from animus.skill_versions v where v.name = p_name and v.state = 'proposed';
  if not found then
    select * into v_version from animus.skill_versions v where v.name = p_name and v.decided_by is not null order by v.decided_at desc, v.version desc limit 1;
    perform animus.raise('WA002', case when found
      then format('no version of skill %s waits: version %s was decided by %s at %s and is %s', p_name, v_version.version, v_version.decided_by,
             animus.show_time(v_version.decided_at), v_version.state)
      else format('no version of skill %s waits for a decision', p_name) end);
  end if;
  if p_hash is not null and lower(p_hash) <> v_version.content_hash or p_ask <> v_version.ask_id then
    perform animus.raise('WA002', format('the version of skill %s that waits has changed since it was shown', p_name), null, 'look again: animus skill diff ' || p_name);
  end if;
  return v_version;
end $$;

-- Refuses a name under which no work has written a skill.
-- Locks: none. Raises: WA003.
create or replace function animus.require_written(p_name text) returns void
language plpgsql stable as $$
begin
  if not exists (select from animus.skill_versions v where v.name = p_name) then
    perform animus.raise('WA003', format('no work has written a skill %s', quote_nullable(left(p_name, 100))));
  end if;
end $$;

-- Adds the decision to the log of decisions, in the chain of the skill.
-- Locks: the first row of the chain. Raises: nothing.
create or replace function animus.record_skill_decision(p_name text, p_action text, p_note text, p_version animus.skill_versions, p_now timestamptz) returns void
language sql as $$
  insert into animus.decisions (target, action, note, decided_by, created_at, subject_digest, ask_id, subject)
  values ('skill ' || p_name, p_action, animus.cut_text(coalesce(p_note, ''), 10000), animus.actor(), p_now, decode(p_version.content_hash, 'hex'),
          case when p_action in ('approve', 'deny') then p_version.ask_id end, case when p_action in ('approve', 'deny') then 'skill' end)
$$;
