-- Dead work stays on the page of `animus status`, however much has ended since. Few rows are dead, so the index costs next to nothing.
create index work_items_dead on animus.work_items (resolved_at) where state = 'dead';
