-- The words of work, for searches. Daemons write them in the background (19_work_words.sql): an index of words on the items would be written by each insert and
-- each change of state. No foreign key: a trigger forgets the words of deleted items, in one statement.
create table animus.work_words (
  work_item_id uuid primary key,
  words        tsvector not null
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
create index work_words_words on animus.work_words using gin (words);

-- How far daemons have read what others commit, by what they read it for (19_closed_periods.sql). Everything before `closed` is committed or never will be.
-- asked_at, asked_xid: once all transactions before asked_xid have ended, everything before asked_at is closed, too.
create table animus.periods_read (
  reader    text primary key,
  up_to     timestamptz not null,
  closed    timestamptz not null,
  asked_at  timestamptz not null,
  asked_xid xid8 not null);
