-- What daemons do with the deliveries of webhooks (docs/webhooks.md).

-- Returns whether the owner of a webhook may get a delivery, now. A test is about no work.
-- Locks: none. Raises: nothing.
create or replace function animus.may_deliver(p_hook animus.webhooks, p_delivery animus.webhook_deliveries) returns boolean
language plpgsql stable as $$
declare
  v_data constant json := p_delivery.body::json -> 'data';
begin
  if p_delivery.work_item_id is null then return animus.role_of_owner(p_hook.owner, p_hook.owner_role) is not null; end if;
  return animus.owner_sees(p_hook.owner, p_hook.owner_role, v_data ->> 'submitted_by',
    case when v_data ->> 'subject' = 'skill' then '{}' else array[p_delivery.work_item_id, (v_data ->> 'root_id')::uuid] end);
end $$;

-- Claims due deliveries of webhooks whose secrets come from one of the caller's keys: of each item and webhook only the oldest, and of each webhook at most
-- four at a time, over all daemons, so that a slow receiver does not hold up the others. What has waited longest comes first. A claim that is not
-- ended within p_seconds is void, and the delivery is sent again. What the owner may not see any more is deleted; a test becomes a dead letter.
-- Locks: the webhooks and their deliveries; waits for none. Raises: nothing.
create or replace function animus.claim_deliveries(p_key_marks text[], p_limit int default 16, p_seconds int default 60)
returns table (id bigint, webhook_id uuid, message_id uuid, url text, body text, event text, attempt int, claim uuid, key_mark text, secret_version int,
               old_key_mark text)
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off as $$
declare
  v_now  constant timestamptz := animus.now();
  v_left int := p_limit;
  v_hook animus.webhooks;
  v_due  animus.webhook_deliveries;
begin
  for v_hook in
    select h.* from animus.webhooks h
      cross join lateral (select d.due_at from animus.webhook_deliveries d
                           where d.webhook_id = h.id and d.state = 'pending' and d.due_at <= v_now order by d.due_at limit 1) oldest
     where h.key_mark = any (p_key_marks) and animus.free_deliveries(h.id, v_now) > 0
     order by oldest.due_at
       for update of h skip locked
  loop
    exit when v_left <= 0;
    for v_due in
      select d.* from animus.webhook_deliveries d
       where d.webhook_id = v_hook.id and d.state = 'pending' and d.due_at <= v_now
         and not exists (select from animus.webhook_deliveries e
                          where e.webhook_id = v_hook.id and e.work_item_id = d.work_item_id and e.state = 'pending'
                            and (e.id < d.id or e.claim is not null and e.due_at > v_now and e.id <> d.id))
       -- Another daemon may have claimed some until this one had the lock of the webhook: its statements after that see them.
       order by d.due_at, d.id limit least(v_left, animus.free_deliveries(v_hook.id, v_now))
         for update of d skip locked
    loop
      if not animus.may_deliver(v_hook, v_due) then
        delete from animus.webhook_deliveries d where d.id = v_due.id and d.work_item_id is not null;
        update animus.webhook_deliveries d set state = 'dead', ended_at = v_now, last_error = 'the owner of the webhook is disabled or does not exist'
         where d.id = v_due.id;
        continue;
      end if;
      v_left := v_left - 1;
      return query
        update animus.webhook_deliveries d
           set attempts = d.attempts + 1, claim = gen_random_uuid(), due_at = v_now + make_interval(secs => p_seconds)
         where d.id = v_due.id
        returning d.id, d.webhook_id, d.message_id, v_hook.url, d.body, d.event, d.attempts, d.claim, v_hook.key_mark, v_hook.secret_version,
                  case when v_hook.old_until > v_now then v_hook.old_key_mark end;
    end loop;
  end loop;
end $$;

-- Returns how many more deliveries of a webhook may be sent now: of four, those that are not being sent.
-- Locks: none. Raises: nothing.
create or replace function animus.free_deliveries(p_webhook uuid, p_now timestamptz) returns bigint
language sql stable as $$
  select greatest(0, 4 - count(*)) from animus.webhook_deliveries d where d.webhook_id = p_webhook and d.claim is not null and d.due_at > p_now
$$;

