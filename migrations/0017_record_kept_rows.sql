-- What retention would remove and cannot, because a row of somebody else's table refers to it by a foreign key.
create table animus.retention_kept (
  table_name    text not null,        -- the table of ours, with its schema
  id            text not null,        -- the row's id, or * where no single row is known
  referenced_by text not null,        -- the table that refers to it, and the constraint
  seen_at       timestamptz not null, -- when removing it was last tried
  primary key (table_name, id)
);
