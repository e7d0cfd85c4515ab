-- Skills (functions/29_*.sql, docs/skills.md): what exactly each focus used, and the skills that work writes. Neither table had rows before.

-- A skill as it was at some moment, stored once under its content hash. Its files are what foci read of a skill that they have activated.
create table animus.skill_packages (
  content_hash text primary key check (content_hash ~ '^[0-9a-f]{64}$'),
  -- Names of published skills may have letters of any script.
  name         text not null check (length(name) between 1 and 64 and name !~ '[[:space:][:cntrl:]/\\]'),
  bytes        int  not null,
  created_at   timestamptz not null,
  -- The day on which it was last stored or activated: retention deletes only what was not used for long.
  used_on      date not null
) with (fillfactor = 80);

create table animus.skill_files (
  content_hash text not null references animus.skill_packages (content_hash) on delete cascade,
  path         text not null check (octet_length(path) between 1 and 2000 and path !~ '(^|/)\.{0,2}(/|$)' and strpos(path, '\') = 0 and path !~ '[[:cntrl:]]'),
  content      bytea not null check (octet_length(content) <= 8388608),
  primary key (content_hash, path)
);

-- The skills that work has written; a row is the lock of its skill. A skill without a current version is proposed, rejected or archived.
create table animus.skills (
  name       text primary key check (name ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(name) <= 64),
  -- The number of the newest version.
  versions   int not null check (versions >= 0),
  created_at timestamptz not null
) with (fillfactor = 80);

-- Every version that was ever written or proposed. Without foreign keys to work, which it outlives.
create table animus.skill_versions (
  name          text not null references animus.skills (name),
  version       int  not null check (version >= 1),
  state         text not null check (state in ('proposed', 'current', 'replaced', 'rejected', 'archived')),
  -- The version that it was made from; null: a new skill.
  base          int  check (base >= 1),
  content_hash  text not null references animus.skill_packages (content_hash),
  description   text not null,
  -- What the model said about the change.
  note          text not null default '',
  -- Whose work wrote it. Null: a person.
  work_item_id  uuid,
  faculty       text,
  focus_id      uuid,
  call_id       text,
  submitted_by  text,
  created_at    timestamptz not null,
  -- When and by whom it became current or was rejected; null and current: nobody had to be asked.
  decided_by    text,
  decided_at    timestamptz,
  decision_note text not null default '',
  -- Since when it is current, and until when it was.
  current_from  timestamptz,
  current_until timestamptz,
  primary key (name, version)
) with (fillfactor = 80);
create unique index skill_versions_current on animus.skill_versions (name) where state = 'current';
create unique index skill_versions_proposed on animus.skill_versions (name) where state = 'proposed';
create index skill_versions_asked on animus.skill_versions (created_at, name) where state = 'proposed';
create index skill_versions_newest on animus.skill_versions (current_from) where current_from is not null;
create index skill_versions_item on animus.skill_versions (work_item_id) where work_item_id is not null;
create index skill_versions_package on animus.skill_versions (content_hash);

-- Which skills a focus used, and as what. No foreign key to the focus: a trigger counts the rows of deleted items and deletes them.
alter table animus.skill_activations drop constraint skill_activations_focus_id_fkey;
alter table animus.skill_activations
  add column work_item_id uuid not null,
  add column faculty      text not null,
  add foreign key (content_hash) references animus.skill_packages (content_hash);
create index skill_activations_item on animus.skill_activations (work_item_id);
create index skill_activations_package on animus.skill_activations (content_hash);

-- Which ledger entries a version came from. Copies their text, so that it outlives retention.
alter table animus.skill_provenance alter column version type int using version::int;
alter table animus.skill_provenance
  -- The words of the skill that the entry supports; null: all of it.
  add column supports text,
  add column faculty  text,
  add foreign key (skill, version) references animus.skill_versions (name, version);
create index skill_provenance_version on animus.skill_provenance (skill, version);
create index skill_provenance_item on animus.skill_provenance (work_item_id) where work_item_id is not null;

-- What became of items that were deleted: of each skill that they used, and (skill '') of all of them.
create table animus.skill_outcomes (
  day          date not null,  -- of their end, UTC
  faculty      text not null,
  skill        text not null,
  state        text not null,
  items        bigint not null,
  activations  bigint not null,
  turns        bigint not null,
  cost_usd     numeric(14, 6) not null,
  activated_at timestamptz,
  primary key (day, faculty, skill, state)
) with (fillfactor = 70);

create index skill_outcomes_skill on animus.skill_outcomes (skill, day) where skill <> '';

-- The skills that daemons have found, as they last reported them, for each place: a host with the directories that are searched there. For warnings, for
-- stale skills, and so that work does not write a skill that a person has: a focus uses what its own daemon has.
create table animus.skill_names (
  name          text not null,
  place         text not null,
  origin        text not null check (origin in ('person', 'agent')),
  content_hash  text not null,
  first_seen_at timestamptz not null,
  seen_at       timestamptz not null,
  primary key (name, place)
) with (fillfactor = 80);
