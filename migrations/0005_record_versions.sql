-- min_client: the oldest schema version a daemon may have been written for and still run on this database.
insert into animus.settings (key, value) values ('schema_version', '5'), ('min_client', '5');
