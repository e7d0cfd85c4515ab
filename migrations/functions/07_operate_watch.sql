-- Watching the end and the texts of work, on a channel of its own.

-- Requests animus_work_done and animus_ledger notifications of an item for a limited time; unwatched items send none. Returns the item's
-- state: an ended item sends nothing more. Call it after LISTEN. The advisory lock orders this against an end that is being committed
-- (animus.watch_begins): the end finds the lock, or has changed the row before this looks at it, and is waited for. So it is either seen here or
-- notified. The item's row is not locked, so that a watcher's transaction cannot delay the work. If another watcher of the item keeps its transaction
-- open, the time of that watch counts.
-- Locks: the item's watch, and an advisory lock of the item; waits two seconds at most. Raises: WA002 (not read committed), WA003.
create or replace function animus.watch_work(p_id uuid, p_for interval default '1 hour') returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s' as $$
-- Callers: all.
declare
  v_state    text;
  v_resolved timestamptz;
  v_owner    text;
begin
  perform animus.require_newest('a watch');
  -- Nobody waits for a stranger, who may hold any advisory lock for as long as it likes; the watch is then a hint only.
  if not pg_try_advisory_xact_lock_shared(animus.watch_key(p_id)) and animus.is_ours(animus.watch_key(p_id)) then
    begin
      perform pg_advisory_xact_lock_shared(animus.watch_key(p_id));
    exception when lock_not_available then null;  -- an end of functions of the release before, that takes long to commit
    end;
  end if;
  -- In a statement after the lock. A row that nobody has changed since its last commit has no xmax.
  if exists (select from animus.work_items w where w.id = p_id and w.xmax <> 0 and (animus.may_see(w.submitted_by) or animus.takes_part(p_id))) then
    perform animus.await_ends(p_id);
  end if;
  select state, resolved_at, submitted_by into v_state, v_resolved, v_owner from animus.work_items where id = p_id;
  -- A caller who may not see the item does not learn that it exists.
  if not found or not (animus.may_see(v_owner) or animus.takes_part(p_id)) then
    perform animus.raise('WA003', format('no work item %s', p_id), p_id);
  end if;
  if v_resolved is null then
    begin
      insert into animus.watches (work_item_id, until) values (p_id, animus.now() + p_for)
      on conflict (work_item_id) do update set until = greatest(animus.watches.until, excluded.until);
    exception when lock_not_available then null;
    end;
  end if;
  return v_state;
end $$;

-- Returns whether each session that holds an advisory lock against others also writes to a table of ours, which a stranger may not lock so.
-- Locks: none. Raises: nothing.
create or replace function animus.is_ours(p_key bigint) returns boolean
language sql stable as $$
  select not exists (
    select from pg_locks k
     where k.locktype = 'advisory' and k.granted and k.mode = 'ExclusiveLock' and k.objsubid = 1
       and (k.classid::bigint << 32 | k.objid::bigint) = p_key and k.database = (select d.oid from pg_database d where d.datname = current_database())
       and not exists (select from pg_locks w where w.pid = k.pid and w.granted and w.relation = 'animus.work_items'::regclass and w.mode = 'RowExclusiveLock'))
$$;

-- Waits, two seconds at most, for the transactions of ours that have ended items and have not been committed, of a 64th of all items. Those that write to no table of
-- ours are strangers. Nobody waits for the lock itself: a stranger could keep it, and an end that came later would find it taken.
-- Locks: none. Raises: nothing.
create or replace function animus.await_ends(p_id uuid) returns void
language plpgsql as $$
declare
  v_until timestamptz := clock_timestamp() + interval '2 seconds';
  v_open  text[];
begin
  loop
    v_open := array(
      select k.virtualtransaction from pg_locks k
       where k.locktype = 'advisory' and k.granted and k.mode = 'ShareLock' and k.objsubid = 1 and k.pid is distinct from pg_backend_pid()
         and (k.classid::bigint << 32 | k.objid::bigint) = animus.ends_key(p_id)
         and k.database = (select d.oid from pg_database d where d.datname = current_database())
         and (v_open is null or k.virtualtransaction = any (v_open))
         and exists (select from pg_locks w where w.virtualtransaction = k.virtualtransaction and w.granted and w.relation = 'animus.work_items'::regclass and w.mode = 'RowExclusiveLock'));
    exit when v_open = '{}' or clock_timestamp() > v_until;
    perform pg_sleep(0.005);
  end loop;
end $$;

-- Watches an item as watch_work does, and returns the channel that carries the texts of its answers. p_channel is a channel on which
-- the caller already listens. The result is the channel to use: that of an earlier watcher, if there is one, or null when the item has
-- ended.
-- Locks: as watch_work, and the row of the watch. Raises: WA002, WA003.
create or replace function animus.watch_texts(p_id uuid, p_channel text, p_for interval default '1 hour') returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s' as $$
-- Callers: all.
declare
  v_channel text;
begin
  perform animus.watch_work(p_id, p_for);
  select text_channel into v_channel from animus.watches where work_item_id = p_id;
  if v_channel is not null then return v_channel; end if;
  update animus.watches set text_channel = coalesce(text_channel, p_channel) where work_item_id = p_id returning text_channel into v_channel;
  return v_channel;
exception when lock_not_available then
  -- Another watcher is setting a channel in a transaction that stays open. This caller gets no pieces, only recorded answers.
  return p_channel;
end $$;
