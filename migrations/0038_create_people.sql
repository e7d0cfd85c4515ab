-- People who act through a gateway, and the tokens that prove who they are. A person who is not listed has the role of `*`, which is
-- submitter as long as `*` is not listed either.
create table animus.people (
  name        text primary key,  -- as in act_as; `*`: everybody who is not listed
  role        text not null,
  created_by  text not null,
  created_at  timestamptz not null,
  disabled_at timestamptz,       -- since when the person is refused
  constraint people_name_check check (name ~ '^[^[:space:][:cntrl:]]{1,200}$'),
  constraint people_role_check check (role in ('submitter', 'reader', 'operator'))
);

create table animus.tokens (
  id           uuid primary key,
  person       text not null references animus.people (name),
  label        text not null default '',
  token_hash   bytea not null unique,  -- SHA-256 of the token, which is stored nowhere
  role         text,                   -- the most that the token may do; null: what the person may
  scopes       text[] not null,
  created_by   text not null,
  created_at   timestamptz not null,
  expires_at   timestamptz,
  last_used_at timestamptz,            -- at most a minute too early
  revoked_at   timestamptz,
  revoked_by   text,
  constraint tokens_hash_check check (octet_length(token_hash) = 32),
  constraint tokens_label_check check (length(label) <= 200),
  constraint tokens_role_check check (role in ('submitter', 'reader', 'operator')),
  constraint tokens_revoked_check check ((revoked_at is null) = (revoked_by is null))
);
create index tokens_person on animus.tokens (person);
