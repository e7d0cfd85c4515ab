-- What the migrations come to: tables, columns, constraints, indexes, triggers. Written by `npm run schema`, held equal by a test, and run by
-- nothing. Functions stand in functions/; docs/sql-api.md and docs/architecture.md have a map of them.

create sequence animus.lease_tokens as bigint;

create type animus.held_work as (
  id                  uuid,
  faculty             text,
  state               text,
  attempts            integer,
  max_attempts        integer,
  lease_owner         uuid,
  cancel_requested_at timestamptz,
  cancel_reason       text,
  has_mail            boolean,
  keyed               boolean
);

create type animus.memory_filter as (
  viewer      text,
  sees_all    boolean,
  of_item     boolean,
  task        uuid,
  project     text,
  layers      text[],
  projects    text[],
  tasks       uuid[],
  kinds       text[],
  tags        text[],
  metadata    jsonb,
  source_item uuid,
  faculty     text,
  since       timestamptz,
  until       timestamptz,
  readers     text[],
  owners      text[]
);

create type animus.memory_place as (
  layer        text,
  project      text,
  task         uuid,
  submitted_by text
);

create type animus.named_finding as (
  work_item_id uuid,
  seq          integer,
  content      text,
  found_at     timestamptz,
  proposal     uuid,
  skills       text
);

create table animus.schema_migrations (
  version    integer     not null,
  name       text        not null,
  checksum   text        not null,
  applied_at timestamptz not null default clock_timestamp(),
  primary key (version)
);

create table animus.schema_functions (
  name       text        not null,
  checksum   text        not null,
  applied_at timestamptz not null default clock_timestamp(),
  primary key (name)
);

create table animus.schema_functions_replaced (
  checksum    text        not null,
  replaced_at timestamptz not null default clock_timestamp(),
  primary key (checksum)
);

create table animus.settings (
  key   text  not null,
  value jsonb not null,
  primary key (key)
);

create table animus.work_items (
  id                  uuid        not null,
  faculty             text        not null,
  skill               text,
  description         text        not null default '',
  params              jsonb       not null default '{}',
  dedup_key           text,
  source              text        not null default 'sql',
  trigger_info        jsonb,
  priority            integer     not null default 0,
  run_at              timestamptz,
  concurrency_key     text,
  parent_id           uuid,
  trace_context       text,
  root_id             uuid        not null,
  depth               integer     not null,
  state               text        not null,
  merged_into         uuid,
  key_blocked         boolean     not null default false,
  attempts            integer     not null default 0,
  crashes             integer     not null default 0,
  max_attempts        integer,
  lease_owner         uuid,
  lease_token         bigint,
  lease_expires_at    timestamptz,
  turns               integer     not null default 0,
  turns_at_claim      integer     not null default 0,
  cancel_requested_at timestamptz,
  cancel_reason       text,
  outcome             jsonb,
  outcome_summary     text,
  error               jsonb,
  cost_usd            numeric     not null default 0,
  input_tokens        bigint      not null default 0,
  output_tokens       bigint      not null default 0,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  resolved_at         timestamptz,
  queue_msg_id        bigint,
  submitted_by        text,
  unstarted_claims    integer     not null default 0,
  batch               boolean,
  has_mail            boolean,
  detached            boolean,
  awaited             boolean,
  unpriced_calls      integer     not null default 0,
  deaths              integer     not null default 0,
  died_at             timestamptz,
  died_at_turn        integer     not null default 0,
  suspect_of          uuid,
  alone_until         timestamptz,
  lease_seconds       real,
  lost_usd            numeric     not null default 0,
  lost_requests       integer     not null default 0,
  estimated_usd       numeric     not null default 0,
  calls               integer     not null default 0,
  uncounted_calls     integer     not null default 0,
  assumed_tokens      bigint      not null default 0,
  primary key (id),
  constraint work_items_parent_id_fkey foreign key (parent_id) references animus.work_items(id) on delete cascade,
  constraint work_items_deaths_check check (deaths >= 0)
) with (autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_delay=0, fillfactor=90);
create index work_items_active on animus.work_items (faculty, id) where state in ('claimed', 'running');
create index work_items_by_state on animus.work_items (state, id, faculty) where state in ('scheduled', 'waiting', 'dead', 'merged', 'cancelled');
create index work_items_children on animus.work_items (parent_id) where parent_id is not null;
create index work_items_claimable on animus.work_items (faculty, priority desc, id) where state = 'queued' and not key_blocked;
create index work_items_dead on animus.work_items (resolved_at) where state = 'dead';
create index work_items_ended on animus.work_items (faculty, "substring"(uuid_send(id), 15, 2)) where resolved_at is not null;
create index work_items_ended_short on animus.work_items ("substring"(uuid_send(id), 11, 2)) where resolved_at is not null;
create index work_items_key_blocked on animus.work_items (concurrency_key, faculty, priority desc, id) where state = 'queued' and key_blocked;
create unique index work_items_key_holder on animus.work_items (concurrency_key) where (state in ('claimed', 'running')) and concurrency_key is not null;
create index work_items_open_answers on animus.work_items ((trigger_info ->> 'conversation')) where source = 'chat' and resolved_at is null;
create index work_items_people on animus.work_items (submitted_by, id) where submitted_by ~~ 'person:%';
create index work_items_resolved on animus.work_items (resolved_at) where resolved_at is not null;
create index work_items_scheduled on animus.work_items (run_at) where state = 'scheduled';
create index work_items_suspect on animus.work_items (suspect_of) where suspect_of is not null and (state in ('queued', 'claimed', 'running'));
create index work_items_tree on animus.work_items (root_id) where depth > 0;
create trigger work_items_after_insert after insert on animus.work_items referencing new table as inserted for each statement execute function animus.work_items_after_insert();
create trigger work_items_before_insert before insert on animus.work_items for each row execute function animus.work_items_before_insert();
create trigger work_items_before_update before update on animus.work_items for each row execute function animus.work_items_before_update();
create trigger work_items_check_input before update of skill, description, params, trigger_info, source, trace_context on animus.work_items for each row execute function animus.work_items_check_input();
create trigger work_items_forget_marks after delete on animus.work_items referencing old table as deleted for each statement execute function animus.forget_marks();
create trigger work_items_forget_tasks after delete on animus.work_items referencing old table as deleted for each statement execute function animus.forget_tasks();
create trigger work_items_forget_words after delete on animus.work_items referencing old table as deleted for each statement execute function animus.forget_words();
create trigger work_items_keep_deleted after delete on animus.work_items referencing old table as deleted for each statement execute function animus.keep_deleted_work();
create trigger work_items_keep_skill_outcomes after delete on animus.work_items referencing old table as deleted for each statement execute function animus.keep_skill_outcomes();
create trigger work_items_refuse_delete before delete on animus.work_items for each row when (old.resolved_at is null) execute function animus.work_items_refuse_delete();

create table animus.active_keys (
  faculty      text not null,
  dedup_key    text not null,
  work_item_id uuid not null,
  primary key (faculty, dedup_key)
) with (fillfactor=90, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000);

create table animus.freed_keys (
  concurrency_key text not null
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=200);

create table animus.work_ledger (
  work_item_id uuid        not null,
  seq          integer     not null,
  entry_type   text        not null,
  content      text        not null,
  focus_id     uuid,
  tool_call_id text,
  created_at   timestamptz not null,
  primary key (work_item_id, seq),
  constraint work_ledger_work_item_id_fkey foreign key (work_item_id) references animus.work_items(id) on delete cascade,
  constraint work_ledger_content_check check (content <> ''),
  constraint work_ledger_entry_type_check check (entry_type in ('plan', 'finding', 'decision', 'step', 'error', 'note')),
  constraint work_ledger_seq_check check (seq >= 1)
) with (autovacuum_vacuum_scale_factor=0.05, autovacuum_analyze_scale_factor=0.05);
create index work_ledger_findings on animus.work_ledger (created_at) where entry_type = 'finding';
create trigger work_ledger_append_only before update on animus.work_ledger for each row execute function animus.append_only();
create trigger work_ledger_goes_with_item after delete on animus.work_ledger referencing old table as gone for each statement execute function animus.ledger_goes_with_item();
create trigger work_ledger_no_truncate before truncate on animus.work_ledger for each statement execute function animus.append_only();

