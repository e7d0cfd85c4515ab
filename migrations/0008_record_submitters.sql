-- Whose work an item is: the login that inserted it (session_user), written by the insert trigger. What was there before has none.
-- No index: a submitter asks for an item by its id, and every insert would pay for it.
alter table animus.work_items add column submitted_by text;
