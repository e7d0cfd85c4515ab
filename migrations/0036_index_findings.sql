-- The newest findings of all work, for the digest that a focus begins with (25_awareness.sql). Only findings are in it, in the order in which
-- they are written, so an entry costs little, and other entries of a ledger nothing. On a large table, build it before the upgrade, with
-- `create index concurrently` (docs/operations.md); this migration then finds it.
create index if not exists work_ledger_findings on animus.work_ledger (created_at) where entry_type = 'finding';
