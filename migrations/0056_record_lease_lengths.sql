-- How long the lease of an item lasts from its renewal: a write of its focus can then renew it in its own transaction. Null: claimed by a
-- version that did not record it, until the next heartbeat, or never claimed.
alter table animus.work_items add column lease_seconds real;
