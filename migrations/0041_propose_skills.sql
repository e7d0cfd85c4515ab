-- Findings that many items have recorded become work for the faculty that writes skills (functions/30_findings.sql, docs/skills.md).

-- The findings that such work was submitted for. Without foreign keys: what was proposed stays known when the work is deleted.
create table animus.proposed_findings (
  work_item_id uuid not null,
  seq          int not null,
  -- The item of the faculty that writes skills.
  proposal     uuid not null,
  found_at     timestamptz not null,
  primary key (work_item_id, seq)
);
create index proposed_findings_age on animus.proposed_findings (found_at);

-- Which daemon looks for findings that recur; at most one row.
create table animus.finding_watch (
  one       boolean primary key default true check (one),
  daemon_id uuid not null,
  until     timestamptz not null  -- from here on another daemon may do it
);

-- A finding, the work that was submitted for it, and the skills it is a source of, separated by spaces.
create type animus.named_finding as (work_item_id uuid, seq int, content text, found_at timestamptz, proposal uuid, skills text);
