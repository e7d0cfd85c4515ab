-- A publication for all tables, as a warehouse makes one, refuses to update and to delete rows of a table without a primary key or a replica identity, and
-- these tables have no key. Now the log has all columns of a row of theirs that is changed; where wal_level is not logical, it has what it had. (A key
-- would cost every model call and every end an index entry.) In the order in which claims lock them.
alter table animus.claim_turn replica identity full;
alter table animus.skip_turn replica identity full;
alter table animus.await_turn replica identity full;
alter table animus.retention_turn replica identity full;
alter table animus.freed_keys replica identity full;
alter table animus.spend_calls replica identity full;
alter table animus.memory_counts replica identity full;
alter table animus.budget_warnings replica identity full;
alter table animus.history_position replica identity full;
alter table animus.notice_secret replica identity full;
