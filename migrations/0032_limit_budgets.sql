-- Limits of what work may cost, and what has been spent under each. A limit that many foci share is not a row that every turn locks: each
-- daemon takes its turns from a slice of its own, and locks the account only to draw a new one. docs/budgets.md describes all of it.

-- What people allow. Several rows may apply to the same thing: animus.budget_of says which of them counts.
create table animus.budget_limits (
  id           bigint generated always as identity primary key,
  scope        text not null check (scope in ('item', 'root', 'faculty', 'appliance')),
  faculty      text,   -- of item and root: each item, or each root item, of this faculty
  work_item_id uuid,   -- of item and root: this one alone; no foreign key, which would cost every deleted item a look here
  period       text not null check (period in ('none', 'day', 'month')),  -- UTC
  unit         text not null check (unit in ('usd', 'tokens')),
  amount       numeric(20, 6) not null check (amount >= 0),
  on_exceeded  text check (on_exceeded in ('wait', 'die')),  -- null: as the limit that it replaces or lowers says, else wait
  origin       text not null check (origin in ('file', 'submitter', 'operator', 'extension')),
  daemon_id    uuid,   -- of a file: the daemon that has read it
  set_by       text not null,
  created_at   timestamptz not null,
  set_at       timestamptz not null,
  expires_at   timestamptz,  -- of an extension: it raises the limit for one day or month
  constraint budget_limits_subject check (case scope when 'appliance' then num_nonnulls(faculty, work_item_id) = 0
    when 'faculty' then faculty is not null and work_item_id is null else num_nonnulls(faculty, work_item_id) = 1 end),
  constraint budget_limits_period check (period = 'none' or scope in ('faculty', 'appliance')),
  constraint budget_limits_file check ((origin = 'file') = (daemon_id is not null)),
  unique nulls not distinct (scope, faculty, work_item_id, period, unit, origin)
);
create index budget_limits_item on animus.budget_limits (work_item_id) where work_item_id is not null;
create index budget_limits_faculty on animus.budget_limits (faculty) where faculty is not null;
create index budget_limits_appliance on animus.budget_limits (scope) where scope = 'appliance';

-- What was spent, once for each thing and period. `held` is what is not spent and not free: the slices, and the holds of turns under way.
create table animus.budget_accounts (
  id      bigint generated always as identity primary key,
  scope   text not null,
  subject text not null,  -- the id of the item or root, the faculty, or ''
  unit    text not null,
  period  text not null,
  starts  date not null,  -- UTC; 1970-01-01 without a period
  spent   numeric(20, 6) not null,
  held    numeric(20, 6) not null default 0,
  unique (scope, subject, unit, period, starts)
) with (fillfactor = 50);

-- What a daemon has drawn of an account. Sum of free, spent and open holds over all daemons: the account's `held`.
create table animus.budget_slices (
  account_id bigint not null,
  daemon_id  uuid not null,
  free       numeric(20, 6) not null,
  spent      numeric(20, 6) not null default 0,
  used_at    timestamptz not null,
  primary key (account_id, daemon_id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- What a turn under way may cost at most. Settled when somebody needs to know, at the latest by the next sweep: from the recorded turn,
-- or in full if it was lost. turn 0: a call of the model that is no turn, such as a summary.
create table animus.budget_holds (
  focus_id     uuid not null,
  turn         int not null,
  account_id   bigint not null,
  work_item_id uuid not null,
  token        bigint not null,   -- of the lease under which it was begun
  attempt      uuid not null,     -- of the request: beginning the same one again changes nothing
  amount       numeric(20, 6) not null,
  cost         numeric(20, 6),    -- of turn 0, once it is recorded
  primary key (focus_id, turn, account_id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
create index budget_holds_account on animus.budget_holds (account_id);

-- Which foci were told that most of an account is used, and by which message.
create table animus.budget_warnings (
  account_id bigint not null,
  focus_id   uuid not null,
  attempt    uuid not null,
  content    text not null,
  primary key (account_id, focus_id)
);
create index budget_warnings_focus on animus.budget_warnings (focus_id);
