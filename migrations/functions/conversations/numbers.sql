-- The numbers of messages in their conversation: 1, 2, …, in the order of their commits. A message keeps its number, and a deleted one leaves a gap.

-- Numbers a new message. The row of the file is the last in the lock order, and the mark of the message needs it anyway.
-- Locks: the row of the file. Raises: nothing.
create or replace function animus.number_message() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform from animus.files f where f.id = new.file_id for no key update;
  new.number := 1 + coalesce((select max(m.number) from animus.chat_messages m where m.file_id = new.file_id), 0);
  return new;
end $$;

-- Creates the trigger. Messages that are there already get their numbers under the same lock, in the order of their ids.
do $$
begin
  if exists (select from pg_trigger t where t.tgrelid = 'animus.chat_messages'::regclass and t.tgname = 'chat_messages_number') then return; end if;
  create trigger chat_messages_number before insert on animus.chat_messages for each row execute function animus.number_message();
  alter table animus.chat_messages disable trigger keep_chat_message;
  update animus.chat_messages m set number = n.number
    from (select c.id, row_number() over (partition by c.file_id order by c.id)::int as number from animus.chat_messages c) n where n.id = m.id;
  alter table animus.chat_messages enable trigger keep_chat_message;
  alter table animus.chat_messages alter column number set not null;
end $$;

-- Returns the numbers of messages of a conversation, given by their ids, or by the numbers themselves. For those who may read it.
-- Locks: none. Raises: WA003, 42501.
create or replace function animus.message_numbers(p_file_id uuid, p_ids bigint[] default null, p_numbers int[] default null)
returns table (id bigint, number int)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: all.
begin
  perform animus.require_participant(p_file_id, false);
  return query
    select m.id, m.number from animus.chat_messages m where m.file_id = p_file_id and m.id = any (p_ids)
    union
    select m.id, m.number from animus.chat_messages m where m.file_id = p_file_id and m.number = any (p_numbers);
end $$;
