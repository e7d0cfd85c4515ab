-- Webhooks: requests to addresses outside about changes of work and approvals that wait (functions/38_webhooks.sql, docs/webhooks.md).
create table animus.webhooks (
  id             uuid primary key,
  url            text not null check (length(url) between 1 and 2000),
  -- Words of animus.webhook_events().
  events         text[] not null,
  -- Null: all.
  faculties      text[],
  label          text not null default '' check (length(label) <= 200),
  -- It gets only what this actor may see: a login, or `person:NAME`.
  owner          text not null,
  -- The most that a person had as a role when it was added; null: a login.
  owner_role     text,
  -- Which key its secret is derived from: a one-way fingerprint. Neither the key nor the secret is in the database.
  key_mark       text not null check (key_mark ~ '^[0-9a-f]{16}$'),
  -- Another number makes another secret from the same key.
  secret_version int not null default 1 check (secret_version >= 1),
  -- The key of the secret before, secret_version - 1, which signs, too, until old_until.
  old_key_mark   text check (old_key_mark ~ '^[0-9a-f]{16}$'),
  old_until      timestamptz,
  -- Too many deliveries wait (animus.webhook_limit): new ones become dead letters at once. `dropped`: there are as many dead letters, and new
  -- ones are not written at all.
  overflow       text check (overflow in ('dead', 'dropped')),
  overflow_since timestamptz,
  -- When new ones were last about to be dropped; kept, because events are missing since then.
  dropped_at     timestamptz,
  created_at     timestamptz not null,
  -- Its sequence tells the triggers of work, without a look at the table, that there has never been a webhook.
  number         bigint generated always as identity,
  constraint old_secret_ends check ((old_key_mark is null) = (old_until is null)),
  constraint overflow_has_time check ((overflow is null) = (overflow_since is null))
);

-- One row per event and webhook, written in the transaction of the change. No foreign keys: one to the webhook would make all writers lock
-- the same row, and a delivery may outlive its work item.
create table animus.webhook_deliveries (
  -- The order of the events of an item: its writers hold the item's row lock.
  id           bigint generated always as identity primary key,
  -- The header webhook-id, the same at each attempt.
  message_id   uuid not null default gen_random_uuid(),
  webhook_id   uuid not null,
  -- Null: a test.
  work_item_id uuid,
  event        text not null,
  -- The bytes that are sent and signed.
  body         text not null,
  state        text not null default 'pending' check (state in ('pending', 'delivered', 'dead')),
  attempts     int not null default 0,
  -- When it may be sent next; while it is being sent, when the claim ends.
  due_at       timestamptz not null,
  -- Not null while a daemon sends it.
  claim        uuid,
  last_status  int,
  last_error   text,
  created_at   timestamptz not null,
  ended_at     timestamptz
);
create index webhook_deliveries_due on animus.webhook_deliveries (webhook_id, due_at, id) where state = 'pending';
create index webhook_deliveries_order on animus.webhook_deliveries (webhook_id, work_item_id, id) where state = 'pending';
create index webhook_deliveries_sending on animus.webhook_deliveries (webhook_id) where claim is not null;
create index webhook_deliveries_dead on animus.webhook_deliveries (webhook_id, id) where state = 'dead';
create index webhook_deliveries_ended on animus.webhook_deliveries (ended_at) where state <> 'pending';
