-- The ledger of an item: append-only and numbered without gaps.

-- Appends an entry to the ledger of an item and returns its number. With a token: written by the item's focus, fenced, and cut if
-- long. Without: written by an operator, in any state, and refused beyond 1 MiB. Returns the entry's number.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA003, WA004, 42501, 57PA1.
create or replace function animus.append_ledger(
  p_id uuid, p_entry_type text, p_content text, p_token bigint default null, p_focus_id uuid default null, p_tool_call_id text default null) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: operator, daemon, gateway.
declare
  v_seq int;
begin
  if p_token is not null then
    perform animus.hold_lease(p_id, p_token);
  else
    perform animus.require_operator();
    -- The row lock is what makes numbers gapless: writers of one item take turns.
    perform animus.lock_work(array[p_id], 10);
    perform from animus.work_items where id = p_id;
    if not found then
      perform animus.raise('WA003', format('no work item %s', p_id), p_id);
    end if;
    perform animus.unpack_history(p_id);
  end if;
  if p_entry_type <> all (animus.words('work_ledger.entry_type')) then
    perform animus.raise('WA004', format('%s is not a type of ledger entry', quote_nullable(p_entry_type)), p_id,
      'one of ' || array_to_string(animus.words('work_ledger.entry_type'), ', '));
  end if;
  if coalesce(p_content, '') = '' then
    perform animus.raise('WA004', 'a ledger entry needs content', p_id);
  end if;
  if p_token is null and octet_length(p_content) > 1048576 then
    perform animus.raise('WA004', format('the ledger entry has %s bytes; at most 1048576 (1 MiB) are accepted', octet_length(p_content)), p_id);
  end if;
  insert into animus.work_ledger (work_item_id, seq, entry_type, content, focus_id, tool_call_id, created_at)
  values (p_id, 1 + (select coalesce(max(seq), 0) from animus.work_ledger where work_item_id = p_id),
          p_entry_type, case when p_token is null then p_content else animus.cut_text(p_content) end, p_focus_id, p_tool_call_id, animus.now())
  returning seq into v_seq;
  if exists (select from animus.watches where work_item_id = p_id) then
    perform animus.notify_of('animus_ledger', p_id);
    perform animus.notify_of('animus_events', p_id);
  elsif p_token is null then
    perform animus.refuse_prepare();
  end if;
  return v_seq;
end $$;

-- Refuses to change rows of the ledger, and to truncate a table.
-- Locks: none. Raises: WA002.
create or replace function animus.append_only() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform animus.raise('WA002', format('%s is append-only: %s refused', tg_table_name, lower(tg_op)));
  return null;
end $$;

-- Refuses to delete entries of the ledger, unless their item is deleted too (when a delete cascades, it no longer exists here) or
-- they are in its history. Once per statement: checking each row was a third of the processor time of retention.
-- Locks: none. Raises: WA002.
create or replace function animus.ledger_goes_with_item() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if exists (select from animus.work_items w where w.id in (select work_item_id from gone)
                and not exists (select from animus.history h where h.work_item_id = w.id and h.month = animus.month_of(w.resolved_at))) then
    perform animus.raise('WA002', 'work_ledger is append-only: delete refused');
  end if;
  return null;
end $$;

create or replace trigger work_ledger_append_only before update on animus.work_ledger
  for each row execute function animus.append_only();
create or replace trigger work_ledger_goes_with_item after delete on animus.work_ledger referencing old table as gone
  for each statement execute function animus.ledger_goes_with_item();
create or replace trigger work_ledger_no_truncate before truncate on animus.work_ledger
  for each statement execute function animus.append_only();
