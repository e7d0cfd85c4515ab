-- Foci that begin with active skills.

drop function if exists animus.begin_foci_with_skills(uuid[], bigint[], uuid[], text, text, bytea[], text[], int[], boolean[], jsonb);
-- Begins many new foci as begin_foci does, some of them with skills. p_skills: an array with one entry for each focus, null or an array of
-- {name, version, hash, reason, content, tokens}: each is recorded as activated and its content as a message of kind `skill` after the first one, in this
-- order. A focus whose packages are not all stored is left out, as are those that begin_foci leaves out: its permit is null and nothing was written for it.
-- Locks: as begin_foci; the packages, against deletion. Raises: WA003 for a package that is deleted meanwhile, which the lock prevents.
create or replace function animus.begin_foci_with_skills(
  p_ids uuid[], p_tokens bigint[], p_focus_ids uuid[], p_host text, p_directory_root text, p_settings bytea[],
  p_messages text[], p_message_tokens int[], p_turns boolean[], p_skills jsonb, p_reserved_usd numeric[] default null,
  p_requests uuid[] default null) returns text[]
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_ids     uuid[] := p_ids;
  v_permits text[];
  v_focus   record;
begin
  -- Locked first, so that retention does not delete one of them meanwhile.
  perform from animus.skill_packages p
    where p.content_hash in (select s ->> 'hash' from jsonb_array_elements(p_skills) e, jsonb_array_elements(nullif(e, 'null')) s)
    order by p.content_hash for key share;
  for v_focus in
    select e.nth from jsonb_array_elements(p_skills) with ordinality e (skills, nth)
     where jsonb_typeof(e.skills) = 'array'
       and exists (select from jsonb_array_elements(e.skills) s
                    where not exists (select from animus.skill_packages p where p.content_hash = s ->> 'hash'))
  loop
    v_ids[v_focus.nth] := null;
  end loop;
  v_permits := animus.begin_foci(v_ids, p_tokens, p_focus_ids, p_host, p_directory_root, p_settings, p_messages, p_message_tokens, p_turns,
    p_reserved_usd, p_requests);
  for v_focus in
    select p_focus_ids[e.nth] as id, w.id as item, w.faculty, e.skills
      from jsonb_array_elements(p_skills) with ordinality e (skills, nth) join animus.work_items w on w.id = p_ids[e.nth]
     where jsonb_typeof(e.skills) = 'array' and v_permits[e.nth] is not null
  loop
    perform animus.add_activations(v_focus.id, v_focus.item, v_focus.faculty, v_focus.skills);
    insert into animus.focus_messages (focus_id, seq, after_turn, kind, content, tokens, created_at)
    select v_focus.id, 1 + s.nth, 0, 'skill', s.skill ->> 'content', (s.skill ->> 'tokens')::int, animus.now()
      from jsonb_array_elements(v_focus.skills) with ordinality s (skill, nth);
  end loop;
  return v_permits;
end $$;
