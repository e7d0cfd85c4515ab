-- Lists of words that a part of animus may add to are checked by triggers (functions/01_words.sql): a new word is a new version of a
-- function, not a rewritten table. The same for what an artifact belongs to.
alter table animus.foci drop constraint foci_phase_check;
alter table animus.tool_calls drop constraint tool_calls_origin_check;
alter table animus.focus_messages drop constraint focus_messages_kind_check;
alter table animus.waits drop constraint waits_kind_check;
alter table animus.decisions drop constraint decisions_action_check;

-- Who decided what about an item is known after the item has been removed.
alter table animus.decisions drop constraint decisions_work_item_id_fkey;

-- An artifact of no focus belongs to its item.
alter table animus.artifacts alter column focus_id drop not null;
alter table animus.artifacts add column work_item_id uuid references animus.work_items (id) on delete cascade;
alter table animus.artifacts add constraint artifacts_owner check (num_nonnulls(focus_id, work_item_id) > 0) not valid;
create index artifacts_item on animus.artifacts (work_item_id) where work_item_id is not null;
