-- Which changes become deliveries of webhooks (docs/webhooks.md). The triggers of work call it once there has
-- been a webhook.

-- Returns the events that a webhook can ask for.
-- Locks: none. Raises: nothing.
create or replace function animus.webhook_events() returns text[]
language sql immutable parallel safe as $$ select animus.words('webhooks.events') $$;

-- Returns how many deliveries of one webhook may wait, and how many of its dead letters are kept.
-- Locks: none. Raises: nothing.
create or replace function animus.webhook_limit() returns int
language sql immutable parallel safe as $$ select 10000 $$;

-- Returns the role with which the owner of a webhook acts now: `submitter` if it may see its own work, another if it may see all. Null for a person
-- that is disabled and a login that does not exist any more.
-- Locks: none. Raises: nothing.
create or replace function animus.role_of_owner(p_owner text, p_role text) returns text
language plpgsql stable as $$
declare
  v_login oid;
begin
  if starts_with(p_owner, 'person:') then
    return animus.lower_role(animus.role_of_person(substr(p_owner, 8)), p_role);
  end if;
  v_login := to_regrole(quote_ident(case when starts_with(p_owner, 'login:') then substr(p_owner, 7) else p_owner end))::oid;
  return case when v_login is null then null when has_table_privilege(v_login, 'animus.work_items', 'select') then 'reader' else 'submitter' end;
end $$;

-- Returns whether the owner of a webhook may see something, now: its own, all if it may see all work, and work in p_items (an item and the root
-- above it) if one of them is an answer in a conversation in which it takes part, as in animus.visible_work.
-- Locks: none. Raises: nothing.
create or replace function animus.owner_sees(p_owner text, p_role text, p_submitted_by text, p_items uuid[]) returns boolean
language plpgsql stable as $$
declare
  v_role constant text := animus.role_of_owner(p_owner, p_role);
begin
  if v_role is null then return false; end if;
  if v_role <> 'submitter' or p_submitted_by = p_owner then return true; end if;
  return exists (
    select from animus.chat_messages m join animus.conversation_people p on p.file_id = m.file_id and p.actor = p_owner and p.joined_after < m.id
      join animus.files f on f.id = m.file_id and f.deleted_at is null
     where m.work_item_id = any (p_items) and m.role = 'user' and not m.told);
end $$;

-- Returns the id of an item if the owner of a webhook may see the item, else null.
-- Locks: none. Raises: nothing.
create or replace function animus.owner_shown(p_hook animus.webhooks, p_id uuid) returns uuid
language plpgsql stable as $$
begin
  return (select w.id from animus.work_items w
           where w.id = p_id and animus.owner_sees(p_hook.owner, p_hook.owner_role, w.submitted_by, array[w.id, w.root_id]));
end $$;

-- Returns whether somebody takes part in the conversation for which an item is being added: its message is inserted after the item.
-- Locks: none. Raises: nothing.
create or replace function animus.takes_part_in_new(p_owner text, p_role text, p_item animus.work_items) returns boolean
language sql stable as $$
  select p_item.source = 'chat' and animus.role_of_owner(p_owner, p_role) is not null
    and exists (select from animus.conversation_people p where p.actor = p_owner and p.file_id::text = p_item.trigger_info ->> 'conversation')
$$;

-- Writes the deliveries of a change of state. The caller holds the item's row lock. p_before: the state before; null: it is new.
-- Locks: as add_delivery. Raises: nothing.
create or replace function animus.note_state(p_item animus.work_items, p_before text) returns void
language plpgsql as $$
declare
  v_now   constant timestamptz := animus.now();
  v_event constant text := 'work.' || p_item.state;
  v_hook  animus.webhooks;
begin
  for v_hook in
    select h.* from animus.webhooks h
     where v_event = any (h.events) and (h.faculties is null or p_item.faculty = any (h.faculties)) and h.overflow is distinct from 'dropped'
  loop
    if animus.owner_sees(v_hook.owner, v_hook.owner_role, p_item.submitted_by, array[p_item.id, p_item.root_id])
       or p_before is null and animus.takes_part_in_new(v_hook.owner, v_hook.owner_role, p_item) then
      perform animus.add_delivery(v_hook, p_item.id, v_event, v_now, json_build_object(
        'id', p_item.id, 'faculty', p_item.faculty, 'state', p_item.state, 'previous_state', p_before, 'parent_id', p_item.parent_id,
        'root_id', p_item.root_id, 'merged_into', animus.owner_shown(v_hook, p_item.merged_into), 'submitted_by', p_item.submitted_by));
    end if;
  end loop;
end $$;

-- Writes the deliveries of something that waits for a person, as animus.inbox shows it: all that waits for one limit, and that the owner sees, is one. The
-- caller holds the item's row lock. p_seen_by: the item and the root above it, if those who take part in their conversation may see it.
-- Locks: as add_delivery. Raises: nothing.
drop function if exists animus.note_approval(animus.work_items, text, text, text, text, timestamptz, uuid[]);
create or replace function animus.note_approval(
  p_item animus.work_items, p_ask uuid, p_call_id text, p_kind text, p_subject text, p_hash text, p_deadline timestamptz, p_seen_by uuid[]) returns void
language plpgsql as $$
declare
  v_now  constant timestamptz := animus.now();
  v_hook animus.webhooks;
