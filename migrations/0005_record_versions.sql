-- The oldest schema version a daemon may have been written for and still run on this database; the schema's own version is
-- the newest row of animus.schema_migrations.
insert into animus.settings (key, value) values ('min_client', '1');
