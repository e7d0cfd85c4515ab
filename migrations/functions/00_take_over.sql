-- For one release: prepares the upgrade before the functions are replaced. Claims of version 0.1.0 are serialised by an advisory lock. No
-- claim may be in progress when its steps are replaced by those that use animus.claim_turn; a claim that waits for the lock continues
-- with the new steps. If a claim holds the lock for long, the migration is retried; any other session could hold it for ever.
do $$
declare
  v_key    constant bigint := hashtextextended('animus.claim', 0);
  v_before constant text := current_setting('lock_timeout');
begin
  if exists (select from pg_proc where pronamespace = 'animus'::regnamespace and proname = 'claim_work' and prosrc ~ 'pg_advisory_xact_lock') then
    perform set_config('lock_timeout', '1s', true);
    perform pg_advisory_xact_lock(v_key);
    perform set_config('lock_timeout', v_before, true);
  end if;
exception when lock_not_available then
  if exists (
    select from pg_locks turn join pg_locks work on work.pid = turn.pid and work.granted and work.relation = 'animus.work_items'::regclass
     where turn.locktype = 'advisory' and turn.granted and (turn.classid::bigint << 32 | turn.objid::bigint) = v_key
       and turn.database = (select oid from pg_database where datname = current_database())) then
    raise;
  end if;
end $$;

-- For a claim of version 0.1 that waited while its steps were replaced, and continues.
-- Locks: animus.claim_turn; the rows of the items, and skips those that others have locked. Raises: 57PA1.
create or replace function animus.claim_heads(p_daemon_id uuid, p_faculties jsonb, p_limit int, p_now timestamptz, p_expires_at timestamptz)
returns uuid[]
language plpgsql as $$
begin
  lock table animus.claim_turn in share update exclusive mode;
  return (select l.claimed from animus.claim_look(p_daemon_id, p_faculties, p_limit, p_expires_at - p_now, false, 0) l);
end $$;
