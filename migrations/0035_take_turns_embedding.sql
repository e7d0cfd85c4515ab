-- Which daemon makes embeddings of memories with a model, and how that goes. One row per model (provider/model).
create table animus.embedders (
  model      text primary key,
  daemon_id  uuid not null,
  until      timestamptz not null,  -- from here on another daemon may do it
  failures   int not null default 0,  -- since the last success
  resume_at  timestamptz,  -- after a failure, of whichever daemon
  problem    text,  -- of the last failure; null after a success
  problem_at timestamptz
);
