-- Calls of the model beside turns, such as summaries: what they may cost is held under the limits, and settled when they have ended.

drop function if exists animus.begin_side_call(uuid, bigint, numeric, bigint, uuid);
-- Its last parameter had a default, which no replacement can take away.
drop function if exists animus.begin_side_call(uuid, bigint, numeric, bigint, uuid, jsonb);
drop function if exists animus.end_side_call(uuid, bigint, numeric, jsonb);
-- Reserves the highest cost of a call of the model that is not a turn, such as a summary, and holds it under the limits that apply. Returns whether they allow it. The
-- commit does not wait for the disk: under limits, call animus.keep_turns before the request is sent. p_for: {model: `provider/model`, operation}, under which it
-- counts while it is under way and when it is lost.
-- Locks: the item's row, as hold_lease; accounts and slices for a moment. Raises: WA001, WA003, 57PA1.
create or replace function animus.begin_side_call(
  p_focus_id uuid, p_token bigint, p_reserved_usd numeric, p_reserved_tokens bigint, p_attempt uuid, p_for jsonb) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_item animus.held_work := animus.hold_focus(p_focus_id, p_token);
begin
  perform set_config('synchronous_commit', 'off', true);
  if exists (select from animus.budget_holds h where h.focus_id = p_focus_id and h.turn = 0 and h.attempt = p_attempt) then return true; end if;
  if animus.hold_budget(v_item, p_focus_id, p_token, 0, p_reserved_usd, p_reserved_tokens, p_attempt) ->> 'permit' <> 'go' then return false; end if;
  perform animus.reserve_side_call(p_focus_id, p_attempt, p_reserved_usd, p_reserved_tokens, p_for);
  return true;
end $$;

-- Settles what was held for a side call. In accounts that were made since it began without any limit, it counts as well. p_tokens: null if they
-- were not counted. p_lost: requests of it that were lost before it was answered.
-- Locks: none beyond those of the caller, who has locked the focus; the holds. Raises: nothing.
create or replace function animus.settle_side_call(p_item animus.held_work, p_focus_id uuid, p_usd numeric, p_tokens bigint, p_lost int) returns void
language plpgsql as $$
begin
  update animus.budget_holds h set cost = p_lost * h.amount + coalesce(case a.unit when 'usd' then p_usd else p_tokens end, h.amount)
    from animus.budget_accounts a where h.focus_id = p_focus_id and h.turn = 0 and h.cost is null and a.id = h.account_id;
  if found or not exists (select from animus.budget_limits) then return; end if;
  insert into animus.budget_holds as h (focus_id, turn, account_id, work_item_id, token, attempt, amount, cost)
  select p_focus_id, 0, a.id, p_item.id, 0, gen_random_uuid(), 0, coalesce(case a.unit when 'usd' then p_usd else p_tokens end, 0)
    from animus.budget_of(p_item.id, animus.now()) b
    join animus.budget_accounts a on a.scope = b.scope and a.subject = b.subject and a.unit = b.unit and a.period = b.period and a.starts = b.starts
  on conflict (focus_id, turn, account_id) do update set cost = h.cost + excluded.cost;
end $$;
