-- Requests to the API that carry an Idempotency-Key (functions/37_idempotency.sql): committed with the effect of the request, so that a repetition
-- gets the first answer. Kept for a day.
create table animus.idempotency_keys (
  -- Keys of different people are different keys.
  actor      text  not null,
  key        text  not null check (length(key) between 1 and 200),
  -- SHA-256 of method, path and body: another request with the same key is a mistake.
  request    bytea not null check (octet_length(request) = 32),
  -- Null while the transaction of the request is open, so never in a committed row.
  status     int,
  answer     text,
  created_at timestamptz not null,
  primary key (actor, key)
);
create index idempotency_keys_by_age on animus.idempotency_keys (created_at);
