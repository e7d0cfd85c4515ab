-- Reading in the background what others commit, without a mark that each of them would have to write: by the time in the row. A row whose transaction is still
-- open is not visible yet, so only what lies before all open transactions is read.

-- Returns the least id that work of a time can have: ids begin with their time in milliseconds.
-- Locks: none. Raises: nothing.
create or replace function animus.first_id_at(p_at timestamptz) returns uuid
language sql immutable parallel safe as $$
  select case when p_at >= 'infinity' then 'ffffffff-ffff-ffff-ffff-ffffffffffff'
              else (lpad(to_hex(case when p_at <= '1970-01-01 00:00:00+00' then 0 else floor(extract(epoch from p_at) * 1000)::bigint end), 12, '0')
                    || '00000000000000000000')::uuid end
$$;

-- Returns the time with which an id begins.
-- Locks: none. Raises: nothing.
create or replace function animus.time_of_id(p_id uuid) returns timestamptz
language sql immutable parallel safe as $$
  select timestamptz '1970-01-01 00:00:00+00' + ('x' || left(replace(p_id::text, '-', ''), 12))::bit(48)::bigint * interval '1 millisecond'
$$;

-- Returns the period that a reader reads next, from since on and before until; both null if there is none yet, or another session reads. In it, everything is
-- visible that will ever be: when the end was chosen, the transactions that had begun to write were noted, and they have ended. The five seconds are for rows
-- whose transaction took its time before its number. A number of another server, in a database that was restored, is chosen again.
-- Locks: the reader's row; skipped if another session has it. Raises: nothing.
create or replace function animus.next_period(p_reader text, out since timestamptz, out until timestamptz)
language plpgsql as $$
declare
  v_now  constant timestamptz := animus.now();
  v_seen constant pg_snapshot := pg_current_snapshot();
  v_read  animus.periods_read;
  v_ended boolean;
begin
  select * into v_read from animus.periods_read r where r.reader = p_reader for update skip locked;
  if not found then
    insert into animus.periods_read (reader, up_to, closed, asked_at, asked_xid)
    values (p_reader, '-infinity', '-infinity', v_now, pg_snapshot_xmax(v_seen)) on conflict do nothing;
    return;
  end if;
  v_ended := v_read.asked_xid <= pg_snapshot_xmin(v_seen);
  -- Asked again at once, a quiet server would close a period of milliseconds each time, and a reader would never be done.
  if v_ended and v_read.asked_at between v_now - interval '10 seconds' and v_now then
    null;
  elsif v_ended or v_read.asked_xid > pg_snapshot_xmax(v_seen) then
    if v_ended then v_read.closed := greatest(v_read.closed, v_read.asked_at - interval '5 seconds'); end if;
    update animus.periods_read r set closed = v_read.closed, asked_at = v_now, asked_xid = pg_snapshot_xmax(v_seen) where r.reader = p_reader;
  end if;
  if v_read.closed > v_read.up_to then since := v_read.up_to; until := v_read.closed; end if;
end $$;

-- Notes how far a reader has come with the period that next_period returned.
-- Locks: the reader's row, which the caller has locked. Raises: nothing.
create or replace function animus.period_read(p_reader text, p_up_to timestamptz) returns void
language sql as $$ update animus.periods_read set up_to = p_up_to where reader = p_reader $$;

-- Returns the end of a part of a period in which about p_limit items were submitted or ended; the end of the period if it has no more.
-- Locks: none. Raises: nothing.
create or replace function animus.part_of_period(p_since timestamptz, p_until timestamptz, p_limit int) returns timestamptz
language plpgsql stable set jit = off set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  v_times timestamptz[];
begin
  v_times := array(
    select t.at from (
      (select animus.time_of_id(w.id) as at from animus.work_items w
        where w.id >= animus.first_id_at(p_since) and w.id < animus.first_id_at(p_until) order by w.id limit p_limit)
      union all
      (select w.resolved_at from animus.work_items w where w.resolved_at >= p_since and w.resolved_at < p_until order by w.resolved_at limit p_limit)) t
     order by t.at limit p_limit);
  if cardinality(v_times) < p_limit then return p_until; end if;
  -- Ids have no finer time.
  return least(v_times[p_limit] + interval '1 millisecond', p_until);
end $$;
