-- Messages to work: what people say to an item, and the duplicates that it is told of (functions/22_mailbox.sql).

-- True while a message that somebody said to the item is not delivered. Null otherwise, which takes no room in a row.
alter table animus.work_items add column has_mail boolean;

-- Read with the row lock of every write of a focus. keyed: the item has a dedup key, so duplicates may have been merged into it.
alter type animus.held_work add attribute has_mail boolean, add attribute keyed boolean;

create table animus.mailbox (
  id            bigint generated always as identity primary key,
  work_item_id  uuid not null references animus.work_items (id) on delete cascade,
  author        text not null,
  author_is     text not null check (author_is in ('operator', 'submitter', 'duplicate')),
  text          text not null check (text <> ''),
  -- Ends waits of the item.
  wake          boolean not null default false,
  -- The item that was merged, of a duplicate.
  duplicate_id  uuid,
  created_at    timestamptz not null,
  delivered_at  timestamptz,
  -- Where it stands in the context: after this turn of the focus.
  focus_id      uuid,
  after_turn    int,
  -- Why it was never delivered, of an item that was completed nevertheless.
  not_delivered text,
  constraint delivered_says_where check (num_nonnulls(delivered_at, focus_id, after_turn) in (0, 3)),
  constraint duplicate_names_item check ((author_is = 'duplicate') = (duplicate_id is not null))
);
create index mailbox_item on animus.mailbox (work_item_id, id);
create index mailbox_waiting on animus.mailbox (work_item_id, id) where delivered_at is null;

-- The faculties with on_duplicate = "tell". Daemons write it when they register.
create table animus.told_faculties (
  faculty text primary key
);
