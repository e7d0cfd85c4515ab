-- The clock, ids, error codes and the state machine.

-- Returns the current time. It is the only clock in SQL; tests replace it in their own databases.
-- Locks: none. Raises: nothing.
create or replace function animus.now() returns timestamptz
language sql volatile parallel safe as $$ select clock_timestamp() $$;

-- Returns a new id: a UUID version 7 (RFC 9562) with 48 bits of milliseconds, 12 of their fraction and 62 random, so that ids of one
-- session sort by time. In plpgsql, because an SQL function with a FROM is not inlined and costs four times as much.
-- Locks: none. Raises: nothing.
create or replace function animus.uuid_v7() returns uuid
language plpgsql volatile parallel safe as $$
declare
  v_us bigint := date_part('epoch', clock_timestamp()) * 1000000;
begin
  return animus.uuid_at(v_us);
end $$;

-- Returns a new id of a time in microseconds since 1970. PostgreSQL inlines it where the argument is a variable. Ids are names and give no
-- rights, so they may be guessable: random() costs 0.1 µs of processor time, gen_random_uuid() 1.7. The process id keeps sessions apart that
-- have set the same seed.
-- Locks: none. Raises: nothing.
create or replace function animus.uuid_at(p_us bigint) returns uuid
language sql volatile parallel restricted as $$
  select encode(substring(int8send(p_us / 1000), 3, 6) || int2send((28672 + (p_us % 1000) * 4096 / 1000)::int2)
    || int4send((random() * 1073741823)::int | (-2147483648)) || int4send((random() * 4294967295 - 2147483648)::int # pg_backend_pid()), 'hex')::uuid
$$;

-- Raises an error of animus with an SQLSTATE of class WA, or 57PA1 for a locked row; p_id becomes its DETAIL. The project's own
-- SQLSTATEs, class WA (classes I to Z are free for applications). src/store/postgres/postgres.ts maps them:
--   WA001 lease lost · WA002 not possible in this state · WA003 not found · WA004 invalid · WA005 cancelled · WA006 budget · WA007 token refused
--   WA008 key used for another request
--   57PA1 somebody else has a row locked: try again. Not of class WA: daemons of schema version 9 know class 57P as a failure of the
--   world, release the work and burn no attempt.
-- Locks: none. Raises: p_sqlstate.
create or replace function animus.raise(p_sqlstate text, p_message text, p_id uuid default null, p_hint text default '') returns void
language plpgsql as $$
begin
  -- An empty DETAIL or HINT would be shown as a line of its own.
  if p_id is null and p_hint = '' then
    raise exception using errcode = p_sqlstate, message = p_message;
  elsif p_id is null then
    raise exception using errcode = p_sqlstate, message = p_message, hint = p_hint;
  elsif p_hint = '' then
    raise exception using errcode = p_sqlstate, message = p_message, detail = p_id::text;
  end if;
  raise exception using errcode = p_sqlstate, message = p_message, detail = p_id::text, hint = p_hint;
end $$;

-- Refuses a session in which no trigger runs: what the triggers of animus do would be left undone, such as waking a parent, without an error.
-- Locks: none. Raises: WA002.
create or replace function animus.require_triggers(p_what text) returns void
language plpgsql stable as $$
begin
  if current_setting('session_replication_role') <> 'replica' then return; end if;
  perform animus.raise('WA002', format('%s needs the triggers of animus, and none runs in this session: session_replication_role is replica', p_what),
    p_hint => 'as a superuser, for all sessions of a login: alter role … set session_replication_role = ''origin''');
end $$;

-- Refuses a transaction that sees only what was committed before it began. What locks a row and then reads what belongs to it would miss what another
-- transaction has added meanwhile, such as a child of work that is cancelled or the newest decision of the chain, without an error.
-- Locks: none. Raises: WA002.
create or replace function animus.require_newest(p_what text) returns void
language plpgsql stable as $$
begin
  perform animus.require_triggers(p_what);
  if current_setting('transaction_isolation') in ('read committed', 'read uncommitted') then return; end if;
  perform animus.raise('WA002', format('%s must see what others commit meanwhile, and this transaction is %s: begin isolation level read committed',
    p_what, current_setting('transaction_isolation')),
    p_hint => format('for all transactions of this login: alter role %I in database %I set default_transaction_isolation = ''read committed''', session_user, current_database()));
end $$;

-- Sends a notification, unless the server's notification queue is half full. Any client can fill that queue by listening without
-- reading, and then every commit that notifies fails. Skipping is safe: a notification is a hint, and daemons also poll.
-- None is sent with animus.notify off (may_notify).
-- Locks: none. Raises: nothing.
create or replace function animus.notify(p_channel text, p_payload text default '') returns void
language plpgsql as $$
begin
  if animus.may_notify() and pg_notification_queue_usage() < 0.5 then perform pg_notify(p_channel, p_payload); end if;
end $$;

-- Returns whether this session sends notifications: not with `animus.notify = off`, for applications that prepare their transactions (two-phase
-- commit). PostgreSQL prepares no transaction that has notified, and a function cannot know whether its transaction will be prepared.
-- Locks: none. Raises: nothing.
create or replace function animus.may_notify() returns boolean
language sql stable as $$ select lower(coalesce(current_setting('animus.notify', true), '')) not in ('off', 'false', 'no', '0') $$;

-- Called where nobody needs to be notified now: has PostgreSQL refuse to prepare this transaction all the same, as it would if somebody were.
-- Otherwise an application that prepares its transactions works until a daemon is idle, or somebody watches. A server that allows no prepared
-- transactions, which is the default, refuses all.
-- Locks: none. Raises: nothing.
create or replace function animus.refuse_prepare() returns void
language plpgsql as $$
begin
  if current_setting('max_prepared_transactions') <> '0' then perform animus.notify('animus_nobody'); end if;
end $$;

-- Returns how notifications name an item or a conversation: anybody who may connect to the database hears them all, so they carry no ids. Without
-- the secret nobody can make a notice of an id or an id of a notice.
-- Locks: none. Raises: nothing.
create or replace function animus.make_notice(p_id uuid) returns text
language sql stable as $$ select encode(substr(sha256(s.secret || uuid_send(p_id)), 1, 16), 'hex') from animus.notice_secret s $$;

-- Sends a notification about an item or a conversation, as animus.notify does.
-- Locks: none. Raises: nothing.
create or replace function animus.notify_of(p_channel text, p_id uuid) returns void
language plpgsql as $$
begin
  perform animus.notify(p_channel, animus.make_notice(p_id));
end $$;

-- Returns whether a pgmq queue belongs to animus, by the comment on its table. Also true for the old names of our queues. A table that
-- a new installation created under an old name is ours until another application creates a queue of that name: then pgmq.meta lists it.
-- Locks: none. Raises: nothing.
create or replace function animus.is_our_queue(p_queue text) returns boolean
language sql stable as $$
  select coalesce(c.comment like 'animus:%' and not (c.comment like 'animus: until %' and exists (select from pgmq.meta m where m.queue_name = p_queue)), false)
    from obj_description(to_regclass(format('pgmq.%I', 'q_' || p_queue)), 'pg_class') c (comment)
$$;
