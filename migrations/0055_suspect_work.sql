-- Work that ends daemons. deaths: how many processes ended while they held the item, since it last made progress; died_at, died_at_turn: when
-- the last of them did, and its turns then. suspect_of: the daemon whose process ended while it held this item among others; the item is run alone before it is run
-- with others again. alone_until: when a test of it ends that has shown nothing.
alter table animus.work_items
  add column deaths int not null default 0 check (deaths >= 0),
  add column died_at timestamptz,
  add column died_at_turn int not null default 0,
  add column suspect_of uuid,
  add column alone_until timestamptz;
create index work_items_suspect on animus.work_items (suspect_of) where suspect_of is not null and state in ('queued', 'claimed', 'running');

-- session: 'named' if the connections of the daemon carry its id, so that the end of its process is seen; 'embedded' if the database lives in it; null: unknown.
-- ending_at: it was asked to end. missing_since: leases of it ran out, and it had no connection. died_at, died_with: its process has ended, and how
-- many items it held then. tested_until: how long what it held is tested. makes_room_at: it claims nothing, to be empty for a test. blocked_at,
-- blocked_seconds, blocks: when its event loop last stood still, for how long, and how often it did; stands_since: it does so now.
alter table animus.daemons
  add column session text check (session in ('named', 'embedded')),
  add column ending_at timestamptz,
  add column missing_since timestamptz,
  add column died_at timestamptz,
  add column died_with int,
  add column tested_until timestamptz,
  add column makes_room_at timestamptz,
  add column blocked_at timestamptz,
  add column blocked_seconds float8,
  add column blocks int not null default 0,
  add column stands_since timestamptz;
