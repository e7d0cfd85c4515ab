-- What a person decides about has an id that the engine makes (`ask_id`), and a subject. Before, a decision named a call by the id that a provider had
-- chosen, which could be the name of something else that waits: of a proposed skill, of a budget, of a call in an earlier turn.
alter table animus.waits add column ask_id uuid not null default gen_random_uuid();
create unique index waits_ask on animus.waits (ask_id);

alter table animus.skill_versions add column ask_id uuid not null default gen_random_uuid();
create unique index skill_versions_ask on animus.skill_versions (ask_id);

-- As token_id, no part of the hash of a decision, which has a digest of what was decided (subject_digest) already.
alter table animus.decisions
  add column ask_id  uuid,
  add column subject text;
