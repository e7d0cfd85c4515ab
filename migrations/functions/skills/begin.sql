-- The skills that foci begin with (begin_foci).

-- Locks the packages of the skills, so that retention does not delete one of them meanwhile, and returns the items, null in the place of one whose packages are
-- not all stored.
-- Locks: the packages, against deletion. Raises: nothing.
create or replace function animus.with_stored_skills(p_ids uuid[], p_skills jsonb) returns uuid[]
language plpgsql as $$
begin
  perform from animus.skill_packages p
    where p.content_hash in (select s ->> 'hash' from jsonb_array_elements(p_skills) e, jsonb_array_elements(nullif(e, 'null')) s)
    order by p.content_hash for key share;
  return array(
    select case when jsonb_typeof(e.skills) = 'array' and exists (
                       select from jsonb_array_elements(e.skills) s
                        where not exists (select from animus.skill_packages p where p.content_hash = s ->> 'hash'))
                then null else u.id end
      from unnest(p_ids) with ordinality u (id, nth) join jsonb_array_elements(p_skills) with ordinality e (skills, nth) using (nth) order by u.nth);
end $$;

-- Records the skills of foci that have just begun, those with a permit, as activated, and their contents as messages after the first one.
-- Locks: the packages, against deletion. Raises: WA003.
create or replace function animus.add_first_skills(p_ids uuid[], p_focus_ids uuid[], p_permits text[], p_skills jsonb) returns void
language plpgsql as $$
declare
  v_focus record;
begin
  for v_focus in
    select p_focus_ids[e.nth] as id, w.id as item, w.faculty, e.skills
      from jsonb_array_elements(p_skills) with ordinality e (skills, nth) join animus.work_items w on w.id = p_ids[e.nth]
     where jsonb_typeof(e.skills) = 'array' and p_permits[e.nth] is not null
  loop
    perform animus.add_activations(v_focus.id, v_focus.item, v_focus.faculty, v_focus.skills);
    insert into animus.focus_messages (focus_id, seq, after_turn, kind, content, tokens, created_at)
    select v_focus.id, 1 + s.nth, 0, 'skill', s.skill ->> 'content', (s.skill ->> 'tokens')::int, animus.now()
      from jsonb_array_elements(v_focus.skills) with ordinality s (skill, nth);
  end loop;
end $$;
