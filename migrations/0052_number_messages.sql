-- The number of a message in its conversation, from 1 on, for people: ids are numbered across all conversations. functions/35_message_numbers.sql
-- fills it, also for the messages that are there.
alter table animus.chat_messages add column number int check (number > 0);
create unique index chat_messages_number on animus.chat_messages (file_id, number);
