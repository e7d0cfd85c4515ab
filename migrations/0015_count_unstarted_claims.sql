-- How often the item was claimed and its lease ran out before a focus began, since one last did. No attempts, but counted: an item
-- that ends every daemon that claims it must not do so for ever.
alter table animus.work_items add column unstarted_claims int not null default 0;
