-- Work keeps to the provider with which its focus began. Where that one is gone, or its name means another one now, a person decides whether its words go to
-- the model that the faculty has now.

-- Asks a person that question for a focus. p_request: {reason, model, began, now, present}: `present` has the settings of its faculty of which requests are made, as they are now.
-- Returns true where exactly this was approved: the focus has the present settings from its next resumption on. If the settings have
-- changed since the approval, it asks again, and the focus keeps what it began with.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA003, 57PA1.
create or replace function animus.ask_provider(p_focus_id uuid, p_token bigint, p_request json) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now  timestamptz := animus.now();
  v_item animus.held_work := animus.hold_focus(p_focus_id, p_token);
  v_wait record;
begin
  -- The reason is for people, and may have other words for the same.
  select w.resolved_at, w.request::jsonb - 'reason' = p_request::jsonb - 'reason' as same, w.result into v_wait
    from animus.waits w where w.work_item_id = v_item.id and w.call_id = 'provider' and w.focus_id = p_focus_id and w.subject = 'provider';
  if v_wait.same and v_wait.result ->> 'decision' = 'approve' then
    perform animus.take_present_model(p_focus_id, p_request, v_now);
    return true;
  end if;
  if v_wait.same is not true or v_wait.resolved_at is not null then
    perform animus.store_ask(v_item.id, 'provider', 'approval', 'provider', p_request, animus.digest_texts('provider', p_request::text), null, v_now, p_focus_id, null);
  end if;
  return false;
end $$;

-- Keeps with a focus that it may not go on with another model, and why: it ends when it is taken up, even if its provider is there again by then.
-- Locks: the focus. Raises: nothing.
create or replace function animus.keep_denial(p_focus_id uuid, p_why text) returns void
language sql as $$
  update animus.foci f set faculty_snapshot = coalesce(f.faculty_snapshot, (select s.faculty_snapshot from animus.focus_settings s where s.id = f.settings_id))
                                              || jsonb_build_object('deniedModel', p_why)
   where f.id = p_focus_id
$$;

-- Lets a focus go on with the settings that its person was shown. A turn that is in a batch of the provider before is asked again: its answer there is not
-- fetched with another key, and what was held for it counts as lost.
-- Locks: none beyond those of the caller, who has locked the item; the focus, its turn, holds, requests and waits. Raises: nothing.
create or replace function animus.take_present_model(p_focus_id uuid, p_request json, p_now timestamptz) returns void
language plpgsql as $$
begin
  update animus.foci f
     set faculty_snapshot = jsonb_set(b.snapshot, '{engage}', (b.snapshot -> 'engage') || (p_request -> 'present')::jsonb)
    from (select o.id, coalesce(o.faculty_snapshot, s.faculty_snapshot) as snapshot
            from animus.foci o left join animus.focus_settings s on s.id = o.settings_id where o.id = p_focus_id) b
   where f.id = b.id;
  -- What is still in the outbox costs nothing.
  with unsent as (
    update animus.turns t set reserved_usd = 0, open_request = null
      from animus.batch_requests r
     where r.focus_id = p_focus_id and r.state = 'waiting' and t.focus_id = r.focus_id and t.turn = r.turn and t.recorded_at is null
    returning t.focus_id, t.turn)
  update animus.budget_holds h set cost = 0 from unsent u where h.focus_id = u.focus_id and h.turn = u.turn and h.cost is null;
  with left_there as (
    update animus.batch_requests r set state = 'withdrawn', answer = null, body = null, ended_at = p_now
     where r.focus_id = p_focus_id and r.state in ('waiting', 'sent', 'answered')
    returning r.work_item_id, r.id::text as call_id)
  update animus.waits w set resolved_at = p_now, result = '{"withdrawn": true}'
    from left_there l where w.work_item_id = l.work_item_id and w.call_id = l.call_id and w.resolved_at is null;
end $$;

-- Returns what foci ask about their provider, for a daemon that starts: its configuration may have it again. p_faculties: those that it serves. engage: with
-- what the focus makes its requests.
-- Locks: none. Raises: nothing.
create or replace function animus.provider_asks(p_faculties text[]) returns table (work_item_id uuid, ask_id uuid, faculty text, engage jsonb, is_price boolean)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select w.work_item_id, w.ask_id, i.faculty, (coalesce(f.faculty_snapshot, s.faculty_snapshot) -> 'engage') - 'systemPrompt', (w.request ->> 'price')::boolean is true
    from animus.waits w
    join animus.work_items i on i.id = w.work_item_id
    join animus.foci f on f.id = w.focus_id and f.ended_as is null
    left join animus.focus_settings s on s.id = f.settings_id
   where w.resolved_at is null and w.subject = 'provider' and i.faculty = any (p_faculties)
   order by w.created_at, w.work_item_id limit 10000
$$;

-- Ends the wait of a focus whose provider is available again, and lets it go on. False: it no longer waits for that, or its item is locked.
-- Locks: the row of the item, and skips one that others have locked; its wait. Raises: nothing.
create or replace function animus.end_provider_ask(p_work_item_id uuid, p_ask_id uuid) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now   timestamptz := animus.now();
  v_state text;
begin
  select w.state into v_state from animus.work_items w where w.id = p_work_item_id for no key update skip locked;
  if not found then return false; end if;
  update animus.waits w set resolved_at = v_now, result = '{"restored": true}'
   where w.work_item_id = p_work_item_id and w.ask_id = p_ask_id and w.subject = 'provider' and w.resolved_at is null;
  if not found then return false; end if;
  perform animus.wake_if_resolved(p_work_item_id, v_state, v_now);
  perform animus.notify_of('animus_asks', p_work_item_id);
  return true;
end $$;
