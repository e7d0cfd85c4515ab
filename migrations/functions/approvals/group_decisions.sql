-- Decisions about many requests at once, where that is safe: each is named, so nothing is decided that was not seen.

-- Denies what these ids name, acknowledges it (`answer`, of what was lost), or approves it (`approve`, of calls that are exactly the same), for an operator.
-- Returns how many were decided: what no longer waits is left out. Each decision is a row of its own, as if it had been made alone. All that waits for one limit
-- is one request.
-- Locks: the items' rows, waiting two seconds at most; the skills. Raises: WA002, WA003, WA004, 42501, 57PA1.
create or replace function animus.decide_all(p_asks uuid[], p_action text, p_note text default '') returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_ask   record;
  v_count int := 0;
begin
  perform animus.require_operator();
  if coalesce(cardinality(p_asks), 0) not between 1 and 1000 or coalesce(p_action, '') not in ('deny', 'answer', 'approve') then
    perform animus.raise('WA004', 'a decision about many is deny, answer or approve, about 1 to 1000 requests');
  end if;
  perform animus.lock_work(array(select distinct i.id from animus.inbox x cross join lateral unnest(x.work_items) i (id)
                                  where x.ask_id = any (p_asks) and exists (select from animus.work_items w where w.id = i.id) order by 1), 10);
  if p_action = 'approve' and (select count(distinct x.hash) > 1 or bool_or(x.subject <> 'tool_call') from animus.inbox x where x.ask_id = any (p_asks)) then
    perform animus.raise('WA004', 'only identical calls can be approved together: decide these one by one');
  end if;
  if p_action = 'answer' and exists (select from animus.inbox x where x.ask_id = any (p_asks) and x.subject <> 'lost') then
    perform animus.raise('WA004', 'only losses can be acknowledged together: answer questions one by one');
  end if;
  for v_ask in select x.ask_id, x.work_item_id from animus.inbox x where x.ask_id = any (p_asks) order by x.work_item_id, x.asked_at, x.ask_id loop
    perform animus.decide(v_ask.work_item_id, v_ask.ask_id, p_action, p_note, null, null, case p_action when 'answer' then p_note end);
    v_count := v_count + 1;
  end loop;
  return v_count;
end $$;
