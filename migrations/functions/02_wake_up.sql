-- Who wakes the daemons when work arrives, so that no insert is missed and no commit waits without need.

-- Returns the key of the advisory lock that a transaction shares from the moment it skips a notification until its end.
-- Locks: none. Raises: nothing.
create or replace function animus.skip_key() returns bigint
language sql immutable parallel safe as $$ select 7302 $$;

-- Notifies the daemons of work that this transaction makes claimable, unless every daemon is full: NOTIFY takes a database-wide lock
-- at commit. One notification per statement.
--
-- A full daemon claims when a focus of it ends, but a claim cannot see what is not committed. So whoever skips the notification holds
-- skip_key, shared, until its commit is visible, and a daemon that has room again must know that nobody holds it. claim_round takes
-- the key, exclusively and without waiting, before its last look at the queue, and holds it until its commit shows the daemon free. A
-- transaction then either held the key before, and the claim failed to take it (the daemon waits in await_skipped and claims again), or
-- had ended, and that last look saw its work, or fails to take it here and notifies, or takes it later and sees the daemon free. Hence
-- the order: lock first, then read. An older snapshot would not see the daemon free, so transactions with one always notify.
-- A stranger who keeps the lock causes notifications and at most a bounded wait of a daemon.
-- Locks: skip_key, shared, when it does not notify; waits for nothing. Raises: nothing.
create or replace function animus.wake_daemons() returns void
language plpgsql as $$
declare
  v_alive timestamptz := animus.now() - interval '10 minutes';
begin
  if not exists (select from animus.daemons where stopped_at is null and not saturated and seen_at > v_alive)
     and current_setting('transaction_isolation') in ('read committed', 'read uncommitted')
     and pg_try_advisory_xact_lock_shared(animus.skip_key()) then
    -- A statement of its own, with a snapshot that is newer than the lock.
    if not exists (select from animus.daemons where stopped_at is null and not saturated and seen_at > v_alive) then return; end if;
  end if;
  perform animus.notify('animus_work_ready');
end $$;

-- Waits, at most a fifth of a second, until no transaction is open that skipped its notification because every daemon was full; returns
-- false if one still is. A daemon that has room again claims after this returned true, and has missed nothing.
-- Locks: skip_key, for a moment. Raises: nothing.
create or replace function animus.await_skipped() returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms' as $$
begin
  perform pg_advisory_xact_lock(animus.skip_key());
  return true;
exception when lock_not_available or deadlock_detected then
  return false;
end $$;