-- Ends the claim of a delivery, and returns the state it is in now; null if the claim was void. p_result: `delivered`; `failed`: it is sent again
-- later, up to twelve times within about a day, and so are the later ones of its item; `gone`: not again; `released`: it was not sent.
-- p_retry_seconds: not earlier than the receiver wishes, at most a day.
-- Locks: the delivery, and the later ones of its item, by id; as bound_webhook. Raises: nothing.
create or replace function animus.end_delivery(
  p_id bigint, p_claim uuid, p_result text, p_status int default null, p_error text default null, p_retry_seconds float8 default 0) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now   constant timestamptz := animus.now();
  v_ended animus.webhook_deliveries;
begin
  update animus.webhook_deliveries d
     set state = case when p_result = 'delivered' then 'delivered' when p_result = 'gone' or p_result = 'failed' and d.attempts >= 12 then 'dead' else 'pending' end,
         ended_at = case when p_result in ('delivered', 'gone') or p_result = 'failed' and d.attempts >= 12 then v_now end,
         attempts = case when p_result = 'released' then d.attempts - 1 else d.attempts end,
         claim = null,
         due_at = case when p_result = 'failed' then v_now + make_interval(secs => greatest(
                    least(21600, 5 * 3 ^ (d.attempts - 1)) * (0.75 + random() / 2), least(coalesce(p_retry_seconds, 0), 86400))) else v_now end,
         last_status = case when p_result = 'released' then d.last_status else p_status end,
         last_error = case when p_result = 'released' then d.last_error else left(p_error, 500) end
   where d.id = p_id and d.claim = p_claim and d.state = 'pending'
  returning d.* into v_ended;
  if p_result = 'failed' and v_ended.state = 'pending' then
    update animus.webhook_deliveries d set due_at = greatest(d.due_at, v_ended.due_at)
     where d.id in (select l.id from animus.webhook_deliveries l
                     where l.webhook_id = v_ended.webhook_id and l.work_item_id = v_ended.work_item_id and l.state = 'pending' and l.id > p_id and l.claim is null
                     order by l.id for update);
  end if;
  if v_ended.state <> 'pending' then
    perform animus.bound_webhook(h.id, false) from animus.webhooks h where h.id = v_ended.webhook_id and h.overflow is not null;
  end if;
  return v_ended.state;
end $$;

-- Returns what `animus status` shows about webhooks: how many deliveries are dead (counted up to 1,000), how many have been due for five
-- minutes while their webhook gets nothing, which means that no daemon sends them, and how many webhooks are full.
-- Locks: none. Raises: nothing.
create or replace function animus.webhook_status() returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: reader, operator, daemon.
  select jsonb_build_object('webhooks', jsonb_build_object(
    'dead', (select count(*) from (select from animus.webhook_deliveries where state = 'dead' limit 1000) d),
    'late', (select count(*) from (select from animus.webhooks h join animus.webhook_deliveries d on d.webhook_id = h.id
                                    where d.state = 'pending' and d.claim is null and d.due_at < animus.now() - interval '5 minutes'
                                      and animus.free_deliveries(h.id, animus.now()) = 4 limit 1000) d),
    'full', (select count(*) from animus.webhooks where overflow = 'dead'),
    'dropping', (select count(*) from animus.webhooks where overflow = 'dropped')))
$$;

-- Deletes up to p_limit deliveries: those that arrived more than a day ago, dead ones older than p_older_than and those beyond the newest
-- animus.webhook_limit() of a webhook, and those of removed webhooks.
-- Locks: animus.retention_turn; the deliveries. Raises: nothing.
create or replace function animus.prune_deliveries(p_older_than interval, p_limit int default 1000) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now   constant timestamptz := animus.now();
  v_count int;
begin
  if not animus.try_retention() then return null; end if;
  delete from animus.webhook_deliveries where id in (
    select e.id from (
      (select d.id from animus.webhook_deliveries d
        where d.state <> 'pending' and d.ended_at < v_now - interval '1 day' and (d.state = 'delivered' or d.ended_at < v_now - p_older_than)
        order by d.ended_at limit p_limit)
      union all
      (select d.id from animus.webhook_deliveries d where not exists (select from animus.webhooks h where h.id = d.webhook_id) limit p_limit)
      union all
      (select d.id from animus.webhooks h cross join lateral (
         select o.id from animus.webhook_deliveries o where o.webhook_id = h.id and o.state = 'dead' order by o.id desc offset animus.webhook_limit()) d
        limit p_limit)) e
     limit p_limit);
  get diagnostics v_count = row_count;
  perform animus.bound_webhook(h.id, false) from animus.webhooks h where h.overflow is not null;
  return v_count;
end $$;
