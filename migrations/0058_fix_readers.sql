-- Who takes part in a conversation in which role (functions/35_conversations.sql), and the newest message of the conversation when they joined: they read the
-- words before it, but not the contexts of the answers to them (functions/13_readers.sql). 0: from the beginning.
alter table animus.conversation_people
  add column role text not null default 'member' constraint conversation_people_role_check check (role in ('owner', 'member')),
  add column joined_after bigint not null default 0 constraint conversation_people_joined_after_check check (joined_after >= 0);

-- Until now, contexts of conversations of several people may contain what only one of them may see. Who has left is not recorded: it is somebody who began the
-- conversation or said something in it.
update animus.conversation_people p set joined_after = coalesce((select max(m.id) from animus.chat_messages m where m.file_id = p.file_id), 0)
 where exists (select from animus.conversation_people q where q.file_id = p.file_id and q.actor <> p.actor)
    or exists (select from animus.conversations c where c.file_id = p.file_id and c.created_by <> p.actor)
    or exists (select from animus.chat_messages m where m.file_id = p.file_id and m.role = 'user' and m.author <> p.actor);

-- Owners: whoever began it; where they do not take part any more, all who do; where nobody does, whoever began it, again.
update animus.conversation_people p set role = 'owner' from animus.conversations c where c.file_id = p.file_id and c.created_by = p.actor;
update animus.conversation_people p set role = 'owner'
 where not exists (select from animus.conversation_people q where q.file_id = p.file_id and q.role = 'owner');
insert into animus.conversation_people (file_id, actor, role, joined_after)
select c.file_id, c.created_by, 'owner', coalesce((select max(m.id) from animus.chat_messages m where m.file_id = c.file_id), 0)
  from animus.conversations c where not exists (select from animus.conversation_people q where q.file_id = c.file_id);

-- Of work whose context not only its submitter reads: those of its readers who do not see all work, and whose memories may be found at all.
alter type animus.memory_filter add attribute readers text[], add attribute owners text[];

-- Who has written what a schedule has done, for four eyes. Of what was written until now, nobody is known.
alter table animus.schedules add column writers text[] not null default '{}';
