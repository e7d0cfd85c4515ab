-- The durable transcript of a focus. All of it is fenced by the item's lease token.

-- Stores what foci that begin with these settings have in common. Storing it again changes nothing.
-- Locks: the row of the settings, for a moment. Raises: nothing.
create or replace function animus.keep_focus_settings(p_id bytea, p_faculty_snapshot jsonb, p_system_prompt text, p_tools json) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into animus.focus_settings as s (id, faculty_snapshot, system_prompt, tools, used_on)
  values (p_id, p_faculty_snapshot, p_system_prompt, p_tools, (animus.now() at time zone 'UTC')::date)
  on conflict (id) do update set used_on = excluded.used_on where s.used_on < excluded.used_on
$$;

-- Begins a focus with stored settings, or resumes the one that a crash, a drain or a wake left open. A resumed focus keeps the settings
-- it began with, so that its requests stay byte-identical; they are returned only for it (they are null for a
-- new one). has_ledger: there may be entries. It keeps its directory if it is still on the same host; p_directory_root is the parent of a new one. No row: the settings
-- are not stored (any more), and nothing was changed.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA003, 57PA1.
create or replace function animus.begin_focus(p_id uuid, p_token bigint, p_host text, p_directory_root text, p_settings bytea)
returns table (id uuid, number int, phase text, directory text, resumes int, faculty_snapshot jsonb, system_prompt text, tools json, has_ledger boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now  timestamptz := animus.now();
  v_item animus.held_work := animus.hold_lease(p_id, p_token);
  v_id   uuid := animus.uuid_v7();
  v_day  date;
begin
  select s.used_on into v_day from animus.focus_settings s where s.id = p_settings;
  if not found then return; end if;
  if v_day < (v_now at time zone 'UTC')::date then
    update animus.focus_settings s set used_on = (v_now at time zone 'UTC')::date where s.id = p_settings;
    -- Retention has deleted them meanwhile.
    if not found then return; end if;
  end if;
  update animus.work_items w set state = 'running', unstarted_claims = 0,
         lease_expires_at = greatest(w.lease_expires_at, animus.now() + make_interval(secs => coalesce(w.lease_seconds, 0))) where w.id = p_id;
  return query
    update animus.foci f set resumes = f.resumes + 1, daemon_id = v_item.lease_owner, host = p_host,
           directory = case when f.host = p_host then f.directory else p_directory_root || '/' || f.id end
      from animus.foci o left join animus.focus_settings s on s.id = o.settings_id
     where f.work_item_id = p_id and f.ended_as is null and o.id = f.id
    returning f.id, f.number, f.phase, f.directory, f.resumes, coalesce(f.faculty_snapshot, s.faculty_snapshot),
              coalesce(f.system_prompt, s.system_prompt), coalesce(f.tools, s.tools), true;
  if found then
    perform animus.mark_resumed(p_id, v_now);
    return;
  end if;
  perform animus.tell_readers(p_id);
  return query
    insert into animus.foci as f (id, work_item_id, number, daemon_id, host, directory, phase, settings_id, started_at)
    values (v_id, p_id, 1 + (select count(*) from animus.foci e where e.work_item_id = p_id),
            v_item.lease_owner, p_host, p_directory_root || '/' || v_id, 'orient', p_settings, v_now)
    returning f.id, f.number, f.phase, f.directory, f.resumes, null::jsonb, null::text, null::json,
              exists (select from animus.work_ledger l where l.work_item_id = p_id);
end $$;

drop function if exists animus.begin_foci(uuid[], bigint[], uuid[], text, text, bytea[], text[], int[], boolean[]);
drop function if exists animus.begin_foci(uuid[], bigint[], uuid[], text, text, bytea[], text[], int[], boolean[], numeric[], uuid[]);
drop function if exists animus.begin_foci_with_skills(uuid[], bigint[], uuid[], text, text, bytea[], text[], int[], boolean[], jsonb);
drop function if exists animus.begin_foci_with_skills(uuid[], bigint[], uuid[], text, text, bytea[], text[], int[], boolean[], jsonb, numeric[], uuid[]);
-- Begins many new foci in one statement: for each one what begin_focus, add_message with its first message and, where p_turns says so,
-- begin_turn with its first turn do. Array n of each argument belongs to focus n; the caller makes the ids. Only the usual case: the
-- item has neither an earlier focus nor a ledger nor messages, no limit applies to it, its lease holds, nobody has locked its row, and the
-- settings are stored and in use today. p_requests: names of the first requests, null within it where none is sent at once;
-- p_reserved_usd: what each may cost at most, null within it where that is not known. p_skills: those that foci begin with, an array with one entry for each
-- focus, null or an array of {name, version, hash, reason, content, tokens}: each is recorded as activated and its content as a message of kind `skill` after
-- the first one, in this order; null: none begins with any. A focus whose packages are not all stored is left out.
-- Returns the permit of each turn, 'go', 'cancelled' or 'paused' ('go' where no turn was to begin), in order; null: nothing was written
-- for this item, and begin_focus, which knows every case, has to be called.
-- Locks: the packages of skills, against deletion; the rows of the items, and skips those that others have locked. Raises: WA003 for a package that is deleted
-- meanwhile, which the lock prevents.
create or replace function animus.begin_foci(
  p_ids uuid[], p_tokens bigint[], p_focus_ids uuid[], p_host text, p_directory_root text, p_settings bytea[],
  p_messages text[], p_message_tokens int[], p_turns boolean[], p_reserved_usd numeric[] default null, p_requests uuid[] default null,
  p_skills jsonb default null)
returns text[]
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_now     timestamptz := animus.now();
  v_today   date := (v_now at time zone 'UTC')::date;
  v_paused  text[];
  v_limited boolean;
  v_permits text[];
begin
  select array(select p.faculty from animus.pauses p where p.until is null or p.until > v_now), exists (select from animus.budget_limits)
    into v_paused, v_limited;
  if p_skills is not null then p_ids := animus.with_stored_skills(p_ids, p_skills); end if;
  with held as (
    -- The row is written anyway, and the commit may take long.
    update animus.work_items w set state = 'running', unstarted_claims = 0,
           lease_expires_at = greatest(w.lease_expires_at, animus.now() + make_interval(secs => coalesce(w.lease_seconds, 0)))
      from (select u.*, l.lease_owner,
                   case when not u.turn then 'go' when l.cancel_requested_at is not null then 'cancelled'
                        when l.faculty = any (v_paused) or '*' = any (v_paused) then 'paused' else 'go' end as permit
              from unnest(p_ids, p_tokens, p_focus_ids, p_settings, p_messages, p_message_tokens, p_turns, p_reserved_usd, p_requests) with ordinality
                   as u (id, token, focus_id, settings, message, message_tokens, turn, reserved_usd, request, nth)
              join animus.work_items l on l.id = u.id and l.lease_token = u.token and l.lease_expires_at is not null
             where exists (select from animus.focus_settings s where s.id = u.settings and s.used_on >= v_today)
               and not animus.mail_waits(l.id, l.has_mail, l.dedup_key is not null)
               and not exists (select from animus.foci e where e.work_item_id = u.id)
               and not exists (select from animus.work_ledger e where e.work_item_id = u.id)
               and not (v_limited and u.turn and animus.has_budget(l.id, l.faculty))
             order by u.id for no key update of l skip locked) i
     where w.id = i.id and w.lease_token = i.token and w.lease_expires_at is not null
    returning i.*),
  focus as (
    insert into animus.foci (id, work_item_id, number, daemon_id, host, directory, phase, settings_id, started_at)
    select h.focus_id, h.id, 1, h.lease_owner, p_host, p_directory_root || '/' || h.focus_id, 'engage', h.settings, v_now from held h),
  message as (
    insert into animus.focus_messages (focus_id, seq, after_turn, kind, content, tokens, created_at)
    select h.focus_id, 1, 0, 'orient', h.message, h.message_tokens, v_now from held h),
  turn as (
    insert into animus.turns (focus_id, turn, begun_at, reserved_usd, open_request)
    select h.focus_id, 1, v_now, case when h.request is null then 0 else h.reserved_usd end, h.request
      from held h where h.turn and h.permit = 'go')
  select array_agg(h.permit order by u.nth) into v_permits
    from unnest(p_ids) with ordinality as u (id, nth) left join held h on h.nth = u.nth;
  if p_skills is not null then perform animus.add_first_skills(p_ids, p_focus_ids, v_permits, p_skills); end if;
  perform animus.notify_of('animus_events', w.work_item_id) from animus.watches w where w.work_item_id = any (p_ids);
  return v_permits;
end $$;

-- For daemons of version 0.1, which send the settings with every focus. Begins a focus, or resumes the one that a crash, a drain or a wake left open. A resumed focus keeps the system prompt, tool
-- list and faculty snapshot it started with, so that its requests stay byte-identical. It keeps its directory if it is still
-- on the same host; p_directory_root is the parent of a new one.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA003, 57PA1.
create or replace function animus.start_focus(
  p_id uuid, p_token bigint, p_host text, p_directory_root text, p_faculty_snapshot jsonb, p_system_prompt text, p_tools json)
returns animus.foci
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now   timestamptz := animus.now();
  v_item  animus.held_work := animus.hold_lease(p_id, p_token);
  v_id    uuid;
  v_focus animus.foci;
begin
  update animus.work_items set state = 'running', unstarted_claims = 0,
         lease_expires_at = greatest(lease_expires_at, animus.now() + make_interval(secs => coalesce(lease_seconds, 0))) where id = p_id;
  update animus.foci set resumes = resumes + 1, daemon_id = v_item.lease_owner, host = p_host,
         directory = case when host = p_host then directory else p_directory_root || '/' || id end
   where work_item_id = p_id and ended_as is null returning * into v_focus;
  if v_focus.id is not null then perform animus.mark_resumed(p_id, v_now); end if;
  if v_focus.settings_id is not null then
    -- A focus that goes on with another model has a snapshot of its own.
    select coalesce(v_focus.faculty_snapshot, s.faculty_snapshot), s.system_prompt, s.tools into v_focus.faculty_snapshot, v_focus.system_prompt, v_focus.tools
      from animus.focus_settings s where s.id = v_focus.settings_id;
  end if;
  if v_focus.id is null then
    v_id := animus.uuid_v7();
    insert into animus.foci (id, work_item_id, number, daemon_id, host, directory, phase, faculty_snapshot, system_prompt, tools, started_at)
    values (v_id, p_id, 1 + (select count(*) from animus.foci where work_item_id = p_id),
            v_item.lease_owner, p_host, p_directory_root || '/' || v_id, 'orient', p_faculty_snapshot, p_system_prompt, p_tools, v_now)
    returning * into v_focus;
  end if;
  return v_focus;
end $$;

-- Marks that the open focus of an item was resumed. A request of it that was under way is lost.
-- Locks: none beyond those of the caller. Raises: nothing.
create or replace function animus.mark_resumed(p_id uuid, p_now timestamptz) returns void
language plpgsql as $$
begin
  perform animus.lose_open_requests(array[p_id]);
  perform animus.add_mark(p_id, 'resumed', json_build_object('focus', f.number), p_now)
     from animus.foci f where f.work_item_id = p_id and f.ended_as is null;
end $$;

-- Checks the lease of a focus and returns its item.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA003, 57PA1.
create or replace function animus.hold_focus(p_focus_id uuid, p_token bigint) returns animus.held_work
language plpgsql as $$
declare
  v_id uuid;
begin
  select work_item_id into v_id from animus.foci where id = p_focus_id;
  if not found then
    perform animus.raise('WA003', format('no focus %s', p_focus_id), p_focus_id);
  end if;
  return animus.hold_lease(v_id, p_token);
end $$;

-- Records which phase a focus is in. The commit does not wait for the disk: the phase is only shown.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA003, 57PA1.
create or replace function animus.set_phase(p_focus_id uuid, p_token bigint, p_phase text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  perform animus.hold_focus(p_focus_id, p_token);
  update animus.foci set phase = p_phase where id = p_focus_id;
end $$;

-- Records a message that the engine adds to the context, before it is sent. Returns its number. A stub or summary names the first turn it
-- keeps. The first message ends the phase orient.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA003, 57PA1.
create or replace function animus.add_message(
  p_focus_id uuid, p_token bigint, p_after_turn int, p_kind text, p_content text, p_tokens int, p_keeps_from int default null) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_seq int;
begin
  perform animus.hold_focus(p_focus_id, p_token);
  insert into animus.focus_messages (focus_id, seq, after_turn, kind, content, tokens, keeps_from, created_at)
  values (p_focus_id, 1 + (select coalesce(max(seq), 0) from animus.focus_messages where focus_id = p_focus_id),
          p_after_turn, p_kind, p_content, p_tokens, p_keeps_from, animus.now())
  returning seq into v_seq;
  if p_kind = 'orient' then update animus.foci set phase = 'engage' where id = p_focus_id and phase = 'orient'; end if;
  return v_seq;
end $$;

-- Sends a piece of the current answer to the watchers of the item. The result is null when there are none. Otherwise it changes when
-- somebody begins to watch, or renews the watch: then the caller sends the text so far again, which a new watcher lacks. It stores nothing and takes no
-- lock: the row lock of the item is for recorded data.
-- Locks: none. Raises: WA001.
create or replace function animus.tell_watchers(p_focus_id uuid, p_token bigint, p_piece text) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now  timestamptz := animus.now();
  v_item record;
begin
  select w.id, w.lease_token, w.state, h.text_channel, h.until into v_item
    from animus.foci f join animus.work_items w on w.id = f.work_item_id left join animus.watches h on h.work_item_id = w.id where f.id = p_focus_id;
  if v_item.lease_token is distinct from p_token or v_item.state not in ('claimed', 'running') then
    perform animus.raise('WA001', format('the lease on work item %s is lost (it is %s)', v_item.id, v_item.state), v_item.id);
  end if;
  if v_item.text_channel is null or v_item.until < v_now then return null; end if;
  perform animus.notify(v_item.text_channel, p_piece);
  return extract(epoch from v_item.until)::text;
end $$;

-- Sends a piece of an answer as tell_watchers does, for a daemon of the release before, which does not send text again.
-- Locks: none. Raises: WA001.
create or replace function animus.tell_text(p_focus_id uuid, p_token bigint, p_piece text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  return animus.tell_watchers(p_focus_id, p_token, p_piece) is not null;
end $$;

-- Returns the foci of the attempts before the one of a focus, oldest first; without those of which a recover hook decided to keep nothing.
-- Locks: none. Raises: nothing.
create or replace function animus.earlier_attempts(p_focus_id uuid) returns uuid[]
language sql stable as $$
  select coalesce(array_agg(e.id order by e.number), '{}')
    from animus.foci f join animus.foci e on e.work_item_id = f.work_item_id and e.number < f.number
   where f.id = p_focus_id
     and e.number > coalesce((select max(n.number) from animus.foci n
                               where n.work_item_id = f.work_item_id and n.number < f.number and n.error ? 'ledger_kept_after'), 0)
$$;