create table animus.foci (
  id               uuid        not null,
  work_item_id     uuid        not null,
  number           integer     not null,
  daemon_id        uuid        not null,
  host             text        not null,
  directory        text,
  phase            text        not null,
  faculty_snapshot jsonb,
  system_prompt    text,
  tools            json,
  skills           jsonb       not null default '[]',
  resumes          integer     not null default 0,
  ended_as         text,
  error            jsonb,
  started_at       timestamptz not null,
  ended_at         timestamptz,
  settings_id      bytea,
  continues        uuid,
  turns_before     integer,
  cut_off_turn     integer,
  cut_off_text     text,
  primary key (id),
  constraint foci_work_item_id_number_key unique (work_item_id, number),
  constraint foci_work_item_id_fkey foreign key (work_item_id) references animus.work_items(id) on delete cascade,
  constraint ended_has_time check ((ended_as is null) = (ended_at is null)),
  constraint foci_ended_as_check check (ended_as in ('completed', 'failed', 'cancelled', 'lost')),
  constraint foci_number_check check (number >= 1),
  constraint foci_tools_check check (json_typeof(tools) = 'array')
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.05, autovacuum_analyze_scale_factor=0.05);
create unique index foci_open on animus.foci (work_item_id) where ended_as is null;
create trigger check_phase before insert or update of phase on animus.foci for each row execute function animus.check_foci_phase();

create table animus.turns (
  focus_id               uuid             not null,
  turn                   integer          not null,
  provider               text,
  model                  text,
  response               json,
  response_id            text,
  stop_reason            text,
  raw_stop_reason        text,
  cut_tool_calls         text[]           not null default '{}',
  usage                  jsonb,
  cost_usd               numeric          default 0,
  reserved_usd           numeric          default 0,
  lost_usd               numeric          not null default 0,
  begun_at               timestamptz      not null,
  recorded_at            timestamptz,
  time_to_first_token_ms double precision,
  duration_ms            double precision,
  open_request           uuid,
  lost_requests          integer          not null default 0,
  lost_unpriced          integer          not null default 0,
  reserved_tokens        bigint           not null default 0,
  reserved_for           jsonb,
  reserved_on            date,
  primary key (focus_id, turn),
  constraint turns_focus_id_fkey foreign key (focus_id) references animus.foci(id) on delete cascade,
  constraint recorded_whole check ((recorded_at is null) = (response is null)),
  constraint turns_turn_check check (turn >= 1)
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.05, autovacuum_analyze_scale_factor=0.05);
create trigger turns_count_loss after update of lost_usd, lost_requests on animus.turns for each row when (new.lost_usd <> old.lost_usd or new.lost_requests <> old.lost_requests) execute function animus.count_loss();

create table animus.tool_calls (
  focus_id       uuid             not null,
  turn           integer          not null,
  call_id        text             not null,
  position       integer          not null,
  name           text             not null,
  input          json             not null,
  origin         text             not null default 'model',
  parent_call_id text,
  state          text             not null,
  output         text,
  output_bytes   integer,
  is_error       boolean,
  details        jsonb,
  started_at     timestamptz,
  ended_at       timestamptz,
  duration_ms    double precision,
  final_input    json,
  grant_id       bigint,
  primary key (focus_id, turn, call_id),
  constraint tool_calls_focus_id_turn_fkey foreign key (focus_id, turn) references animus.turns(focus_id, turn) on delete cascade,
  constraint ended_has_output check ((state in ('done', 'failed', 'in_doubt', 'denied')) = (output is not null)),
  constraint tool_calls_state_check check (state in ('pending', 'started', 'done', 'failed', 'in_doubt', 'denied', 'waiting'))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.05, autovacuum_analyze_scale_factor=0.05);
create trigger check_origin before insert or update of origin on animus.tool_calls for each row execute function animus.check_tool_calls_origin();

create table animus.focus_messages (
  focus_id    uuid        not null,
  seq         integer     not null,
  after_turn  integer     not null,
  kind        text        not null,
  content     text        not null,
  tokens      integer     not null,
  keeps_from  integer,
  created_at  timestamptz not null,
  artifact_id uuid,
  primary key (focus_id, seq),
  constraint focus_messages_focus_id_fkey foreign key (focus_id) references animus.foci(id) on delete cascade,
  constraint focus_messages_after_turn_check check (after_turn >= 0),
  constraint focus_messages_keeps_from_check check (keeps_from >= 1),
  constraint focus_messages_seq_check check (seq >= 1),
  constraint folds_say_what check ((kind in ('stub', 'summary')) = (keeps_from is not null))
) with (autovacuum_vacuum_scale_factor=0.05, autovacuum_analyze_scale_factor=0.05);
create trigger check_kind before insert or update of kind on animus.focus_messages for each row execute function animus.check_focus_messages_kind();

create table animus.artifacts (
  id           uuid        not null,
  focus_id     uuid,
  name         text        not null,
  media_type   text        not null,
  bytes        bigint      not null,
  content      bytea       not null,
  created_at   timestamptz not null,
  work_item_id uuid,
  primary key (id),
  constraint artifacts_focus_id_fkey foreign key (focus_id) references animus.foci(id) on delete cascade,
  constraint artifacts_work_item_id_fkey foreign key (work_item_id) references animus.work_items(id) on delete cascade,
  constraint artifacts_owner check (num_nonnulls(focus_id, work_item_id) > 0) not valid
);
create index artifacts_created on animus.artifacts (created_at);
create index artifacts_focus on animus.artifacts (focus_id);
create index artifacts_item on animus.artifacts (work_item_id) where work_item_id is not null;

create table animus.daemons (
  id              uuid             not null,
  host            text             not null,
  pid             integer          not null,
  version         text             not null,
  max_concurrent  integer          not null,
  saturated       boolean          not null default false,
  faculties       jsonb            not null default '{}',
  problems        jsonb            not null default '[]',
  started_at      timestamptz      not null,
  seen_at         timestamptz      not null,
  stopped_at      timestamptz,
  session         text,
  ending_at       timestamptz,
  missing_since   timestamptz,
  died_at         timestamptz,
  died_with       integer,
  tested_until    timestamptz,
  makes_room_at   timestamptz,
  blocked_at      timestamptz,
  blocked_seconds double precision,
  blocks          integer          not null default 0,
  stands_since    timestamptz,
  primary key (id),
  constraint daemons_session_check check (session in ('named', 'embedded'))
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=200);

create table animus.waits (
  work_item_id uuid        not null,
  call_id      text        not null,
  kind         text        not null,
  targets      uuid[]      not null default '{}',
  mode         text,
  deadline     timestamptz,
  resolved_at  timestamptz,
  result       jsonb,
  created_at   timestamptz not null,
  subject      text,
  request      json,
  request_hash bytea,
  focus_id     uuid,
  turn         integer,
  ask_id       uuid        not null default gen_random_uuid(),
  primary key (work_item_id, call_id),
  constraint waits_work_item_id_fkey foreign key (work_item_id) references animus.work_items(id) on delete cascade,
  constraint asked_whole check (num_nonnulls(subject, request, request_hash) in (0, 3)),
  constraint waits_mode_check check (mode in ('all', 'any'))
);
create index waits_ask on animus.waits (ask_id);
create index waits_asked on animus.waits (created_at, work_item_id) where resolved_at is null and subject is not null;
create index waits_children on animus.waits using gin (targets) with (fastupdate=off) where resolved_at is null and kind = 'children';
create index waits_due on animus.waits (deadline) where resolved_at is null and deadline is not null;
create index waits_limit on animus.waits ((request ->> 'scope'), (request ->> 'subject'), (request ->> 'unit'), (request ->> 'period')) where resolved_at is null and subject = 'budget';
create index waits_limit_asked on animus.waits (request_hash, created_at, work_item_id) where resolved_at is null and subject = 'budget';
create trigger check_kind before insert or update of kind on animus.waits for each row execute function animus.check_waits_kind();
create trigger check_subject before insert or update of subject on animus.waits for each row execute function animus.check_waits_subject();
create trigger waits_mark after insert or update on animus.waits for each row execute function animus.mark_wait();
create trigger waits_note_approval after insert or update on animus.waits for each row execute function animus.waits_note_approval();

create table animus.pauses (
  faculty    text        not null,
  reason     text        not null,
  paused_by  text        not null,
  until      timestamptz,
  created_at timestamptz not null,
  primary key (faculty)
);

create table animus.decisions (
  id             bigint      not null generated always as identity,
  work_item_id   uuid,
  call_id        text,
  action         text        not null,
  note           text        not null default '',
  decided_by     text        not null,
  created_at     timestamptz not null,
  target         text,
  subject_digest bytea,
  work_digest    bytea,
  note_digest    bytea,
  salt           uuid,
  seq            integer,
  previous_hash  bytea,
  hash           bytea,
  token_id       uuid,
  ask_id         uuid,
  subject        text,
  primary key (id)
);
create unique index decisions_chain on animus.decisions (work_item_id, seq);
create unique index decisions_target_chain on animus.decisions (target, seq) where work_item_id is null;
create index decisions_time on animus.decisions (created_at, id);
create trigger check_action before insert or update of action on animus.decisions for each row execute function animus.check_decisions_action();
create trigger decisions_append_only before insert or delete or update on animus.decisions for each row execute function animus.guard_decision();
create trigger decisions_no_truncate before truncate on animus.decisions for each statement execute function animus.append_only();

