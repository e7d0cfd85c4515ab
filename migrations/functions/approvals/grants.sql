-- Grants: what operators allow in advance. A grant turns `ask` into `auto` for calls of one tool, and nothing else: what is forbidden stays so.

-- Allows calls like the one that waits, until p_for has passed (at most a year), and returns the grant. p_scope: item, or faculty for all its
-- work. p_pattern: for inputs that match it, a key of [faculty.permissions] such as `bash(npm test*)`; null: for exactly this input. The
-- call that waits still has to be approved. p_ask: as for approve.
-- Locks: the item's row; waits two seconds at most. Raises: WA002, WA003, WA004, 42501, 57PA1.
drop function if exists animus.grant_call(uuid, text, text, interval, text, text);
create or replace function animus.grant_call(
  p_id uuid, p_ask uuid, p_scope text, p_for interval, p_pattern text default null, p_note text default '') returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now  timestamptz;
  v_item record;
  v_wait animus.waits;
  v_id   bigint;
begin
  perform animus.require_operator();
  perform animus.lock_work(array[p_id], 10);
  select faculty, state into v_item from animus.work_items where id = p_id;
  if not found then
    perform animus.raise('WA003', format('no work item %s', p_id), p_id);
  end if;
  v_now := animus.now();
  v_wait := animus.open_ask(p_id, p_ask, 'approve', v_item.state, v_now);
  if v_wait.subject <> 'tool_call' or coalesce(p_scope, '') not in ('item', 'faculty') or p_for is null
     or p_for <= interval '0' or p_for > interval '366 days' or p_pattern !~ '[^[:space:]]' then
    perform animus.raise('WA004', 'a grant is for a tool call, for an item or a faculty, and ends within a year', p_id);
  end if;
  perform animus.require_four_eyes(p_id, v_wait.focus_id, v_wait.request);
  insert into animus.grants (scope, work_item_id, faculty, tool, pattern, request_hash, note, granted_by, created_at, expires_at)
  values (p_scope, case p_scope when 'item' then p_id end, v_item.faculty, v_wait.request ->> 'tool', p_pattern,
          case when p_pattern is null then v_wait.request_hash end, animus.cut_text(coalesce(p_note, ''), 10000), animus.actor(), v_now, v_now + p_for)
  returning id into v_id;
  perform animus.record_decision(v_wait, 'grant', format('grant %s (%s, %s) until %s', v_id, p_scope, coalesce(p_pattern, 'this input'),
    animus.show_time(v_now + p_for)), v_wait.request_hash, v_now);
  return v_id;
end $$;

-- Ends a grant; returns false if it had ended before. Calls that have started go on.
-- Locks: the row of the grant. Raises: WA003, 42501.
create or replace function animus.revoke_grant(p_grant_id bigint) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s' as $$
declare
  v_now   timestamptz := animus.now();
  v_grant record;
begin
  perform animus.require_operator();
  select * into v_grant from animus.grants where id = p_grant_id for update;
  if not found then
    perform animus.raise('WA003', format('no grant %s', p_grant_id));
  end if;
  if v_grant.revoked_at is not null or v_grant.expires_at <= v_now then return false; end if;
  update animus.grants set revoked_at = v_now, revoked_by = animus.actor() where id = p_grant_id;
  insert into animus.decisions (target, action, note, decided_by, created_at)
  values (v_grant.faculty, 'revoke', format('grant %s', p_grant_id), animus.actor(), v_now);
  return true;
end $$;

-- Returns the grants that may let a recorded call run, with this input: exact ones that fit, and all with a pattern, which the daemon matches. p_four_eyes:
-- without grants of those who caused the work (has_caused).
-- Locks: none. Raises: nothing.
drop function if exists animus.grants_for(uuid, int, text, json);
create or replace function animus.grants_for(p_focus_id uuid, p_turn int, p_call_id text, p_final_input json default null, p_four_eyes boolean default false)
returns table (id bigint, pattern text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select g.id, g.pattern
    from animus.tool_calls c
    join animus.foci f on f.id = c.focus_id
    join animus.work_items w on w.id = f.work_item_id
    join animus.grants g on g.faculty = w.faculty and g.tool = c.name
   where c.focus_id = p_focus_id and c.turn = p_turn and c.call_id = p_call_id and g.revoked_at is null and g.expires_at > animus.now()
     and (g.scope = 'faculty' or g.work_item_id = w.id)
     and (p_four_eyes is not true or not animus.has_caused(g.granted_by, w.id))
     and (g.pattern is not null or g.request_hash = animus.digest_call(c.name, coalesce(p_final_input, c.final_input, c.input)))
   order by g.pattern is not null, g.id
$$;
