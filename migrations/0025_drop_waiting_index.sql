-- work_items_by_state has taken its place. In a migration of its own: dropping an index needs the table for a moment, which may have to be
-- tried several times, and building one should not be repeated for it.
drop index animus.work_items_waiting;