create table animus.schedules (
  name          text        not null,
  cron          text        not null,
  time_zone     text        not null default 'UTC',
  faculty       text        not null,
  description   text        not null default '',
  params        jsonb       not null default '{}',
  missed        text        not null default 'once',
  grace_seconds integer     not null default 3600,
  paused        boolean     not null default false,
  next_at       timestamptz,
  last_at       timestamptz,
  created_at    timestamptz not null,
  problem       text,
  writers       text[]      not null default '{}',
  overlap       text        not null default 'allow',
  primary key (name),
  constraint schedules_faculty check (faculty ~ '^[a-z][a-z0-9_-]{0,62}$'),
  constraint schedules_grace_seconds_check check (grace_seconds >= 0),
  constraint schedules_missed_check check (missed in ('skip', 'once', 'all')),
  constraint schedules_name check (name ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$'),
  constraint schedules_overlap check (overlap in ('allow', 'skip', 'queue')),
  constraint schedules_params_check check (jsonb_typeof(params) = 'object')
);
create trigger schedules_before_write before insert or update on animus.schedules for each row execute function animus.schedules_before_write();

create table animus.spend_days (
  faculty       text    not null,
  model         text    not null,
  day           date    not null,
  usd           numeric not null default 0,
  input_tokens  bigint  not null default 0,
  output_tokens bigint  not null default 0,
  calls         bigint  not null default 0,
  primary key (faculty, model, day)
) with (fillfactor=70);
create index spend_day on animus.spend_days (day);

create table animus.watches (
  work_item_id uuid        not null,
  until        timestamptz not null,
  text_channel text,
  primary key (work_item_id),
  constraint watches_work_item_id_fkey foreign key (work_item_id) references animus.work_items(id) on delete cascade,
  constraint watches_text_channel_check check (text_channel ~ '^animus_text_[0-9a-f]{32}$')
);
create index watches_until on animus.watches (until);

create table animus.memories (
  id                uuid        not null,
  kind              text        not null,
  content           text        not null,
  metadata          jsonb       not null default '{}',
  created_at        timestamptz not null,
  layer             text        not null default 'global',
  project           text,
  task              uuid,
  tags              text[]      not null default '{}',
  submitted_by      text,
  digest            bytea       not null,
  updated_at        timestamptz not null,
  uses              integer     not null default 0,
  used_at           timestamptz,
  merged_into       uuid,
  embedded_as       integer,
  embedding_problem text,
  sources_cut       boolean     not null default false,
  search            tsvector    generated always as (animus.memory_words(content, tags)) stored,
  primary key (id),
  constraint memories_merged_into_fkey foreign key (merged_into) references animus.memories(id) on delete cascade,
  constraint memories_content_check check (content <> ''),
  constraint memories_layer_check check (layer in ('task', 'project', 'global')),
  constraint memories_metadata_check check (jsonb_typeof(metadata) = 'object'),
  constraint memories_place check (
case layer
    when 'task' then task is not null and project is null
    when 'project' then project is not null and task is null
    else num_nonnulls(task, project) = 0
end),
  constraint memories_tags_check check (cardinality(tags) <= 20)
);
create index memories_embedded on animus.memories (embedded_as) where merged_into is null;
create index memories_merged on animus.memories (merged_into) where merged_into is not null;
create unique index memories_place_digest on animus.memories (task, project, submitted_by, layer, digest) nulls not distinct where merged_into is null;
create index memories_project on animus.memories (project, submitted_by) where merged_into is null;
create index memories_search on animus.memories using gin (search);
create index memories_tags on animus.memories using gin (tags);

create table animus.skill_activations (
  focus_id     uuid        not null,
  skill        text        not null,
  version      text,
  content_hash text        not null,
  reason       text        not null,
  activated_at timestamptz not null,
  work_item_id uuid        not null,
  faculty      text        not null,
  primary key (focus_id, skill),
  constraint skill_activations_content_hash_fkey foreign key (content_hash) references animus.skill_packages(content_hash)
);
create index skill_activations_item on animus.skill_activations (work_item_id);
create index skill_activations_package on animus.skill_activations (content_hash);
create index skill_activations_skill on animus.skill_activations (skill, activated_at desc);

create table animus.skill_provenance (
  id           bigint      not null generated always as identity,
  skill        text        not null,
  version      integer     not null,
  work_item_id uuid,
  ledger_seq   integer,
  entry_type   text,
  content      text        not null,
  created_at   timestamptz not null,
  supports     text,
  faculty      text,
  primary key (id),
  constraint skill_provenance_skill_version_fkey foreign key (skill, version) references animus.skill_versions(name, version)
);
create index skill_provenance_item on animus.skill_provenance (work_item_id) where work_item_id is not null;
create index skill_provenance_version on animus.skill_provenance (skill, version);

create table animus.schedule_runs (
  schedule     text        not null,
  due_at       timestamptz not null,
  result       text        not null,
  until_at     timestamptz not null,
  runs         integer     not null default 1,
  work_item_id uuid,
  recorded_at  timestamptz not null,
  primary key (schedule, due_at),
  constraint schedule_runs_schedule_fkey foreign key (schedule) references animus.schedules(name) on update cascade on delete cascade,
  constraint missed_has_no_item check ((result in ('missed', 'skipped')) = (work_item_id is null)),
  constraint schedule_runs_check check (until_at >= due_at),
  constraint schedule_runs_result_check check (result in ('fired', 'missed', 'manual', 'skipped')),
  constraint schedule_runs_runs_check check (runs >= 1)
);
create index schedule_runs_recorded on animus.schedule_runs (recorded_at);

create table animus.claim_turn ();

create table animus.retention_turn ();

create table animus.retention_kept (
  table_name    text        not null,
  id            text        not null,
  referenced_by text        not null,
  seen_at       timestamptz not null,
  primary key (table_name, id)
);

create table animus.spend_calls (
  faculty        text        not null,
  model          text        not null,
  day            date        not null,
  usd            numeric,
  input_tokens   bigint      not null,
  output_tokens  bigint      not null,
  operation      text        not null default 'turn',
  submitter      text,
  calls          integer     not null default 1,
  estimated      boolean     not null default false,
  counted        boolean     not null default true,
  lost_usd       numeric     not null default 0,
  lost_requests  integer     not null default 0,
  lost_unpriced  integer     not null default 0,
  assumed_tokens bigint      not null default 0,
  source         text,
  at             timestamptz default clock_timestamp()
);

create table animus.focus_settings (
  id               bytea not null,
  faculty_snapshot jsonb not null,
  system_prompt    text  not null,
  tools            json  not null,
  used_on          date  not null,
  primary key (id),
  constraint focus_settings_tools_check check (json_typeof(tools) = 'array')
);

create table animus.batches (
  id                  uuid        not null,
  provider            text        not null,
  path                text        not null,
  model               text        not null,
  headers             jsonb       not null default '{}',
  state               text        not null,
  ended_as            text,
  requests            integer     not null,
  provider_id         text,
  problem             text,
  created_at          timestamptz not null,
  unclear_at          timestamptz not null,
  confirmed_at        timestamptz,
  polled_at           timestamptz,
  cancel_requested_at timestamptz,
  ended_at            timestamptz,
  place               text        not null,
  primary key (id),
  constraint batches_place_provider_id_key unique (place, provider_id),
  constraint batches_ended_as_check check (ended_as in ('collected', 'not_run', 'refused', 'lost')),
  constraint batches_requests_check check (requests >= 1),
  constraint batches_state_check check (state in ('submitting', 'submitted', 'ended')),
  constraint ended_says_how check ((state = 'ended') = (ended_as is not null) and (state = 'ended') = (ended_at is not null)),
  constraint submitted_has_id check (state <> 'submitted' or provider_id is not null)
) with (fillfactor=80);
create index batches_ended on animus.batches (ended_at) where state = 'ended';
create index batches_open on animus.batches (place, created_at) where state <> 'ended';

create table animus.batch_requests (
  id           uuid        not null,
  work_item_id uuid        not null,
  focus_id     uuid        not null,
  turn         integer     not null,
  provider     text        not null,
  path         text        not null,
  model        text        not null,
  headers      jsonb       not null default '{}',
  body         text,
  state        text        not null,
  batch_id     uuid,
  answer       text,
  created_at   timestamptz not null,
  ready_at     timestamptz not null,
  ended_at     timestamptz,
  place        text        not null,
  primary key (id),
  constraint batch_requests_batch_id_fkey foreign key (batch_id) references animus.batches(id) on delete set null,
  constraint batch_requests_focus_id_turn_fkey foreign key (focus_id, turn) references animus.turns(focus_id, turn) on delete cascade,
  constraint batch_requests_work_item_id_fkey foreign key (work_item_id) references animus.work_items(id) on delete cascade,
  constraint answered_has_answer check ((state = 'answered') = (answer is not null)),
  constraint batch_requests_state_check check (state in ('waiting', 'sent', 'answered', 'recorded', 'failed', 'withdrawn')),
  constraint ended_has_time check ((state in ('recorded', 'failed', 'withdrawn')) = (ended_at is not null)),
  constraint waiting_has_body check (state <> 'waiting' or body is not null)
) with (fillfactor=80);
create index batch_requests_batch on animus.batch_requests (batch_id) where batch_id is not null;
create index batch_requests_item on animus.batch_requests (work_item_id);
create index batch_requests_outbox on animus.batch_requests (place, ready_at) where state = 'waiting';
create index batch_requests_turn on animus.batch_requests (focus_id, turn);
create unique index batch_requests_under_way on animus.batch_requests (focus_id, turn) where state in ('waiting', 'sent', 'answered');

create table animus.batch_pollers (
  place     text        not null,
  daemon_id uuid        not null,
  token     bigint      not null,
  until     timestamptz not null,
  primary key (place)
) with (fillfactor=50);

create table animus.deleted_work (
  id           uuid        not null,
  faculty      text        not null,
  submitted_by text,
  state        text        not null,
  created_at   timestamptz not null,
  resolved_at  timestamptz,
  salt         uuid        not null,
  work_digest  bytea       not null,
  deleted_by   text        not null,
  deleted_at   timestamptz not null,
  primary key (id)
);

create table animus.history (
  month        date not null,
  work_item_id uuid not null,
  turns        json,
  tool_calls   json,
  messages     json,
  ledger       json,
  primary key (work_item_id, month),
  constraint month_begins check (month = date_trunc('month', month::timestamp without time zone)::date)
) partition by range (month);

create table animus.history_position (
  resolved_at timestamptz not null,
  id          uuid        not null
);

create table animus.grants (
  id           bigint      not null generated always as identity,
  scope        text        not null,
  work_item_id uuid,
  faculty      text        not null,
  tool         text        not null,
  pattern      text,
  request_hash bytea,
  note         text        not null default '',
  granted_by   text        not null,
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  revoked_at   timestamptz,
  revoked_by   text,
  primary key (id),
  constraint grants_item_named check ((scope = 'item') = (work_item_id is not null)),
  constraint grants_one_match check (num_nonnulls(pattern, request_hash) = 1),
  constraint grants_scope_check check (scope in ('item', 'faculty'))
);
create index grants_of_faculty on animus.grants (faculty, tool) where revoked_at is null;

create table animus.spend_sums (
  day             date    not null,
  faculty         text    not null,
  model           text    not null,
  operation       text    not null,
  submitter       text    not null,
  usd             numeric not null,
  input_tokens    bigint  not null,
  output_tokens   bigint  not null,
  calls           bigint  not null,
  unpriced_calls  bigint  not null default 0,
  estimated_usd   numeric not null default 0,
  lost_usd        numeric not null default 0,
  lost_requests   bigint  not null default 0,
  uncounted_calls bigint  not null default 0,
  assumed_tokens  bigint  not null default 0,
  source          text    not null default '',
  primary key (day, faculty, model, operation, submitter, source)
) with (fillfactor=70);

create table animus.hook_runs (
  focus_id    uuid             not null,
  turn        integer          not null,
  event       text             not null,
  call_id     text             not null default '',
  hook        text             not null,
  run_id      uuid             not null,
  decision    text             not null,
  given       bytea,
  reason      text,
  patch       json,
  ended_at    timestamptz      not null,
  duration_ms double precision not null,
  primary key (focus_id, turn, event, call_id, hook),
  constraint hook_runs_focus_id_fkey foreign key (focus_id) references animus.foci(id) on delete cascade,
  constraint hook_runs_decision_check check (decision in ('allow', 'block', 'modify', 'failed')),
  constraint hook_runs_turn_check check (turn >= 1)
);
create trigger check_event before insert or update of event on animus.hook_runs for each row execute function animus.check_hook_runs_event();

create table animus.mailbox (
  id            bigint      not null generated always as identity,
  work_item_id  uuid        not null,
  author        text        not null,
  author_is     text        not null,
  text          text        not null,
  wake          boolean     not null default false,
  duplicate_id  uuid,
  created_at    timestamptz not null,
  delivered_at  timestamptz,
  focus_id      uuid,
  after_turn    integer,
  not_delivered text,
  primary key (id),
  constraint mailbox_work_item_id_fkey foreign key (work_item_id) references animus.work_items(id) on delete cascade,
  constraint delivered_says_where check (num_nonnulls(delivered_at, focus_id, after_turn) in (0, 3)),
  constraint duplicate_names_item check ((author_is = 'duplicate') = (duplicate_id is not null)),
  constraint mailbox_author_is_check check (author_is in ('operator', 'submitter', 'duplicate', 'participant')) not valid,
  constraint mailbox_text_check check (text <> '')
);
create index mailbox_item on animus.mailbox (work_item_id, id);
create index mailbox_waiting on animus.mailbox (work_item_id, id) where delivered_at is null;

create table animus.told_faculties (
  faculty text not null,
  primary key (faculty)
);

create table animus.mcp_pins (
  faculty         text        not null,
  server          text        not null,
  tool            text        not null,
  description     text        not null,
  input_schema    json        not null,
  definition_hash text        not null,
  pinned_by       text        not null,
  pinned_at       timestamptz not null,
  problem         text,
  problem_at      timestamptz,
  primary key (faculty, server, tool),
  constraint hash_is_sha256 check (definition_hash ~ '^[0-9a-f]{64}$'),
  constraint problem_has_time check ((problem is null) = (problem_at is null))
);

create table animus.budget_limits (
  id           bigint      not null generated always as identity,
  scope        text        not null,
  faculty      text,
  work_item_id uuid,
  period       text        not null,
  unit         text        not null,
  amount       numeric     not null,
  on_exceeded  text,
  origin       text        not null,
  daemon_id    uuid,
  set_by       text        not null,
  created_at   timestamptz not null,
  set_at       timestamptz not null,
  expires_at   timestamptz,
  primary key (id),
  constraint budget_limits_scope_faculty_work_item_id_period_unit_origin_key unique nulls not distinct (scope, faculty, work_item_id, period, unit, origin),
  constraint budget_limits_amount_check check (amount >= 0::numeric),
  constraint budget_limits_file check ((origin = 'file') = (daemon_id is not null)),
  constraint budget_limits_on_exceeded_check check (on_exceeded in ('wait', 'die')),
  constraint budget_limits_origin_check check (origin in ('file', 'submitter', 'operator', 'extension')),
  constraint budget_limits_period check (period = 'none' or (scope in ('faculty', 'appliance'))),
  constraint budget_limits_period_check check (period in ('none', 'day', 'month')),
  constraint budget_limits_scope_check check (scope in ('item', 'root', 'faculty', 'appliance')),
  constraint budget_limits_subject check (
case scope
    when 'appliance' then num_nonnulls(faculty, work_item_id) = 0
    when 'faculty' then faculty is not null and work_item_id is null
    else num_nonnulls(faculty, work_item_id) = 1
end),
  constraint budget_limits_unit_check check (unit in ('usd', 'tokens'))
);
create index budget_limits_appliance on animus.budget_limits (scope) where scope = 'appliance';
create index budget_limits_faculty on animus.budget_limits (faculty) where faculty is not null;
create index budget_limits_item on animus.budget_limits (work_item_id) where work_item_id is not null;

create table animus.budget_accounts (
  id      bigint  not null generated always as identity,
  scope   text    not null,
  subject text    not null,
  unit    text    not null,
  period  text    not null,
  starts  date    not null,
  spent   numeric not null,
  held    numeric not null default 0,
  primary key (id),
  constraint budget_accounts_scope_subject_unit_period_starts_key unique (scope, subject, unit, period, starts)
) with (fillfactor=50);

create table animus.budget_slices (
  account_id bigint      not null,
  daemon_id  uuid        not null,
  free       numeric     not null,
  spent      numeric     not null default 0,
  used_at    timestamptz not null,
  primary key (account_id, daemon_id)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500);

create table animus.budget_holds (
  focus_id     uuid    not null,
  turn         integer not null,
  account_id   bigint  not null,
  work_item_id uuid    not null,
  token        bigint  not null,
  attempt      uuid    not null,
  amount       numeric not null,
  cost         numeric,
  unsent       boolean not null default false,
  primary key (focus_id, turn, account_id)
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500);
create index budget_holds_account on animus.budget_holds (account_id);

create table animus.budget_warnings (
  account_id bigint  not null,
  focus_id   uuid    not null,
  attempt    uuid    not null,
  content    text    not null,
  amount     numeric,
  constraint budget_warnings_once unique nulls not distinct (account_id, focus_id, amount)
);
create index budget_warnings_focus on animus.budget_warnings (focus_id);

create table animus.memory_sources (
  id           bigint      not null generated always as identity,
  memory_id    uuid        not null,
  action       text        not null,
  replaced     text,
  merged_id    uuid,
  actor        text,
  work_item_id uuid,
  faculty      text,
  focus_id     uuid,
  call_id      text,
  ledger_seq   integer,
  created_at   timestamptz not null,
  primary key (id),
  constraint memory_sources_memory_id_fkey foreign key (memory_id) references animus.memories(id) on delete cascade,
  constraint memory_sources_action_check check (action in ('stored', 'updated', 'merged', 'unmerged'))
);
create index memory_sources_item on animus.memory_sources (work_item_id) where work_item_id is not null;
create index memory_sources_memory on animus.memory_sources (memory_id, id);

create table animus.memory_counts (
  layer        text    not null,
  project      text,
  task         uuid,
  submitted_by text,
  memories     integer not null,
  constraint memory_counts_task_project_submitted_by_layer_key unique nulls not distinct (task, project, submitted_by, layer),
  constraint memory_counts_memories_check check (memories >= 0)
) with (fillfactor=50);
create index memory_counts_submitter on animus.memory_counts (submitted_by) where task is null;

create table animus.memory_models (
  id          integer     not null generated always as identity,
  model       text        not null,
  dimensions  integer     not null,
  prepared_at timestamptz not null,
  place       text,
  primary key (id),
  constraint memory_models_model_dimensions_key unique (model, dimensions),
  constraint memory_models_dimensions_check check (dimensions >= 1 and dimensions <= 16000)
);

create table animus.await_turn ();

create table animus.embedders (
  model       text        not null,
  daemon_id   uuid        not null,
  until       timestamptz not null,
  failures    integer     not null default 0,
  resume_at   timestamptz,
  problem     text,
  problem_at  timestamptz,
  held_usd    numeric     default 0,
  held_tokens bigint      not null default 0,
  begun_at    timestamptz,
  primary key (model)
);

create table animus.skill_packages (
  content_hash text        not null,
  name         text        not null,
  bytes        integer     not null,
  created_at   timestamptz not null,
  used_on      date        not null,
  primary key (content_hash),
  constraint skill_packages_content_hash_check check (content_hash ~ '^[0-9a-f]{64}$'),
  constraint skill_packages_name_check check (length(name) >= 1 and length(name) <= 64 and name !~ '[[:space:][:cntrl:]/\\]')
) with (fillfactor=80);

create table animus.skill_files (
  content_hash text  not null,
  path         text  not null,
  content      bytea not null,
  primary key (content_hash, path),
  constraint skill_files_content_hash_fkey foreign key (content_hash) references animus.skill_packages(content_hash) on delete cascade,
  constraint skill_files_content_check check (octet_length(content) <= 8388608),
  constraint skill_files_path_check check (octet_length(path) >= 1 and octet_length(path) <= 2000 and path !~ '(^|/)\.{0,2}(/|$)' and strpos(path, '\') = 0 and path !~ '[[:cntrl:]]')
);

create table animus.skills (
  name       text        not null,
  versions   integer     not null,
  created_at timestamptz not null,
  primary key (name),
  constraint skills_name_check check (name ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(name) <= 64),
  constraint skills_versions_check check (versions >= 0)
) with (fillfactor=80);

create table animus.skill_versions (
  name          text        not null,
  version       integer     not null,
  state         text        not null,
  base          integer,
  content_hash  text        not null,
  description   text        not null,
  note          text        not null default '',
  work_item_id  uuid,
  faculty       text,
  focus_id      uuid,
  call_id       text,
  submitted_by  text,
  created_at    timestamptz not null,
  decided_by    text,
  decided_at    timestamptz,
  decision_note text        not null default '',
  current_from  timestamptz,
  current_until timestamptz,
  ask_id        uuid        not null default gen_random_uuid(),
  primary key (name, version),
  constraint skill_versions_content_hash_fkey foreign key (content_hash) references animus.skill_packages(content_hash),
  constraint skill_versions_name_fkey foreign key (name) references animus.skills(name),
  constraint skill_versions_base_check check (base >= 1),
  constraint skill_versions_state_check check (state in ('proposed', 'current', 'replaced', 'rejected', 'archived')),
  constraint skill_versions_version_check check (version >= 1)
) with (fillfactor=80);
create unique index skill_versions_ask on animus.skill_versions (ask_id);
create index skill_versions_asked on animus.skill_versions (created_at, name) where state = 'proposed';
create unique index skill_versions_current on animus.skill_versions (name) where state = 'current';
create index skill_versions_item on animus.skill_versions (work_item_id) where work_item_id is not null;
create index skill_versions_newest on animus.skill_versions (current_from) where current_from is not null;
create index skill_versions_package on animus.skill_versions (content_hash);
create unique index skill_versions_proposed on animus.skill_versions (name) where state = 'proposed';
create trigger skills_note_approval after insert on animus.skill_versions for each row execute function animus.skills_note_approval();

create table animus.skill_outcomes (
  day            date        not null,
  faculty        text        not null,
  skill          text        not null,
  state          text        not null,
  items          bigint      not null,
  activations    bigint      not null,
  turns          bigint      not null,
  cost_usd       numeric     not null,
  activated_at   timestamptz,
  unpriced_calls bigint      not null default 0,
  primary key (day, faculty, skill, state)
) with (fillfactor=70);
create index skill_outcomes_skill on animus.skill_outcomes (skill, day) where skill <> '';

create table animus.skill_names (
  name          text        not null,
  place         text        not null,
  origin        text        not null,
  content_hash  text        not null,
  first_seen_at timestamptz not null,
  seen_at       timestamptz not null,
  primary key (name, place),
  constraint skill_names_origin_check check (origin in ('person', 'agent'))
) with (fillfactor=80);

create table animus.people (
  name        text        not null,
  role        text        not null,
  created_by  text        not null,
  created_at  timestamptz not null,
  disabled_at timestamptz,
  primary key (name),
  constraint people_name_check check (name ~ '^[^[:space:][:cntrl:]]{1,200}$'),
  constraint people_role_check check (role in ('submitter', 'reader', 'operator'))
);

create table animus.tokens (
  id           uuid        not null,
  person       text        not null,
  label        text        not null default '',
  token_hash   bytea       not null,
  role         text,
  scopes       text[]      not null,
  created_by   text        not null,
  created_at   timestamptz not null,
  expires_at   timestamptz,
  last_used_at timestamptz,
  revoked_at   timestamptz,
  revoked_by   text,
  created_with uuid,
  kind         text        not null default 'token',
  primary key (id),
  constraint tokens_token_hash_key unique (token_hash),
  constraint tokens_created_with_fkey foreign key (created_with) references animus.tokens(id) on delete set null,
  constraint tokens_hash_check check (octet_length(token_hash) = 32),
  constraint tokens_kind_check check (kind in ('token', 'session')),
  constraint tokens_label_check check (length(label) <= 200),
  constraint tokens_revoked_check check ((revoked_at is null) = (revoked_by is null)),
  constraint tokens_role_check check (role in ('submitter', 'reader', 'operator')),
  constraint tokens_session_check check (kind <> 'session' or expires_at is not null)
);
create index tokens_created_with on animus.tokens (created_with) where created_with is not null;
create index tokens_person on animus.tokens (person);

create table animus.work_marks (
  work_item_id uuid        not null,
  seq          integer     not null,
  what         text        not null,
  detail       json        not null default '{}',
  created_at   timestamptz not null,
  primary key (work_item_id, seq),
  constraint work_marks_what_check check (what in ('waiting', 'resolved', 'resumed', 'delivered', 'failed', 'ended'))
);
create index work_marks_ended on animus.work_marks (created_at) where what = 'ended';

create table animus.proposed_findings (
  work_item_id uuid        not null,
  seq          integer     not null,
  proposal     uuid        not null,
  found_at     timestamptz not null,
  primary key (work_item_id, seq)
);
create index proposed_findings_age on animus.proposed_findings (found_at);

create table animus.finding_watch (
  one       boolean     not null default true,
  daemon_id uuid        not null,
  until     timestamptz not null,
  primary key (one),
  constraint finding_watch_one_check check (one)
);

create table animus.idempotency_keys (
  actor      text        not null,
  key        text        not null,
  request    bytea       not null,
  status     integer,
  answer     text,
  created_at timestamptz not null,
  primary key (actor, key),
  constraint idempotency_keys_key_check check (length(key) >= 1 and length(key) <= 200),
  constraint idempotency_keys_request_check check (octet_length(request) = 32)
);
create index idempotency_keys_by_age on animus.idempotency_keys (created_at);

create table animus.workspaces (
  id         uuid        not null,
  name       text        not null,
  owner      text        not null,
  created_at timestamptz not null,
  primary key (id),
  constraint workspaces_owner_name_key unique (owner, name),
  constraint workspaces_name_check check (length(name) >= 1 and length(name) <= 200)
);

create table animus.files (
  id              uuid        not null,
  workspace_id    uuid        not null,
  path            text        not null,
  is_virtual      boolean     not null,
  kind            text        not null,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  deleted_at      timestamptz,
  conversation_id uuid,
  primary key (id),
  constraint files_conversation_id_fkey foreign key (conversation_id) references animus.conversations(file_id) on delete cascade,
  constraint files_workspace_id_fkey foreign key (workspace_id) references animus.workspaces(id) on delete cascade,
  constraint attached_to_conversation check ((kind = 'attachment') = (conversation_id is not null) and is_virtual = (kind = 'chat')),
  constraint files_kind_check check (kind in ('chat', 'attachment')),
  constraint files_path_check check (length(path) >= 1 and length(path) <= 500)
);
create index files_conversation on animus.files (conversation_id) where conversation_id is not null;
create index files_old on animus.files (coalesce(deleted_at, updated_at));
create unique index files_path on animus.files (workspace_id, path) where deleted_at is null;
create trigger files_tell_deleted after update of deleted_at on animus.files for each row when (new.deleted_at is not null and old.deleted_at is null) execute function animus.tell_deleted();

create table animus.conversations (
  file_id         uuid   not null,
  faculty         text   not null,
  title           text   not null default '',
  while_answering text   not null default 'queue',
  head_id         bigint,
  created_by      text   not null,
  primary key (file_id),
  constraint conversations_file_id_fkey foreign key (file_id) references animus.files(id) on delete cascade,
  constraint conversations_while_answering_check check (while_answering in ('queue', 'tell'))
);
create index conversations_ending on animus.conversations ("substring"(uuid_send(file_id), 15, 2));
create index conversations_short on animus.conversations ("substring"(uuid_send(file_id), 11, 2));
create trigger conversations_mark after update of faculty, title, while_answering on animus.conversations for each row when (new.faculty is distinct from old.faculty or new.title is distinct from old.title or new.while_answering is distinct from old.while_answering) execute function animus.mark_change();

create table animus.conversation_people (
  file_id      uuid   not null,
  actor        text   not null,
  role         text   not null default 'member',
  joined_after bigint not null default 0,
  primary key (file_id, actor),
  constraint conversation_people_file_id_fkey foreign key (file_id) references animus.conversations(file_id) on delete cascade,
  constraint conversation_people_joined_after_check check (joined_after >= 0),
  constraint conversation_people_role_check check (role in ('owner', 'member'))
);
create index conversation_people_actor on animus.conversation_people (actor);
create trigger conversation_people_mark after insert or delete or update of role on animus.conversation_people for each row execute function animus.mark_people();

create table animus.chat_messages (
  id           bigint      not null generated always as identity,
  file_id      uuid        not null,
  role         text        not null,
  content      text        not null,
  author       text        not null,
  created_at   timestamptz not null,
  after_id     bigint,
  replaces     bigint,
  work_item_id uuid,
  told         boolean     not null default false,
  fresh        boolean     not null default false,
  ended_as     text,
  deleted_at   timestamptz,
  deleted_by   text,
  number       integer     not null,
  primary key (id),
  constraint chat_messages_file_id_fkey foreign key (file_id) references animus.conversations(file_id) on delete cascade,
  constraint chat_messages_ended_as_check check (ended_as in ('completed', 'dead', 'cancelled')),
  constraint chat_messages_number_check check (number > 0),
  constraint chat_messages_role_check check (role in ('user', 'assistant', 'system')),
  constraint deleted_by_somebody check ((deleted_at is null) = (deleted_by is null))
);
create index chat_messages_after on animus.chat_messages (after_id) where after_id is not null;
create index chat_messages_branches on animus.chat_messages (file_id, replaces) where role = 'user' and replaces is not null;
create index chat_messages_deleted on animus.chat_messages (file_id, deleted_at) where deleted_at is not null;
create index chat_messages_file on animus.chat_messages (file_id, id);
create index chat_messages_item on animus.chat_messages (work_item_id) where work_item_id is not null;
create unique index chat_messages_number on animus.chat_messages (file_id, number);
create index chat_messages_places on animus.chat_messages (file_id, (
case
    when role = 'user' and not told then id
    else coalesce(after_id, 0::bigint)
end), id);
create index chat_messages_replaces on animus.chat_messages (replaces) where replaces is not null;
create trigger chat_messages_mark after insert on animus.chat_messages for each row execute function animus.mark_message();
create trigger chat_messages_mark_deleted after update of deleted_at on animus.chat_messages for each row when (new.deleted_at is not null and old.deleted_at is null) execute function animus.mark_message();
create trigger chat_messages_number before insert on animus.chat_messages for each row execute function animus.number_message();
create trigger keep_chat_message before update on animus.chat_messages for each row execute function animus.keep_chat_message();

create table animus.chat_marks (
  file_id      uuid        not null,
  seq          integer     not null,
  kind         text        not null,
  message_id   bigint,
  work_item_id uuid,
  opened       integer,
  place        json,
  detail       json,
  created_at   timestamptz not null,
  primary key (file_id, seq),
  constraint chat_marks_file_id_fkey foreign key (file_id) references animus.conversations(file_id) on delete cascade,
  constraint chat_marks_kind_check check (kind in ('said', 'told', 'answered', 'retried', 'deleted', 'joined', 'left', 'changed'))
);

create table animus.chat_watches (
  file_id uuid        not null,
  until   timestamptz not null,
  primary key (file_id),
  constraint chat_watches_file_id_fkey foreign key (file_id) references animus.conversations(file_id) on delete cascade
);

create table animus.chat_message_files (
  message_id bigint not null,
  file_id    uuid   not null,
  primary key (message_id, file_id),
  constraint chat_message_files_file_id_fkey foreign key (file_id) references animus.files(id) on delete cascade,
  constraint chat_message_files_message_id_fkey foreign key (message_id) references animus.chat_messages(id) on delete cascade
);
create index chat_message_files_file on animus.chat_message_files (file_id);

create table animus.webhooks (
  id             uuid        not null,
  url            text        not null,
  events         text[]      not null,
  faculties      text[],
  label          text        not null default '',
  owner          text        not null,
  owner_role     text,
  key_mark       text        not null,
  secret_version integer     not null default 1,
  old_key_mark   text,
  old_until      timestamptz,
  overflow       text,
  overflow_since timestamptz,
  dropped_at     timestamptz,
  created_at     timestamptz not null,
  number         bigint      not null generated always as identity,
  primary key (id),
  constraint old_secret_ends check ((old_key_mark is null) = (old_until is null)),
  constraint overflow_has_time check ((overflow is null) = (overflow_since is null)),
  constraint webhooks_key_mark_check check (key_mark ~ '^[0-9a-f]{16}$'),
  constraint webhooks_label_check check (length(label) <= 200),
  constraint webhooks_old_key_mark_check check (old_key_mark ~ '^[0-9a-f]{16}$'),
  constraint webhooks_overflow_check check (overflow in ('dead', 'dropped')),
  constraint webhooks_secret_version_check check (secret_version >= 1),
  constraint webhooks_url_check check (length(url) >= 1 and length(url) <= 2000)
);

create table animus.webhook_deliveries (
  id           bigint      not null generated always as identity,
  message_id   uuid        not null default gen_random_uuid(),
  webhook_id   uuid        not null,
  work_item_id uuid,
  event        text        not null,
  body         text        not null,
  state        text        not null default 'pending',
  attempts     integer     not null default 0,
  due_at       timestamptz not null,
  claim        uuid,
  last_status  integer,
  last_error   text,
  created_at   timestamptz not null,
  ended_at     timestamptz,
  primary key (id),
  constraint webhook_deliveries_state_check check (state in ('pending', 'delivered', 'dead'))
);
create index webhook_deliveries_dead on animus.webhook_deliveries (webhook_id, id) where state = 'dead';
create index webhook_deliveries_due on animus.webhook_deliveries (webhook_id, due_at, id) where state = 'pending';
create index webhook_deliveries_ended on animus.webhook_deliveries (ended_at) where state <> 'pending';
create index webhook_deliveries_order on animus.webhook_deliveries (webhook_id, work_item_id, id) where state = 'pending';
create index webhook_deliveries_sending on animus.webhook_deliveries (webhook_id) where claim is not null;

create table animus.worktrees (
  id           uuid        not null,
  work_item_id uuid        not null,
  faculty      text        not null,
  host         text        not null,
  path         text        not null,
  place        uuid        not null,
  repo         text        not null,
  branch       text        not null,
  base         text        not null,
  state        text        not null,
  bytes        bigint,
  handed       boolean     not null default false,
  holds        text[]      not null default '{}',
  discard_by   text,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  measured_at  timestamptz,
  primary key (id),
  constraint worktrees_base_check check (base ~ '^[0-9a-f]{40,64}$'),
  constraint worktrees_branch_check check (branch ~ '^animus/[0-9a-f]{12}(-[0-9]+)?$'),
  constraint worktrees_state_check check (state in ('open', 'kept', 'removed', 'discarded', 'lost'))
);
create index worktrees_at_place on animus.worktrees (place, updated_at) where state in ('open', 'kept');
create index worktrees_item on animus.worktrees (work_item_id);
create index worktrees_there on animus.worktrees (host, updated_at) where state in ('open', 'kept');
create index worktrees_unwanted on animus.worktrees (place) where discard_by is not null and state <> 'discarded';

create table animus.worktree_results (
  work_item_id uuid        not null,
  worktree_id  uuid        not null,
  start        text        not null,
  tip          text        not null,
  rest         text,
  patch        bytea,
  patch_bytes  bigint      not null default 0,
  ended        boolean     not null,
  lost         text,
  updated_at   timestamptz not null,
  lost_seen    text,
  primary key (work_item_id),
  constraint worktree_results_work_item_id_fkey foreign key (work_item_id) references animus.work_items(id) on delete cascade,
  constraint worktree_results_patch_check check (octet_length(patch) <= 4194304)
);
create index worktree_results_lost on animus.worktree_results (updated_at) where lost is not null and lost is distinct from lost_seen;

create table animus.skip_turn ();

create table animus.notice_secret (
  secret bytea not null
);

create table animus.memory_merges (
  gone_id      uuid        not null,
  into_id      uuid        not null,
  reason       text        not null,
  actor        text,
  work_item_id uuid,
  merged_at    timestamptz not null,
  number       bigint      not null generated always as identity,
  before       jsonb,
  source_ids   bigint[]    not null default '{}',
  followers    uuid[]      not null default '{}',
  primary key (gone_id),
  constraint memory_merges_gone_id_fkey foreign key (gone_id) references animus.memories(id) on delete cascade,
  constraint memory_merges_into_id_fkey foreign key (into_id) references animus.memories(id) on delete cascade,
  constraint memory_merges_reason_check check (reason in ('same_text', 'asked', 'similar'))
);
create index memory_merges_into on animus.memory_merges (into_id);

create table animus.memory_links (
  memory_id uuid        not null,
  alike_id  uuid        not null,
  linked_at timestamptz not null,
  primary key (memory_id, alike_id),
  constraint memory_links_alike_id_fkey foreign key (alike_id) references animus.memories(id) on delete cascade,
  constraint memory_links_memory_id_fkey foreign key (memory_id) references animus.memories(id) on delete cascade,
  constraint memory_links_check check (memory_id < alike_id)
);
create index memory_links_alike on animus.memory_links (alike_id);

create table animus.claim_faults (
  work_item_id uuid        not null,
  failures     integer     not null,
  since        timestamptz not null,
  until        timestamptz not null,
  sqlstate     text        not null,
  primary key (work_item_id)
);

create table animus.faculty_faults (
  faculty  text        not null,
  failures integer     not null,
  since    timestamptz not null,
  until    timestamptz not null,
  sqlstate text        not null,
  primary key (faculty)
);

create table animus.login_links (
  id         uuid        not null,
  person     text        not null,
  link_hash  bytea       not null,
  created_by text        not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at    timestamptz,
  primary key (id),
  constraint login_links_link_hash_key unique (link_hash),
  constraint login_links_person_fkey foreign key (person) references animus.people(name),
  constraint login_links_hash_check check (octet_length(link_hash) = 32)
);

create table animus.work_words (
  work_item_id uuid     not null,
  words        tsvector not null,
  primary key (work_item_id)
) with (autovacuum_vacuum_scale_factor=0.05, autovacuum_analyze_scale_factor=0.05);
create index work_words_words on animus.work_words using gin (words);

create table animus.periods_read (
  reader    text        not null,
  up_to     timestamptz not null,
  closed    timestamptz not null,
  asked_at  timestamptz not null,
  asked_xid xid8        not null,
  primary key (reader)
);

create table animus.activity_sums (
  unit      text        not null,
  at        timestamptz not null,
  faculty   text        not null,
  submitter text        not null,
  kind      text        not null,
  bucket    integer     not null,
  items     bigint      not null,
  primary key (unit, at, faculty, submitter, kind, bucket),
  constraint activity_sums_unit_check check (unit in ('minute', 'hour', 'day'))
) with (fillfactor=70);

create table animus.activity_spend (
  unit          text        not null,
  at            timestamptz not null,
  faculty       text        not null,
  submitter     text        not null,
  usd           numeric     not null,
  input_tokens  bigint      not null,
  output_tokens bigint      not null,
  primary key (unit, at, faculty, submitter),
  constraint activity_spend_unit_check check (unit in ('minute', 'hour'))
) with (fillfactor=70);

-- create view animus.all_ledger: its query stands in functions/
--   work_item_id, seq, entry_type, content, focus_id, tool_call_id, created_at

-- create view animus.all_messages: its query stands in functions/
--   work_item_id, focus_id, seq, after_turn, kind, content, tokens, keeps_from, created_at, artifact_id

-- create view animus.all_tool_calls: its query stands in functions/
--   work_item_id, focus_id, turn, call_id, position, name, input, origin, parent_call_id, state, output, output_bytes, is_error, details, started_at, ended_at, duration_ms, final_input, grant_id

-- create view animus.all_turns: its query stands in functions/
--   work_item_id, focus_id, turn, provider, model, response, response_id, stop_reason, raw_stop_reason, cut_tool_calls, usage, cost_usd, reserved_usd, lost_usd, begun_at, recorded_at, time_to_first_token_ms, duration_ms, lost_requests, lost_unpriced, open_request, reserved_tokens, reserved_on, reserved_for

-- create view animus.asked: its query stands in functions/
--   work_item_id, faculty, call_id, kind, subject, request, hash, asked_at, deadline, focus_id, turn, submitted_by, description, ask_id

-- create view animus.audit: its query stands in functions/
--   id, created_at, decided_by, action, note, erased, work_item_id, target, faculty, submitted_by, submitted_at, state, deleted_at, call_id, focus_id, turn, provider, model, turn_begun_at, tool, input, call_state, seq, salt, previous_hash, hash, note_digest, work_digest, subject_digest, final_input, token_id, ask_id, subject

-- create view animus.inbox: its query stands in functions/
--   work_item_id, faculty, call_id, kind, subject, request, hash, asked_at, deadline, focus_id, turn, submitted_by, description, ask_id, items, work_items

-- create view animus.item_asks: its query stands in functions/
--   work_item_id, faculty, call_id, kind, subject, request, hash, asked_at, deadline, focus_id, turn, submitted_by, description, ask_id, items

-- create view animus.open_runs: its query stands in functions/
--   schedule, work_item_id

-- create view animus.own_answers: its query stands in functions/
--   work_item_id

-- create view animus.own_artifacts with (security_barrier=true): its query stands in functions/
--   id, work_item_id, name, media_type, bytes, content, created_at

-- create view animus.own_chat_messages with (security_barrier=true): its query stands in functions/
--   id, file_id, role, content, author, created_at, after_id, replaces, work_item_id, told, ended_as, number

-- create view animus.own_conversations with (security_barrier=true): its query stands in functions/
--   file_id, workspace_id, path, title, faculty, while_answering, created_by, created_at, updated_at

-- create view animus.own_files with (security_barrier=true): its query stands in functions/
--   id, workspace_id, path, is_virtual, kind, created_at, updated_at

-- create view animus.own_ledger with (security_barrier=true): its query stands in functions/
--   work_item_id, seq, entry_type, content, created_at

-- create view animus.own_mail with (security_barrier=true): its query stands in functions/
--   work_item_id, id, author, author_is, text, wake, duplicate_id, created_at, delivered_at, after_turn, not_delivered

-- create view animus.own_work with (security_barrier=true): its query stands in functions/
--   id, faculty, skill, description, params, dedup_key, source, trigger_info, priority, run_at, concurrency_key, parent_id, trace_context, state, merged_into, attempts, cancel_requested_at, outcome, outcome_summary, error, cost_usd, input_tokens, output_tokens, created_at, updated_at, resolved_at, turns, batch, unpriced_calls, lost_usd, estimated_usd, calls, lost_requests, uncounted_calls, assumed_tokens, detached

-- create view animus.own_workspaces with (security_barrier=true): its query stands in functions/
--   id, name, created_at

-- create view animus.refused_calls: its query stands in functions/
--   created_at, work_item_id, faculty, submitted_by, focus_id, turn, call_id, tool, input, refused_by, rule, decided_by

-- create view animus.spend: its query stands in functions/
--   faculty, model, day, usd, input_tokens, output_tokens, calls, code_runs, unpriced_calls, estimated_usd, lost_usd, lost_requests, uncounted_calls, assumed_tokens

-- create view animus.spend_details: its query stands in functions/
--   faculty, model, operation, submitter, day, usd, input_tokens, output_tokens, calls, code_runs, unpriced_calls, estimated_usd, lost_usd, lost_requests, uncounted_calls, assumed_tokens, provider, source

-- create view animus.visible_artifacts: its query stands in functions/
--   id, work_item_id, focus_id, name, media_type, bytes, content, created_at

-- create view animus.visible_audit: its query stands in functions/
--   id, created_at, decided_by, action, note, erased, work_item_id, target, faculty, submitted_by, submitted_at, state, deleted_at, call_id, focus_id, turn, tool, seq, salt, previous_hash, hash, note_digest, work_digest, subject_digest, token_id, ask_id, subject

-- create view animus.visible_chains: its query stands in functions/
--   id, seq, work_item_id, target, call_id, action, decided_by, created_at, note, salt, note_digest, work_digest, subject_digest, previous_hash, hash

-- create view animus.visible_chat_messages: its query stands in functions/
--   id, file_id, role, content, author, created_at, after_id, replaces, work_item_id, told, ended_as, number

-- create view animus.visible_conversation_people: its query stands in functions/
--   file_id, actor, role

-- create view animus.visible_conversations: its query stands in functions/
--   file_id, workspace_id, path, title, faculty, while_answering, created_by, created_at, updated_at

-- create view animus.visible_daemons: its query stands in functions/
--   id, host, pid, version, started_at, seen_at, stopped_at, ending_at, slots, working, saturated, alive, faculties, problems, blocked_at, blocked_seconds, blocks

-- create view animus.visible_decisions: its query stands in functions/
--   id, created_at, decided_by, action, note, work_item_id, target, call_id, ask_id, subject

-- create view animus.visible_faculties: its query stands in functions/
--   name, daemons, hosts, mode, able, problem, description, params_schema, outcome_schema

-- create view animus.visible_faculty_problems: its query stands in functions/
--   faculty, kind, problem, since, until, daemon_id, host

-- create view animus.visible_faculty_settings: its query stands in functions/
--   name, version, host, settings

-- create view animus.visible_files: its query stands in functions/
--   id, workspace_id, path, is_virtual, kind, conversation_id, media_type, bytes, created_at, updated_at

-- create view animus.visible_foci: its query stands in functions/
--   id, work_item_id, number, phase, resumes, ended_as, error, started_at, ended_at, host, directory, isolation

-- create view animus.visible_grants: its query stands in functions/
--   id, scope, work_item_id, faculty, tool, pattern, hash, note, granted_by, created_at, expires_at, revoked_at, revoked_by

-- create view animus.visible_inbox: its query stands in functions/
--   work_item_id, faculty, call_id, kind, subject, request, hash, asked_at, deadline, focus_id, turn, submitted_by, description, ask_id, items, work_items

-- create view animus.visible_inbox_groups: its query stands in functions/
--   group_id, subject, faculty, root_id, tool, reason, count, items, first_asked_at, last_asked_at, deadline, identical, ask_ids

-- create view animus.visible_item: its query stands in functions/
--   id, faculty, skill, description, params, dedup_key, source, trigger_info, priority, run_at, concurrency_key, parent_id, trace_context, root_id, depth, state, merged_into, attempts, max_attempts, lease_owner, lease_expires_at, turns, cancel_requested_at, cancel_reason, outcome, outcome_summary, error, cost_usd, input_tokens, output_tokens, created_at, updated_at, resolved_at, submitted_by, batch, detached, unpriced_calls, lost_usd, estimated_usd, calls, lost_requests, uncounted_calls, assumed_tokens

-- create view animus.visible_item_asks: its query stands in functions/
--   work_item_id, faculty, call_id, kind, subject, request, hash, asked_at, deadline, focus_id, turn, submitted_by, description, ask_id, items

-- create view animus.visible_ledger: its query stands in functions/
--   work_item_id, seq, entry_type, content, focus_id, tool_call_id, created_at

-- create view animus.visible_mail: its query stands in functions/
--   work_item_id, id, author, author_is, text, wake, duplicate_id, created_at, delivered_at, focus_id, after_turn, not_delivered

-- create view animus.visible_message_files: its query stands in functions/
--   message_id, file_id

-- create view animus.visible_messages: its query stands in functions/
--   work_item_id, focus_id, seq, after_turn, kind, content, tokens, keeps_from, created_at, artifact_id

-- create view animus.visible_pauses: its query stands in functions/
--   faculty, reason, paused_by, until, created_at

-- create view animus.visible_people: its query stands in functions/
--   name, role, created_by, created_at, disabled_at, tokens

-- create view animus.visible_refused_calls: its query stands in functions/
--   created_at, work_item_id, faculty, submitted_by, focus_id, turn, call_id, tool, refused_by, rule, decided_by

-- create view animus.visible_schedule_runs: its query stands in functions/
--   schedule, due_at, until_at, result, runs, work_item_id

-- create view animus.visible_schedules: its query stands in functions/
--   name, cron, time_zone, faculty, description, params, missed, grace_seconds, paused, next_at, last_at, created_at, problem, overlap, open_item

-- create view animus.visible_skill_activations: its query stands in functions/
--   focus_id, work_item_id, faculty, skill, version, content_hash, reason, activated_at

-- create view animus.visible_skill_files: its query stands in functions/
--   name, version, path, content

-- create view animus.visible_skill_versions: its query stands in functions/
--   name, version, state, base, content_hash, description, note, faculty, created_at, decided_by, decided_at, decision_note, submitted_by, work_item_id, focus_id, current_from, current_until

-- create view animus.visible_spend: its query stands in functions/
--   faculty, model, operation, submitter, day, usd, input_tokens, output_tokens, calls, code_runs, unpriced_calls, estimated_usd, lost_usd, lost_requests, uncounted_calls, assumed_tokens, provider, source

-- create view animus.visible_tokens: its query stands in functions/
--   id, person, label, role, scopes, created_by, created_at, expires_at, last_used_at, revoked_at, revoked_by, created_with, state, kind

-- create view animus.visible_tool_calls: its query stands in functions/
--   work_item_id, focus_id, turn, call_id, position, name, input, origin, parent_call_id, state, output, output_bytes, is_error, details, started_at, ended_at, duration_ms, final_input, grant_id

-- create view animus.visible_turns: its query stands in functions/
--   work_item_id, focus_id, turn, provider, model, response, response_id, stop_reason, raw_stop_reason, cut_tool_calls, usage, cost_usd, reserved_usd, lost_usd, begun_at, recorded_at, time_to_first_token_ms, duration_ms, lost_requests, lost_unpriced

-- create view animus.visible_waits: its query stands in functions/
--   work_item_id, call_id, kind, subject, targets, mode, deadline, created_at, resolved_at, result, focus_id, turn, ask_id

-- create view animus.visible_work: its query stands in functions/
--   id, faculty, skill, description, params, dedup_key, source, trigger_info, priority, run_at, concurrency_key, parent_id, trace_context, root_id, depth, state, merged_into, attempts, max_attempts, lease_owner, lease_expires_at, turns, cancel_requested_at, cancel_reason, outcome, outcome_summary, error, cost_usd, input_tokens, output_tokens, created_at, updated_at, resolved_at, submitted_by, batch, detached, unpriced_calls, lost_usd, estimated_usd, calls, lost_requests, uncounted_calls, assumed_tokens

-- create view animus.visible_workspaces: its query stands in functions/
--   id, name, owner, created_at

-- create view animus.waiting_work with (security_barrier=true): its query stands in functions/
--   work_item_id, faculty, state, reason, why, ends, since, until, who, work_items

-- The pgmq queues of animus: tables of pgmq, with settings and triggers of ours.

alter table pgmq.q_animus_work set (autovacuum_vacuum_scale_factor=0.01, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_delay=0, fillfactor=100);
comment on table pgmq.q_animus_work is 'animus: made by animus';

comment on table pgmq.q_animus_inbox_dead is 'animus: made by animus';

comment on table pgmq.q_animus_inbox is 'animus: made by animus';
create trigger animus_inbox_after_insert after insert on pgmq.q_animus_inbox for each statement execute function animus.inbox_after_insert();
create trigger animus_inbox_before_insert before insert on pgmq.q_animus_inbox for each row execute function animus.inbox_before_insert();
