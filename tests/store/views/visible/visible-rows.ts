/** Rows of alice and bob in each table that a visible_ view reads, beside their work; to be run in order. */
export const MORE_ROWS = [
  `insert into animus.artifacts (id, work_item_id, name, media_type, bytes, content, created_at)
   select gen_random_uuid(), id, 'a.txt', 'text/plain', 1, 'a', now() from animus.work_items`,
  `insert into animus.artifacts (id, focus_id, name, media_type, bytes, content, created_at)
   select gen_random_uuid(), id, 'output', 'text/plain', 1, 'b', now() from animus.foci`,
  `update animus.foci set ended_as = null, ended_at = null`,
  `insert into animus.waits (work_item_id, call_id, kind, subject, request, request_hash, created_at, focus_id)
   select work_item_id, 'c', 'approval', 'tool_call', '{}', 'h', now(), id from animus.foci`,
  `insert into animus.mailbox (work_item_id, author, author_is, text, created_at) select id, submitted_by, 'submitter', 'hello', now() from animus.work_items`,
  `insert into animus.decisions (work_item_id, action, decided_by, created_at) select id, 'steer', submitted_by, now() from animus.work_items`,
  `insert into animus.decisions (target, action, decided_by, created_at) values ('engineer', 'pause', 'olga', now())`,
  `insert into animus.spend_calls (faculty, model, day, usd, input_tokens, output_tokens, operation, submitter)
   select 'engineer', 'm', current_date, 1, 1, 1, 'turn', s from unnest(array['person:alice', 'person:bob']) s`,
  `insert into animus.pauses values ('writer', 'because', 'olga', null, now())`,
  `insert into animus.grants (scope, faculty, tool, pattern, granted_by, created_at, expires_at) values ('faculty', 'engineer', 'bash', '*', 'olga', now(), now() + interval '1 day')`,
  `insert into animus.schedules (name, cron, faculty, created_at) values ('nightly', '0 0 * * *', 'engineer', now())`,
  `insert into animus.schedule_runs (schedule, due_at, until_at, result, recorded_at) values ('nightly', now(), now(), 'missed', now())`,
  `insert into animus.skill_packages values (repeat('a', 64), 'fix-dates', 1, now(), current_date)`,
  `insert into animus.skill_files values (repeat('a', 64), 'SKILL.md', 'x')`,
  `insert into animus.skill_activations (focus_id, work_item_id, faculty, skill, content_hash, reason, activated_at)
   select id, work_item_id, 'engineer', 'fix-dates', repeat('a', 64), 'auto', now() from animus.foci`,
  `insert into animus.skills values ('fix-dates', 2, now())`,
  `insert into animus.skill_versions (name, version, state, content_hash, description, work_item_id, submitted_by, created_at)
   select 'fix-dates', s.n, s.state, repeat('a', 64), 'd', w.id, 'person:bob', now()
     from (values (1, 'current'), (2, 'proposed')) s (n, state), (select id from animus.work_items where submitted_by = 'person:bob' limit 1) w`,
  `insert into animus.workspaces (id, name, owner, created_at) select gen_random_uuid(), 'default', a, now() from unnest(array['person:alice', 'person:bob']) a`,
  `insert into animus.files (id, workspace_id, path, is_virtual, kind, created_at, updated_at) select gen_random_uuid(), id, 'x.chat', true, 'chat', now(), now() from animus.workspaces`,
  `insert into animus.conversations (file_id, faculty, created_by) select f.id, 'engineer', w.owner from animus.files f join animus.workspaces w on w.id = f.workspace_id`,
  `insert into animus.conversation_people (file_id, actor) select file_id, created_by from animus.conversations`,
  `insert into animus.chat_messages (file_id, role, content, author, created_at, number) select file_id, 'user', 'hello', created_by, now(), 1 from animus.conversations`,
  `insert into animus.files (id, workspace_id, path, is_virtual, kind, conversation_id, created_at, updated_at)
   select a.id, f.workspace_id, 'x.files/a', false, 'attachment', f.id, now(), now() from animus.files f join animus.workspaces w on w.id = f.workspace_id
     cross join lateral (select min(a.id::text)::uuid as id from animus.artifacts a join animus.work_items i on i.id = a.work_item_id where i.submitted_by = w.owner) a`,
  `insert into animus.chat_message_files (message_id, file_id) select m.id, f.id from animus.chat_messages m join animus.files f on f.conversation_id = m.file_id`,
  `update animus.tool_calls set state = 'denied', details = '{"gate": "permissions", "rule": "bash"}'`,
  `insert into animus.daemons (id, host, pid, version, max_concurrent, faculties, started_at, seen_at) values (gen_random_uuid(), 'here', 1, '1', 1, '{"engineer": {}}', now(), now())`,
];
