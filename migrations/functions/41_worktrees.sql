-- The private repositories of work with isolation = "worktree": where each is, and what of it was handed over.

-- Returns the item of the last answer before this one, on its branch of the conversation, that worked in this worktree; null: there is none.
-- Locks: none. Raises: nothing.
create or replace function animus.answer_before(p_work_item_id uuid, p_worktree_id uuid) returns uuid
language sql stable as $$
  with recursive above as (
    select m.after_id, null::uuid as item from animus.chat_messages m where m.work_item_id = p_work_item_id and m.role = 'user' and not m.told
    union all
    select m.after_id, (select r.work_item_id from animus.worktree_results r
                         where m.role = 'user' and r.work_item_id = m.work_item_id and r.worktree_id = p_worktree_id)
      from above a join animus.chat_messages m on m.id = a.after_id where a.item is null)
  select a.item from above a where a.item is not null
$$;

-- Records where the worktree of an item is: before anything is made there, and again when the item begins to work in it (p_handed is false then).
-- In between nothing is there that could be lost. The row of another item is never changed, except by the next answer of the
-- same conversation (p_id is the conversation then).
-- Locks: the item's row, the worktree's. Raises: WA001, WA002, WA003, 57PA1.
create or replace function animus.hold_worktree(
  p_work_item_id uuid, p_token bigint, p_id uuid, p_host text, p_path text, p_place uuid, p_repo text, p_branch text, p_base text,
  p_handed boolean, p_lost text default null)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now  constant timestamptz := animus.now();
  v_held animus.held_work := animus.hold_lease(p_work_item_id, p_token);
begin
  if p_id <> p_work_item_id and not exists (
    select from animus.chat_messages m where m.file_id = p_id and m.work_item_id = p_work_item_id) then
    perform animus.raise('WA002', format('worktree %s does not belong to work item %s', p_id, p_work_item_id), p_work_item_id);
  end if;
  -- Answers on two branches of a conversation do not work in it at the same time.
  if exists (select from animus.worktrees t join animus.work_items w on w.id = t.work_item_id
              where t.id = p_id and t.work_item_id <> p_work_item_id and t.state = 'open' and w.state in ('claimed', 'running')) then
    perform animus.raise('57PA1', format('another answer of the conversation of work item %s works in its worktree', p_work_item_id), p_work_item_id, 'try again');
  end if;
  insert into animus.worktrees as t (id, work_item_id, faculty, host, path, place, repo, branch, base, state, handed, created_at, updated_at)
  values (p_id, p_work_item_id, v_held.faculty, p_host, p_path, p_place, p_repo, p_branch, p_base, case when p_handed then 'removed' else 'open' end, p_handed, v_now, v_now)
  on conflict (id) do update set work_item_id = excluded.work_item_id, faculty = excluded.faculty, host = excluded.host, path = excluded.path,
    place = excluded.place, handed = excluded.handed, repo = excluded.repo, branch = excluded.branch, base = excluded.base, state = case when p_handed then t.state else 'open' end, holds = '{}', discard_by = null, updated_at = v_now;
  if p_lost is null then return; end if;
  -- Said at once: the item may never come to its end. It begins where it would have begun.
  insert into animus.worktree_results as r (work_item_id, worktree_id, start, tip, ended, lost, updated_at)
  select p_work_item_id, p_id, c.commit, c.commit, false, p_lost, v_now
    from (select coalesce((select coalesce(b.rest, b.tip) from animus.worktree_results b where b.work_item_id = animus.answer_before(p_work_item_id, p_id)), p_base) as commit) c
  on conflict (work_item_id) do update set lost = concat_ws('; ', r.lost, excluded.lost);
end $$;

-- Returns the worktree of an item or a conversation; for the answer of a conversation also the commits that it and
-- the answer before it on its branch left.
-- Locks: none. Raises: nothing.
create or replace function animus.worktree_of(p_id uuid, p_work_item_id uuid)
returns table (host text, path text, place uuid, repo text, branch text, base text, state text, handed boolean, handed_at timestamptz, last_item uuid,
               own_tip text, own_rest text, own_ended boolean, before_item uuid, before_tip text, before_rest text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select t.host, t.path, t.place, t.repo, t.branch, t.base, t.state, t.handed, l.updated_at, t.work_item_id,
         o.tip, o.rest, o.ended, b.work_item_id, b.tip, b.rest
    from animus.worktrees t
    left join animus.worktree_results l on l.work_item_id = t.work_item_id and l.worktree_id = t.id
    left join animus.worktree_results o on o.work_item_id = p_work_item_id and o.worktree_id = t.id
    left join animus.worktree_results b on b.work_item_id = animus.answer_before(p_work_item_id, p_id)
   where t.id = p_id
$$;

-- Records what was handed over of the item's worktree, and what became of the directory.
-- Locks: the item's row, the worktree's. Raises: WA001, WA003, 57PA1.
create or replace function animus.record_worktree(
  p_work_item_id uuid, p_token bigint, p_id uuid, p_state text, p_handed boolean, p_holds text[], p_branch text, p_result jsonb, p_patch bytea default null)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now constant timestamptz := animus.now();
begin
  perform animus.hold_lease(p_work_item_id, p_token);
  update animus.worktrees t set state = p_state, handed = p_handed, holds = p_holds, branch = p_branch, updated_at = v_now
   where t.id = p_id and t.work_item_id = p_work_item_id;
  -- Nothing could be handed over.
  if p_result is null then return; end if;
  insert into animus.worktree_results as r (work_item_id, worktree_id, start, tip, rest, patch, patch_bytes, ended, updated_at)
  values (p_work_item_id, p_id, p_result ->> 'start', p_result ->> 'tip', p_result ->> 'rest', p_patch, (p_result ->> 'patch_bytes')::bigint,
          (p_result ->> 'ended')::boolean, v_now)
  on conflict (work_item_id) do update set worktree_id = excluded.worktree_id, start = excluded.start, tip = excluded.tip, rest = excluded.rest,
    patch = excluded.patch, patch_bytes = excluded.patch_bytes, ended = excluded.ended, updated_at = v_now;
end $$;
