-- Work that waits for one limit asks about it once: all of it waits under the same `ask_id`. And a focus is told of 80 % of each amount that a limit has
-- had, so again after the limit was raised.
drop index animus.waits_ask;
create index waits_ask on animus.waits (ask_id);
create index waits_limit on animus.waits ((request ->> 'scope'), (request ->> 'subject'), (request ->> 'unit'), (request ->> 'period'))
  where resolved_at is null and subject = 'budget';
create index waits_limit_asked on animus.waits (request_hash, created_at, work_item_id) where resolved_at is null and subject = 'budget';

-- Of the limit when the focus was told; null: it was told before this was recorded, and is not told again.
alter table animus.budget_warnings add column amount numeric;
alter table animus.budget_warnings drop constraint budget_warnings_pkey;
alter table animus.budget_warnings add constraint budget_warnings_once unique nulls not distinct (account_id, focus_id, amount);
