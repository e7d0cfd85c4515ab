-- What people and retention do with worktrees of ended work (functions/42_kept_worktrees.sql, docs/worktrees.md).

-- When the daemon of its host last counted its bytes.
alter table animus.worktrees add column measured_at timestamptz;
create index worktrees_at_place on animus.worktrees (place, updated_at) where state in ('open', 'kept');
create index worktrees_unwanted on animus.worktrees (place) where discard_by is not null and state <> 'discarded';

-- What a person has acknowledged of `lost`: animus.inbox shows it until both are the same.
alter table animus.worktree_results add column lost_seen text;
create index worktree_results_lost on animus.worktree_results (updated_at) where lost is not null and lost is distinct from lost_seen;
