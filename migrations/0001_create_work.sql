-- The queue itself: work items, the keys that make duplicates merge, and the pgmq queues beside them.

create table animus.settings (
  key   text primary key,
  value jsonb not null
);

-- A lease token is drawn once per claim and never again: whoever holds the newest one owns the item.
create sequence animus.lease_tokens as bigint;

create table animus.work_items (
  id                  uuid primary key,
  faculty             text not null check (faculty ~ '^[a-z][a-z0-9_-]{0,62}$'),
  skill               text check (length(skill) between 1 and 64),
  description         text not null default '',
  params              jsonb not null default '{}' check (jsonb_typeof(params) = 'object'),
  dedup_key           text check (octet_length(dedup_key) between 1 and 1024),
  source              text not null default 'sql',
  trigger_info        jsonb,
  priority            int not null default 0,
  run_at              timestamptz,
  concurrency_key     text check (octet_length(concurrency_key) between 1 and 1024),
  parent_id           uuid references animus.work_items (id) on delete cascade,
  trace_context       text check (length(trace_context) <= 256),

  -- From here on the engine owns every column; an insert that sets one is refused (animus.work_items_before_insert).
  root_id             uuid not null,
  depth               int not null check (depth between 0 and 5),
  state               text not null check (state in
                        ('scheduled', 'queued', 'claimed', 'running', 'waiting', 'completed', 'dead', 'merged', 'cancelled')),
  merged_into         uuid,
  key_blocked         boolean not null default false,
  attempts            int not null default 0 check (attempts >= 0),
  crashes             int not null default 0 check (crashes >= 0),
  max_attempts        int check (max_attempts >= 1),
  lease_owner         uuid,
  lease_token         bigint,
  lease_expires_at    timestamptz,
  turns               int not null default 0,
  turns_at_claim      int not null default 0,
  cancel_requested_at timestamptz,
  cancel_reason       text,
  outcome             jsonb,
  outcome_summary     text,
  error               jsonb,
  cost_usd            numeric(14, 6) not null default 0,
  input_tokens        bigint not null default 0,
  output_tokens       bigint not null default 0,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  resolved_at         timestamptz,
  queue_msg_id        bigint,

  constraint merged_names_its_target check ((state = 'merged') = (merged_into is not null)),
  constraint lease_while_active check ((state in ('claimed', 'running')) = (lease_expires_at is not null)),
  constraint owner_while_active check ((state in ('claimed', 'running')) = (lease_owner is not null)),
  constraint resolved_has_time check ((state in ('completed', 'dead', 'merged', 'cancelled')) = (resolved_at is not null)),
  constraint open_has_message check (state in ('completed', 'dead', 'merged', 'cancelled') or queue_msg_id is not null),
  constraint only_queued_is_blocked check (not key_blocked or state = 'queued')
) with (
  -- Rows change state a handful of times and are heartbeaten often: room on the page keeps those updates HOT.
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);

-- The claim probes this index once per faculty; blocked and scheduled items are not in it, so it never walks over them.
create index work_items_claimable on animus.work_items (faculty, priority desc, id) where state = 'queued' and not key_blocked;
create index work_items_scheduled on animus.work_items (run_at) where state = 'scheduled';
create index work_items_active on animus.work_items (faculty, id) where state in ('claimed', 'running');
-- At most one active item per concurrency key, whatever the code does.
create unique index work_items_key_holder on animus.work_items (concurrency_key) where state in ('claimed', 'running') and concurrency_key is not null;
create index work_items_key_blocked on animus.work_items (concurrency_key, faculty, priority desc, id) where state = 'queued' and key_blocked;
create index work_items_waiting on animus.work_items (id) where state = 'waiting';
create index work_items_children on animus.work_items (parent_id) where parent_id is not null;
create index work_items_tree on animus.work_items (root_id) where depth > 0;
create index work_items_resolved on animus.work_items (resolved_at) where resolved_at is not null;

-- What a holder of a lease is told about its item: the columns that decide, none that may be large.
create type animus.held_work as (
  id                  uuid,
  faculty             text,
  state               text,
  attempts            int,
  max_attempts        int,
  lease_owner         uuid,
  cancel_requested_at timestamptz,
  cancel_reason       text
);

-- Structural dedup: the active item of a faculty for a key. No foreign key: the row is written by the trigger that runs
-- before the item's own row exists, and it leaves in the transaction that ends the item.
create table animus.active_keys (
  faculty      text not null,
  dedup_key    text not null,
  work_item_id uuid not null,
  primary key (faculty, dedup_key)
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

-- Concurrency keys that were given up since the last claim. Ending work only leaves a note here; flagging and offering happen
-- inside claims, which take turns, so no end ever waits for, or deadlocks with, another item's row.
create table animus.freed_keys (
  concurrency_key text not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);

create table animus.work_ledger (
  work_item_id uuid not null references animus.work_items (id) on delete cascade,
  seq          int not null check (seq >= 1),
  entry_type   text not null check (entry_type in ('plan', 'finding', 'decision', 'step', 'error', 'note')),
  content      text not null check (content <> ''),
  focus_id     uuid,
  tool_call_id text,
  created_at   timestamptz not null,
  primary key (work_item_id, seq)
);

do $$
begin
  perform pgmq.create(q) from unnest(array['work', 'inbox', 'inbox_dead']) q
   where not exists (select from pgmq.list_queues() l where l.queue_name = q);
end $$;

alter table pgmq.q_work set (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0.01,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);
