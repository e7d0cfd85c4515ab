-- A session of a browser is a token of another kind, so that one look finds both (people/people.sql). Who is not listed may have one, through a token of an
-- issuer, and keeps the role of `*`: a person of a token need not be listed any more.
alter table animus.tokens
  add column kind text not null default 'token',
  add constraint tokens_kind_check check (kind in ('token', 'session')),
  add constraint tokens_session_check check (kind <> 'session' or expires_at is not null),
  drop constraint tokens_person_fkey;

-- Links with which a person begins a session, once (people/sessions.sql).
create table animus.login_links (
  id         uuid primary key,
  person     text not null references animus.people (name),
  link_hash  bytea not null unique,  -- SHA-256 of the secret in the link, which is stored nowhere
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at    timestamptz,
  constraint login_links_hash_check check (octet_length(link_hash) = 32)
);
