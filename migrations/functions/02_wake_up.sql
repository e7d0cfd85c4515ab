-- Who wakes the daemons when work arrives, so that no insert is missed and no commit waits without need.

drop function if exists animus.skip_key();

-- Locks animus.skip_turn for a transaction that skips a notification, until its end; false if a claim has it. A table of ours, which no other role may lock.
-- Locks: animus.skip_turn; does not wait. Raises: nothing.
create or replace function animus.share_skip_turn() returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  lock table animus.skip_turn in row exclusive mode nowait;
  return true;
exception when lock_not_available then
  return false;
end $$;

-- Locks animus.skip_turn for a claim, until the end of its transaction; false if a transaction that has skipped a notification is open.
-- Locks: animus.skip_turn; does not wait. Raises: nothing.
create or replace function animus.take_skip_turn() returns boolean
language plpgsql as $$
begin
  lock table animus.skip_turn in share mode nowait;
  return true;
exception when lock_not_available then
  return false;
end $$;

-- Notifies the daemons of work that this transaction makes claimable, unless every daemon is full: NOTIFY takes a database-wide lock
-- at commit. One notification per statement.
--
-- A full daemon claims when a focus of it ends, but a claim cannot see what is not committed. So the insert that skips the notification holds
-- skip_turn, shared, until its commit is visible, and a daemon that has room again must know that nobody holds it. claim_ready_work takes
-- the lock, against those and without waiting, before its last look at the queue, and holds it until its commit shows the daemon free. A
-- transaction then either held the lock before, and the claim failed to take it (the daemon waits in await_skipped and claims again), or
-- had ended, and that last look saw its work, or fails to take it here and notifies, or takes it later and sees the daemon free. Hence
-- the order: lock first, then read. An older snapshot would not see the daemon free, so transactions with one always notify.
-- With animus.notify off (may_notify), the daemons' poll finds the work. Where transactions can be prepared, all others notify (refuse_prepare).
-- Locks: skip_turn, when it does not notify; waits for nothing. Raises: nothing.
create or replace function animus.wake_daemons() returns void
language plpgsql as $$
declare
  v_alive timestamptz := animus.now() - interval '10 minutes';
begin
  if not animus.may_notify() then return; end if;
  if current_setting('max_prepared_transactions') = '0'
     and not exists (select from animus.daemons where stopped_at is null and not saturated and seen_at > v_alive)
     and current_setting('transaction_isolation') in ('read committed', 'read uncommitted')
     and animus.share_skip_turn() then
    -- A statement of its own, with a snapshot that is newer than the lock.
    if not exists (select from animus.daemons where stopped_at is null and not saturated and seen_at > v_alive) then return; end if;
  end if;
  perform animus.notify('animus_work_ready');
end $$;

-- Waits, at most a fifth of a second, until no transaction is open that skipped its notification because every daemon was full; returns
-- false if one still is. A daemon that has room again claims after this returned true, and has missed nothing.
-- Locks: skip_turn, for a moment. Raises: nothing.
create or replace function animus.await_skipped() returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '200ms' as $$
begin
  lock table animus.skip_turn in share mode;
  return true;
exception when lock_not_available or deadlock_detected then
  return false;
end $$;
