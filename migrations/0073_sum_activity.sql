-- How much was submitted and has ended, and what was spent, by minute, hour and day (20_activity.sql). kind: submitted, completed, dead, cancelled, merged. bucket: of ends, the
-- logarithm of the time since the submission. Daemons add up what has happened, a little later; nothing is written for it when it happens.
create table animus.activity_sums (
  unit      text not null check (unit in ('minute', 'hour', 'day')),
  at        timestamptz not null,
  faculty   text not null,
  submitter text not null,
  kind      text not null,
  bucket    int not null,
  items     bigint not null,
  primary key (unit, at, faculty, submitter, kind, bucket)
) with (fillfactor = 70);

-- When a call was recorded. Calls of before have none, and count for the beginning of their day.
alter table animus.spend_calls add column at timestamptz;
alter table animus.spend_calls alter column at set default clock_timestamp();
create table animus.activity_spend (
  unit          text not null check (unit in ('minute', 'hour')),
  at            timestamptz not null,
  faculty       text not null,
  submitter     text not null,
  usd           numeric not null,
  input_tokens  bigint not null,
  output_tokens bigint not null,
  primary key (unit, at, faculty, submitter)
) with (fillfactor = 70);

-- Ends that a retry has taken back: they have happened all the same.
create index work_marks_ended on animus.work_marks (created_at) where what = 'ended';
