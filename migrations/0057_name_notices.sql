-- What the names of items in notifications are made with (functions/01_foundations.sql). Those who see all work may read it.
create table animus.notice_secret (secret bytea not null);
insert into animus.notice_secret values (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
