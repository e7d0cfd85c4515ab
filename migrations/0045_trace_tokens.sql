-- Which token made a token, so that both end together, and with which token a person decided.
alter table animus.tokens add column created_with uuid references animus.tokens (id) on delete set null;
create index tokens_created_with on animus.tokens (created_with) where created_with is not null;

-- Null: a login decided, or a token of an issuer. Not part of the hash, so that chains and exports of all versions are checked alike.
alter table animus.decisions add column token_id uuid;