begin
  for v_hook in
    select h.* from animus.webhooks h
     where 'approval.waiting' = any (h.events) and (h.faculties is null or p_item.faculty = any (h.faculties)) and h.overflow is distinct from 'dropped'
       and animus.owner_sees(h.owner, h.owner_role, p_item.submitted_by, p_seen_by)
       and not (p_subject = 'budget' and exists (
             select from animus.waits o join animus.work_items i on i.id = o.work_item_id
              where o.ask_id = p_ask and o.resolved_at is null and o.work_item_id <> p_item.id and (h.faculties is null or i.faculty = any (h.faculties))
                and animus.owner_sees(h.owner, h.owner_role, i.submitted_by, array[i.id, i.root_id])))
  loop
    perform animus.add_delivery(v_hook, p_item.id, 'approval.waiting', v_now, json_build_object(
      'id', p_item.id, 'faculty', p_item.faculty, 'ask_id', p_ask, 'call_id', p_call_id, 'kind', p_kind, 'subject', p_subject, 'hash', p_hash,
      'deadline', animus.iso_time(p_deadline), 'root_id', p_item.root_id, 'submitted_by', p_item.submitted_by));
  end loop;
end $$;

-- Writes one delivery. It is not due before the last one of its item, so that a receiver that is down is not asked about each event anew. One in a hundred
-- counts how many wait: counting at each would make every change of work slower while a receiver is down.
-- Locks: the webhook if it becomes full; skipped if another transaction has it. Raises: nothing.
create or replace function animus.add_delivery(p_hook animus.webhooks, p_item uuid, p_event text, p_now timestamptz, p_data json) returns void
language plpgsql as $$
declare
  v_full constant boolean := p_hook.overflow is not null;
  v_due  timestamptz := p_now;
begin
  if not v_full then
    select greatest(p_now, case when d.claim is null then d.due_at end) into v_due from animus.webhook_deliveries d
     where d.webhook_id = p_hook.id and d.work_item_id = p_item and d.state = 'pending' order by d.id desc limit 1;
  end if;
  insert into animus.webhook_deliveries (webhook_id, work_item_id, event, body, state, due_at, created_at, ended_at, last_error)
  values (p_hook.id, p_item, p_event, json_build_object('type', p_event, 'timestamp', animus.iso_time(p_now), 'data', p_data)::text,
          case when v_full then 'dead' else 'pending' end, coalesce(v_due, p_now), p_now, case when v_full then p_now end,
          case when v_full then 'too many deliveries of the webhook were waiting' end);
  if random() * animus.webhook_limit() < 100 then perform animus.bound_webhook(p_hook.id, true); end if;
end $$;

-- Counts what waits for a webhook, and marks the webhook as full, or (p_grows false) as full no longer, once a tenth is free again.
-- Locks: the webhook if its mark changes; skipped if another transaction has it. Raises: nothing.
create or replace function animus.bound_webhook(p_id uuid, p_grows boolean) returns void
language plpgsql as $$
declare
  v_limit constant int := animus.webhook_limit() - case when p_grows then 0 else animus.webhook_limit() / 10 end;
  v_order constant text[] := array[null, 'dead', 'dropped'];
  v_now   constant timestamptz := animus.now();
  v_old   text;
  v_new   text;
begin
  select case when n < v_limit then null else 'dead' end into v_new
    from (select count(*) as n from (select from animus.webhook_deliveries d where d.webhook_id = p_id and d.state = 'pending' limit v_limit) p) c;
  if v_new = 'dead' and (select count(*) >= v_limit from (select from animus.webhook_deliveries d where d.webhook_id = p_id and d.state = 'dead' limit v_limit) p) then
    v_new := 'dropped';
  end if;
  select h.overflow into v_old from animus.webhooks h where h.id = p_id;
  if array_position(v_order, v_new) = array_position(v_order, v_old) or p_grows <> (array_position(v_order, v_new) > array_position(v_order, v_old)) then
    return;
  end if;
  update animus.webhooks h
     set overflow = v_new, overflow_since = case when v_new is not null then coalesce(h.overflow_since, v_now) end,
         dropped_at = case when v_new = 'dropped' then v_now else h.dropped_at end
   where h.id = (select l.id from animus.webhooks l where l.id = p_id for update skip locked);
end $$;

-- Returns a time as ISO 8601 in UTC, with microseconds.
-- Locks: none. Raises: nothing.
create or replace function animus.iso_time(p_at timestamptz) returns text
language sql immutable parallel safe as $$ select to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') $$;

-- Notes that a call or an item begins to wait for a person.
-- Locks: as note_approval. Raises: nothing.
create or replace function animus.waits_note_approval() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.subject is not null and new.resolved_at is null and (tg_op = 'INSERT' or old.resolved_at is not null or old.created_at <> new.created_at)
     and exists (select from animus.webhooks) then
    perform animus.note_approval(w, new.ask_id, animus.call_of(new.call_id, new.turn), new.kind, new.subject, encode(new.request_hash, 'hex'), new.deadline, array[w.id, w.root_id])
       from animus.work_items w where w.id = new.work_item_id;
  end if;
  return null;
end $$;

create or replace trigger waits_note_approval after insert or update on animus.waits for each row execute function animus.waits_note_approval();

-- Notes that a version of a skill is proposed. Who takes part in a conversation does not see what its answers propose.
-- Locks: as note_approval. Raises: nothing.
create or replace function animus.skills_note_approval() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.state = 'proposed' and exists (select from animus.webhooks) then
    perform animus.note_approval(w, new.ask_id, null, 'approval', 'skill', new.content_hash, null, '{}')
       from animus.work_items w where w.id = new.work_item_id;
  end if;
  return null;
end $$;

create or replace trigger skills_note_approval after insert on animus.skill_versions for each row execute function animus.skills_note_approval();
