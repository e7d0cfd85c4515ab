-- What schedules did and did not do, and what retention walks by.

alter table animus.schedules
  -- Why no daemon can tell when it is due; cleared by the edit that mends it (animus.schedules_before_write).
  add column problem text,
  add constraint schedules_name check (name ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$'),
  -- As for work_items, so that firing cannot fail on what was accepted here.
  add constraint schedules_faculty check (faculty ~ '^[a-z][a-z0-9_-]{0,62}$');

-- One row per run that fired and per stretch of runs that did not. The key is what makes a due time fire once, whatever
-- happens to next_at. No foreign key to the item: retention removes items first.
create table animus.schedule_runs (
  schedule     text not null references animus.schedules (name) on update cascade on delete cascade,
  due_at       timestamptz not null,
  result       text not null check (result in ('fired', 'missed', 'manual')),
  until_at     timestamptz not null check (until_at >= due_at),
  runs         int not null default 1 check (runs >= 1),  -- counted up to 1,000
  work_item_id uuid,
  recorded_at  timestamptz not null,
  primary key (schedule, due_at),
  constraint missed_has_no_item check ((result = 'missed') = (work_item_id is null))
);
create index schedule_runs_recorded on animus.schedule_runs (recorded_at);

create index artifacts_created on animus.artifacts (created_at);
create index watches_until on animus.watches (until);
