-- What a focus did, in enough detail to go on after a crash and to send byte-identical requests. What is sent again is
-- stored as json, not jsonb: jsonb reorders keys, and a reordered tool input would miss the provider's prompt cache.

create table animus.foci (
  id               uuid primary key,
  work_item_id     uuid not null references animus.work_items (id) on delete cascade,
  number           int not null check (number >= 1),
  daemon_id        uuid not null,
  host             text not null,
  directory        text,
  phase            text not null check (phase in ('orient', 'engage', 'consolidate', 'recover')),
  faculty_snapshot jsonb not null,
  system_prompt    text not null,
  tools            json not null check (json_typeof(tools) = 'array'),
  skills           jsonb not null default '[]',
  resumes          int not null default 0,
  ended_as         text check (ended_as in ('completed', 'failed', 'cancelled', 'lost')),
  error            jsonb,
  started_at       timestamptz not null,
  ended_at         timestamptz,
  unique (work_item_id, number),
  constraint ended_has_time check ((ended_as is null) = (ended_at is null))
) with (fillfactor = 80);

-- An item has at most one focus that may still go on.
create unique index foci_open on animus.foci (work_item_id) where ended_as is null;

create table animus.turns (
  focus_id               uuid not null references animus.foci (id) on delete cascade,
  turn                   int not null check (turn >= 1),
  provider               text,
  model                  text,
  response               json,
  response_id            text,
  stop_reason            text,
  raw_stop_reason        text,
  cut_tool_calls         text[] not null default '{}',
  usage                  jsonb,
  cost_usd               numeric(14, 6) not null default 0,
  reserved_usd           numeric(14, 6) not null default 0,
  lost_usd               numeric(14, 6) not null default 0,
  begun_at               timestamptz not null,
  recorded_at            timestamptz,
  time_to_first_token_ms double precision,
  duration_ms            double precision,
  primary key (focus_id, turn),
  constraint recorded_whole check ((recorded_at is null) = (response is null))
) with (fillfactor = 80);

create table animus.tool_calls (
  focus_id       uuid not null,
  turn           int not null,
  call_id        text not null,
  position       int not null,
  name           text not null,
  input          json not null,
  origin         text not null default 'model' check (origin in ('model', 'sandbox')),
  parent_call_id text,
  state          text not null check (state in ('pending', 'started', 'done', 'failed', 'in_doubt', 'denied', 'waiting')),
  output         text,
  output_bytes   int,
  is_error       boolean,
  details        jsonb,
  started_at     timestamptz,
  ended_at       timestamptz,
  duration_ms    double precision,
  primary key (focus_id, turn, call_id),
  foreign key (focus_id, turn) references animus.turns (focus_id, turn) on delete cascade,
  constraint ended_has_output check ((state in ('done', 'failed', 'in_doubt', 'denied')) = (output is not null))
) with (fillfactor = 80);

-- Everything the engine itself puts into a context, recorded before it is sent.
create table animus.focus_messages (
  focus_id   uuid not null references animus.foci (id) on delete cascade,
  seq        int not null check (seq >= 1),
  after_turn int not null check (after_turn >= 0),
  kind       text not null check (kind in
               ('orient', 'digest', 'skill', 'nudge', 'notice', 'operator', 'stub', 'summary', 'hook')),
  content    text not null,
  tokens     int not null,
  -- Of a stub or a summary: the first turn that stays verbatim; it stands for what came before.
  keeps_from int check (keeps_from >= 1),
  created_at timestamptz not null,
  primary key (focus_id, seq),
  constraint folds_say_what check ((kind in ('stub', 'summary')) = (keeps_from is not null))
);

-- Outputs too large for a context, readable in parts.
create table animus.artifacts (
  id         uuid primary key,
  focus_id   uuid not null references animus.foci (id) on delete cascade,
  name       text not null,
  media_type text not null,
  bytes      bigint not null,
  content    bytea not null,
  created_at timestamptz not null
);
create index artifacts_focus on animus.artifacts (focus_id);
