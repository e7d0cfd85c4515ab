-- The transcripts of ended work, packed: one row per item instead of one per turn, call, message and ledger entry. By the month of the end, so
-- that a month can be dropped as a table. Partitions are created when they are needed (animus.open_month). No foreign key to
-- work_items: deleting an item would look into every month.
create table animus.history (
  month        date not null, -- its first day, UTC; a later month than that of the end if the item was still needed when its month was dropped
  work_item_id uuid not null,
  turns        json,          -- arrays of objects, one per row, keys as the columns; JSON columns as text, so that they keep every byte
  tool_calls   json,
  messages     json,
  ledger       json,
  primary key (work_item_id, month),
  constraint month_begins check (month = date_trunc('month', month::timestamp)::date)
) partition by range (month);

-- Up to where ended work has been packed, in the order of (resolved_at, id); at most one row.
create table animus.history_position (
  resolved_at timestamptz not null,
  id          uuid not null
);

-- By default, PostgreSQL cleans a table when a fifth of it is dead rows: years of a large one, in one long run. The lock of these statements stops no
-- reader and no writer.
alter table animus.foci set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
alter table animus.turns set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
alter table animus.tool_calls set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
alter table animus.focus_messages set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
alter table animus.work_ledger set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
