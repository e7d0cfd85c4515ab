-- What foci of one faculty have in common is stored once: the snapshot of the faculty, the system prompt and the list of tools. A focus
-- of an earlier version has them in its own row.
create table animus.focus_settings (
  id               bytea primary key, -- SHA-256 of its content
  faculty_snapshot jsonb not null,
  system_prompt    text not null,
  tools            json not null check (json_typeof(tools) = 'array'),
  used_on          date not null      -- UTC, the day on which a focus last began with it
);

alter table animus.foci
  add column settings_id bytea,
  alter column faculty_snapshot drop not null,
  alter column system_prompt drop not null,
  alter column tools drop not null;
