-- The work of one person, newest first. Only people's items are in it, so an insert by a login only looks at the predicate. On a large table,
-- build it before the upgrade, with `create index concurrently` (docs/operations.md); this migration then finds it.
create index if not exists work_items_people on animus.work_items (submitted_by, id) where submitted_by like 'person:%';
