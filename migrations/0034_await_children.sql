-- Child work: who waits for an item, and work that outlives its parent (functions/24_children.sql).

-- detached: it is not cancelled with its parent. awaited: some item has waited for it, so its end looks for waiters; all others end without
-- a look. Both are null otherwise, which takes no room in a row.
alter table animus.work_items add column detached boolean, add column awaited boolean;

-- Finds the items that wait for one that ends.
create index waits_children on animus.waits using gin (targets) with (fastupdate = off) where resolved_at is null and kind = 'children';

-- Locked by whoever begins to wait for an item that is not its own child, so that such waits are checked for cycles one after the other.
create table animus.await_turn ();
