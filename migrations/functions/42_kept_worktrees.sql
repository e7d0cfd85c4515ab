-- What people and retention do with the worktrees of ended work: read the result, discard it, count and remove directories. Lock order: the item, its
-- worktree. A directory is moved away inside the transaction that has locked its row, and its files are deleted after the commit.

-- Returns the worktree of an item that the actor may see: where it is, and what was handed over of the item. Columns of a worktree are null for an item
-- that has none. Where its directory and its repository are is for logins, and for people who see all work.
-- Locks: none. Raises: nothing.
create or replace function animus.item_worktree(p_id uuid)
returns table (work_item_id uuid, item_state text, faculty text, summary text, merged_into uuid, ended_at timestamptz, worktree_id uuid, host text, path text,
               place uuid, repo text, branch text, state text, bytes bigint, holds text[], discard_by text, start text, tip text, rest text, patch_bytes bigint,
               has_patch boolean, lost text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: all.
declare
  v_shown constant boolean := animus.sees_all() or not animus.person_acts();
begin
  return query
    select w.id, w.state, w.faculty, w.outcome_summary, w.merged_into, w.resolved_at, t.id, case when v_shown then t.host end,
           case when v_shown then t.path end, case when v_shown then t.place end,
           case when v_shown then t.repo end, t.branch, t.state, t.bytes, t.holds, t.discard_by, r.start, r.tip, r.rest,
           r.patch_bytes, r.patch is not null, r.lost
      from animus.visible_work w
      left join animus.worktree_results r on r.work_item_id = w.id
      left join animus.worktrees t on t.id = animus.worktree_id(w.id)
     where w.id = p_id;
end $$;

-- Returns the worktree that an item works in: its own, or that of its conversation. Null: none. p_id may be that of a worktree whose item is deleted.
-- Locks: none. Raises: nothing.
create or replace function animus.worktree_id(p_id uuid) returns uuid
language sql stable as $$
  select coalesce((select r.worktree_id from animus.worktree_results r where r.work_item_id = p_id),
                  (select t.id from animus.worktrees t where t.id = p_id),
                  (select t.id from animus.worktrees t where t.work_item_id = p_id order by t.updated_at desc limit 1))
$$;

-- Returns the stored patch of an item that the actor may see; null: there is none.
-- Locks: none. Raises: nothing.
create or replace function animus.item_patch(p_id uuid) returns bytea
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: all.
begin
  return (select r.patch from animus.worktree_results r where r.work_item_id = (select w.id from animus.visible_work w where w.id = p_id));
end $$;

-- Returns whether nothing works in a worktree, or will: its item, and all items of its conversation, have ended or are deleted.
-- Locks: none. Raises: nothing.
create or replace function animus.worktree_is_over(p_id uuid, p_work_item_id uuid) returns boolean
language sql stable as $$
  select not exists (select from animus.work_items w where w.id in (p_id, p_work_item_id) and w.resolved_at is null)
     and not exists (select from animus.chat_messages m join animus.work_items w on w.id = m.work_item_id
                      where m.file_id = p_id and w.resolved_at is null)
$$;

-- Gives up the worktree of an item, or of its conversation, for operators and the submitter of the item: its directory, its branch and its refs are
-- to be removed, by the daemon of its host or by the caller. p_gone: the caller has moved the directory away in this transaction, and removes the rest
-- after it. Returns the row. What is discarded already stays as it is. p_id: an item, or a worktree whose item is deleted.
-- Locks: the item's row, the worktree's; waits two seconds at most. Raises: WA002 while work goes on in it, WA003, 42501, 57PA1.
create or replace function animus.discard_worktree(p_id uuid, p_gone boolean default false) returns animus.worktrees
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, gateway.
declare
  v_now   constant timestamptz := animus.now();
  v_tree  animus.worktrees;
  v_owner text;
  v_item  uuid;
begin
  select * into v_tree from animus.worktrees t where t.id = animus.worktree_id(p_id);
  select w.id, w.submitted_by into v_item, v_owner from animus.work_items w where w.id = coalesce(v_tree.work_item_id, p_id);
  -- A caller who may not see the item does not learn that it exists.
  if not (coalesce(v_owner = animus.actor(), false) or animus.may_operate()) then
    if animus.may_see(v_owner) then perform animus.require_operator(); end if;
    perform animus.raise('WA003', format('no work item %s', p_id), p_id);
  end if;
  if v_tree.id is null then
    perform animus.raise('WA002', format('work item %s has no worktree to discard', p_id), p_id);
  end if;
  if v_item is not null then perform animus.lock_work(array[v_item], 10); end if;
  select * into v_tree from animus.worktrees t where t.id = v_tree.id for update;
  if v_tree.state = 'discarded' then return v_tree; end if;
  if not animus.worktree_is_over(v_tree.id, v_tree.work_item_id) then
    perform animus.raise('WA002', format('work goes on in the worktree of work item %s, so it cannot be discarded', v_tree.work_item_id), v_tree.work_item_id,
      'wait until it has ended, or cancel it first: animus work cancel');
  end if;
  if v_tree.discard_by is null then
    insert into animus.decisions (work_item_id, target, action, note, decided_by, created_at)
    values (v_item, case when v_item is null then v_tree.branch end, 'discard', format('%s, %s on %s', v_tree.branch, v_tree.path, v_tree.host), animus.actor(), v_now);
  end if;
  update animus.worktrees t
     set discard_by = coalesce(t.discard_by, animus.actor()), state = case when p_gone then 'discarded' else t.state end, updated_at = v_now
   where t.id = v_tree.id returning * into v_tree;
  return v_tree;
end $$;

-- Returns the worktrees of a place that may be removed, first those that a person discards: then those that ended p_days ago with
-- nothing in them that is not on their branch, and, where p_held_days is not null, all that ended so long ago. `proof`: only if a look shows that
-- nothing would be lost.
-- Locks: none. Raises: nothing.
create or replace function animus.removable_worktrees(
  p_place uuid, p_days double precision, p_held_days double precision default null, p_limit int default 20)
returns table (id uuid, repo text, branch text, discard boolean, proof boolean, seen timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now  constant timestamptz := animus.now();
  v_free constant timestamptz := v_now - make_interval(secs => p_days * 86400);
  v_held constant timestamptz := v_now - make_interval(secs => p_held_days * 86400);
begin
  return query
    select c.id, c.repo, c.branch, c.discard, not c.discard and coalesce(c.updated_at >= v_held, true), c.updated_at
      from (select t.id, t.repo, t.branch, t.discard_by is not null as discard, t.updated_at, t.work_item_id
              from animus.worktrees t where t.place = p_place and t.discard_by is not null and t.state <> 'discarded'
            union all
            select t.id, t.repo, t.branch, false, t.updated_at, t.work_item_id
              from animus.worktrees t
             where t.place = p_place and t.discard_by is null and t.state in ('open', 'kept')
               and ((t.holds = '{}' and t.updated_at < v_free) or coalesce(t.updated_at < v_held, false))) c
     where animus.worktree_is_over(c.id, c.work_item_id)
     order by c.discard desc, c.updated_at, c.id limit p_limit;
end $$;

-- Locks a worktree of a place whose work has ended, and says whether the caller may remove it in this transaction. False: work goes on in it or went on
-- since p_seen, its time in animus.removable_worktrees; or somebody else has locked it.
-- Locks: the worktree's row; does not wait. Raises: nothing.
create or replace function animus.take_worktree(p_id uuid, p_place uuid, p_seen timestamptz) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_item uuid;
begin
  select t.work_item_id into v_item from animus.worktrees t
   where t.id = p_id and t.place = p_place and t.updated_at = p_seen
     and (t.state in ('open', 'kept') or t.discard_by is not null and t.state <> 'discarded') for update skip locked;
  return found and animus.worktree_is_over(p_id, v_item);
end $$;

-- Locks the worktree of a place by the end of its id, and says whether its directory should be there. No row: somebody has it locked, or nothing is known of it.
-- Locks: the worktree's row; does not wait. Raises: nothing.
create or replace function animus.moved_worktree(p_name text, p_place uuid) returns table (id uuid, is_there boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query
    select t.id, t.state in ('open', 'kept') from animus.worktrees t where t.place = p_place and right(t.id::text, 12) = p_name for update skip locked;
end $$;

-- Records what became of a directory that the caller has taken: `removed`, `discarded`, or `lost` where it was gone. In the last case what it held is
-- recorded as lost, for a person to see; one that held nothing is `removed`.
-- Locks: the worktree's row, the item's result. Raises: nothing.
create or replace function animus.end_worktree(p_id uuid, p_place uuid, p_state text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now  constant timestamptz := animus.now();
  v_tree animus.worktrees;
begin
  select * into v_tree from animus.worktrees t where t.id = p_id and t.place = p_place for update;
  if p_state = 'lost' and v_tree.holds = '{}' then p_state := 'removed'; end if;
  update animus.worktrees t set state = p_state, updated_at = v_now where t.id = v_tree.id;
  if p_state <> 'lost' then return; end if;
  update animus.worktree_results r
     set lost = concat_ws('; ', r.lost, format('%s on %s is gone, with what was only there: %s', v_tree.path, v_tree.host, array_to_string(v_tree.holds, ', '))),
         updated_at = v_now
   where r.work_item_id = v_tree.work_item_id;
  perform animus.notify_of('animus_asks', v_tree.work_item_id);
end $$;

-- Returns the ids of worktrees of a place whose bytes were not counted for a day, the longest ago first.
-- Locks: none. Raises: nothing.
create or replace function animus.unmeasured_worktrees(p_place uuid, p_limit int default 20) returns setof uuid
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select t.id from animus.worktrees t
   where t.place = p_place and t.state in ('open', 'kept')
     and (t.measured_at is null or t.measured_at < animus.now() - interval '1 day')
   order by t.measured_at nulls first, t.id limit p_limit
$$;

-- Records what a look at a directory has shown: its bytes, what in it is on no branch, or both; null: not looked at.
-- Nothing is recorded while somebody else has locked the row: the next look does it.
-- Locks: the worktree's row; does not wait. Raises: nothing.
create or replace function animus.note_worktree(p_id uuid, p_place uuid, p_bytes bigint default null, p_holds text[] default null) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  update animus.worktrees t
     set bytes = coalesce(p_bytes, t.bytes), measured_at = case when p_bytes is null then t.measured_at else animus.now() end,
         holds = coalesce(p_holds, t.holds)
   where t.id = (select x.id from animus.worktrees x where x.id = p_id and x.place = p_place and x.state in ('open', 'kept') for update skip locked)
$$;

-- Forgets up to p_limit worktrees whose directory and whose item have been gone for p_older_than. Those whose directory is there stay known.
-- Locks: animus.retention_turn; the rows. Raises: nothing.
create or replace function animus.prune_worktrees(p_older_than interval, p_limit int default 200) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_count int;
begin
  if not animus.try_retention() then return null; end if;
  delete from animus.worktrees where id in (
    select t.id from animus.worktrees t
     where t.state in ('removed', 'discarded', 'lost') and t.updated_at < animus.now() - p_older_than
       and (t.state = 'discarded' or t.discard_by is null)
       and not exists (select from animus.work_items w where w.id in (t.id, t.work_item_id)) and not exists (select from animus.files f where f.id = t.id)
     limit p_limit for update skip locked);
  get diagnostics v_count = row_count;
  return v_count;
end $$;

-- Records that a person knows what of an item's worktree was lost, as p_lost says, for an operator: animus.inbox no longer shows it.
-- Locks: the item's row; waits two seconds at most. Raises: WA002, WA003, 57PA1.
drop function if exists animus.acknowledge_loss(uuid, text);
create or replace function animus.acknowledge_loss(p_id uuid, p_note text, p_lost text) returns void
language plpgsql as $$
begin
  perform animus.lock_work(array[p_id], 10);
  update animus.worktree_results r set lost_seen = r.lost where r.work_item_id = p_id and r.lost = p_lost and r.lost is distinct from r.lost_seen;
  if not found then
    perform animus.raise('WA002', format('no loss of work item %s waits to be acknowledged', p_id), p_id);
  end if;
  insert into animus.decisions (work_item_id, action, note, decided_by, created_at, subject_digest, ask_id, subject)
  values (p_id, 'answer', animus.cut_text(p_note, 10000), animus.actor(), animus.now(), sha256(convert_to(p_lost, 'UTF8')), animus.ask_of_loss(p_id, p_lost), 'lost');
  perform animus.notify_of('animus_asks', p_id);
end $$;

-- Returns the worktrees whose directory is there, by host, for `animus status`: how many, how many of them have something that is on no branch, their
-- bytes as far as they were counted, and how many wait to be discarded.
-- Locks: none. Raises: nothing.
create or replace function animus.worktree_status() returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: reader, operator, daemon.
  select jsonb_build_object('worktrees', coalesce(jsonb_agg(jsonb_build_object('host', h.host, 'kept', h.kept, 'open', h.open, 'held', h.held,
           'bytes', h.bytes, 'discarding', h.discarding) order by h.host), '[]'))
    from (select t.host, count(*) filter (where t.state = 'kept') as kept, count(*) filter (where t.state = 'open') as open,
                 count(*) filter (where t.state = 'kept' and t.holds <> '{}') as held, coalesce(sum(t.bytes), 0) as bytes,
                 count(*) filter (where t.discard_by is not null) as discarding
            from animus.worktrees t where t.state in ('open', 'kept') group by t.host order by t.host limit 100) h
$$;
