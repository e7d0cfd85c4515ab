-- The private repositories of work with isolation = "worktree" (functions/41_worktrees.sql, docs/worktrees.md).
create table animus.worktrees (
  -- The work item, or the conversation whose answers share it. No foreign key: the directory outlives these rows.
  id            uuid primary key,
  -- The item that works or worked in it last.
  work_item_id  uuid not null,
  faculty       text not null,
  -- The host that has the directory, and its absolute path there.
  host          text not null,
  path          text not null,
  -- Which directory of worktrees it is in: a random id in a file of that directory, which is the same wherever a volume is mounted.
  place         uuid not null,
  -- The git directory of the repository that it was made from; an absolute real path on that host.
  repo          text not null,
  branch        text not null check (branch ~ '^animus/[0-9a-f]{12}(-[0-9]+)?$'),
  -- The commit that it began at.
  base          text not null check (base ~ '^[0-9a-f]{40,64}$'),
  -- `open`: work goes on in it, or may. `kept`: the work has ended, and the directory is there. `removed`: it had nothing that is not on the
  -- branch, and the directory is gone. `discarded`: a person gave it up. `lost`: the directory vanished with what was in it.
  state         text not null check (state in ('open', 'kept', 'removed', 'discarded', 'lost')),
  -- Of the directory when it was last looked at; null: not yet.
  bytes         bigint,
  -- All of it but ignored files was handed over to the repository since work in it last began.
  handed        boolean not null default false,
  -- Why an ended directory is kept, beside its changes: what in it is on no branch. Words of docs/worktrees.md.
  holds         text[] not null default '{}',
  -- A person wants it removed; the daemon of its host does it.
  discard_by    text,
  created_at    timestamptz not null,
  updated_at    timestamptz not null
);
create index worktrees_item on animus.worktrees (work_item_id);
create index worktrees_there on animus.worktrees (host, updated_at) where state in ('open', 'kept');

-- What an item has changed in its worktree, as far as it was handed over to the repository: one row per item, so that each answer of a conversation
-- has its own.
create table animus.worktree_results (
  work_item_id  uuid primary key references animus.work_items (id) on delete cascade,
  worktree_id   uuid not null,
  -- The commit that it began at: `base`, or what the answer before left.
  start         text not null,
  -- The commit of the branch in the repository.
  tip           text not null,
  -- A commit with the files as they were left, on top of `tip`, where some were not committed; null: there are none.
  rest          text,
  -- `git diff --binary --full-index` from `start` to `rest` or `tip`; null where it exceeds 4 MiB or is empty.
  patch         bytea check (octet_length(patch) <= 4194304),
  -- Of the whole patch, also where it is not stored.
  patch_bytes   bigint not null default 0,
  -- False: it was recorded at a park or a release, and the item goes on from there.
  ended         boolean not null,
  -- What was lost of it, in words for people; null: nothing.
  lost          text,
  updated_at    timestamptz not null
);
