-- Where the texts of an item's answers are told as they come, while somebody watches: a channel whose name only those know who
-- may see the item. Anybody may listen on a channel whose name he knows.
alter table animus.watches add column text_channel text check (text_channel ~ '^animus_text_[0-9a-f]{32}$');
