-- Requests that may be sent twice and have their effect once (docs/http.md). A gateway calls both functions in the transaction that acts for the
-- person and has the effect.

-- Begins a request of the actor that carries a key. Returns no row: it is new, and end_request has to follow in this transaction. Returns a row: the
-- answer of the first time. Of two at the same time, the second waits, at most 5 s, until the first has ended. p_as_sent: another digest of the same
-- request, which counts as well: servers of an earlier animus kept that of the bytes as they came.
-- Locks: the row of the key. Raises: WA004, WA008 if the key was used for another request, 57PA1 if the first does not end in time.
drop function if exists animus.begin_request(text, bytea);
create or replace function animus.begin_request(p_key text, p_request bytea, p_as_sent bytea default null) returns table (status int, answer text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: daemon, gateway.
declare
  v_actor  constant text := animus.actor();
  v_now    constant timestamptz := animus.now();
  v_before constant text := current_setting('lock_timeout');
  v_new    int;
  v_kept   animus.idempotency_keys;
begin
  if coalesce(length(p_key), 0) not between 1 and 200 then perform animus.raise('WA004', 'an idempotency key has 1 to 200 characters'); end if;
  perform set_config('lock_timeout', '5s', true);
  delete from animus.idempotency_keys k where k.actor = v_actor and k.key = p_key and k.created_at < v_now - interval '1 day';
  insert into animus.idempotency_keys (actor, key, request, created_at) values (v_actor, p_key, p_request, v_now) on conflict do nothing;
  get diagnostics v_new = row_count;
  perform set_config('lock_timeout', v_before, true);
  if v_new = 1 then return; end if;
  select k.* into v_kept from animus.idempotency_keys k where k.actor = v_actor and k.key = p_key;
  if v_kept.request is distinct from p_request and v_kept.request is distinct from p_as_sent then
    perform animus.raise('WA008', 'the idempotency key was used for another request');
  end if;
  return query select v_kept.status, v_kept.answer;
exception when lock_not_available then
  perform animus.raise('57PA1', 'a request with the same idempotency key is still running');
end $$;

-- Keeps the answer of the request that begin_request began in this transaction.
-- Locks: the row of the key. Raises: nothing.
create or replace function animus.end_request(p_key text, p_status int, p_answer text) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: daemon, gateway.
  update animus.idempotency_keys set status = p_status, answer = p_answer where actor = animus.actor() and key = p_key
$$;
