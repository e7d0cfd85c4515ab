-- Lists and look-ups of work at a million rows, and less room for work that waits. On a large table, build the indexes before the upgrade,
-- with `create index concurrently` (docs/operations.md); this migration then finds them.

-- Ended items of a faculty, and those whose id ends with certain digits (the last two bytes). One index for both, because it costs an entry at
-- the end of each item. Open items are not in it, so that an insert and a claim pay nothing.
create index if not exists work_items_ended on animus.work_items (faculty, substring(uuid_send(id), 15, 2)) where resolved_at is not null;
-- The states that few items are in or that an item rarely enters, in the order of a list. It takes the place of the index of waiting items
-- (0025): each partial index costs every statement that writes a row some microseconds, even where it gets no entry.
create index if not exists work_items_by_state on animus.work_items (state, id, faculty)
  where state in ('scheduled', 'waiting', 'dead', 'merged', 'cancelled');

-- A change of state is never HOT, so a page needs little room for new versions. A message is changed once.
alter table animus.work_items set (fillfactor = 90);
alter table pgmq.q_animus_work set (fillfactor = 100);
