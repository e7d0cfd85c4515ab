-- What daemons, operators and parked foci agree on.

create table animus.daemons (
  id             uuid primary key,
  host           text not null,
  pid            int not null,
  version        text not null,
  max_concurrent int not null,
  saturated      boolean not null default false,
  faculties      jsonb not null default '{}',
  problems       jsonb not null default '[]',
  started_at     timestamptz not null,
  seen_at        timestamptz not null,
  stopped_at     timestamptz
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);

-- One row per pending call of a parked focus.
create table animus.waits (
  work_item_id uuid not null references animus.work_items (id) on delete cascade,
  call_id      text not null,
  kind         text not null check (kind in ('children', 'approval', 'timer', 'human')),
  targets      uuid[] not null default '{}',
  mode         text check (mode in ('all', 'any')),
  deadline     timestamptz,
  resolved_at  timestamptz,
  result       jsonb,
  created_at   timestamptz not null,
  primary key (work_item_id, call_id)
);
create index waits_due on animus.waits (deadline) where resolved_at is null and deadline is not null;

create table animus.pauses (
  faculty   text primary key,  -- '*' pauses every faculty
  reason    text not null,
  paused_by text not null,
  until     timestamptz,
  created_at timestamptz not null
);

-- Who did what to which work, and why. Append-only.
create table animus.decisions (
  id           bigint generated always as identity primary key,
  work_item_id uuid references animus.work_items (id) on delete cascade,
  call_id      text,
  action       text not null check (action in ('approve', 'deny', 'steer', 'answer', 'cancel', 'retry', 'pause', 'resume')),
  note         text not null default '',
  decided_by   text not null,
  created_at   timestamptz not null
);
create index decisions_item on animus.decisions (work_item_id);

create table animus.schedules (
  name          text primary key,
  cron          text not null,
  time_zone     text not null default 'UTC',
  faculty       text not null,
  description   text not null default '',
  params        jsonb not null default '{}' check (jsonb_typeof(params) = 'object'),
  missed        text not null default 'once' check (missed in ('skip', 'once', 'all')),
  grace_seconds int not null default 3600 check (grace_seconds >= 0),
  paused        boolean not null default false,
  next_at       timestamptz,
  last_at       timestamptz,
  created_at    timestamptz not null
);

create table animus.spend (
  faculty       text not null,
  model         text not null,
  day           date not null,  -- UTC
  usd           numeric(14, 6) not null default 0,
  input_tokens  bigint not null default 0,
  output_tokens bigint not null default 0,
  calls         bigint not null default 0,
  primary key (faculty, model, day)
) with (fillfactor = 70);

-- Items whose end and ledger somebody wants to hear of by NOTIFY.
create table animus.watches (
  work_item_id uuid primary key references animus.work_items (id) on delete cascade,
  until        timestamptz not null
);
