-- A message that shows an attachment of the work item names it: its bytes are sent with the message. No foreign key: a file that
-- retention has deleted is reported to the model in words, and deleting files needs no index on messages.
alter table animus.focus_messages add column artifact_id uuid;
