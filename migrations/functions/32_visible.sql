-- What a gateway reads: everything that the person it acts for may see, and nothing else. The API reads these views and functions only, never a
-- table. The views have no security barrier, and are granted to gateways, not to submitters: anyone who can run SQL as a gateway can act for any
-- person, so a barrier would protect nothing, and it would keep the planner from using indexes. 15_spend.sql has visible_spend.

-- The items that answer messages of conversations in which the actor takes part, and took part when they were written (13_readers.sql). An item shows the words of its message, of those that were told into
-- it, and of its answer: if one of them was deleted, it is there only for its submitter and for those who see all work.
create or replace view animus.own_answers as
  select m.work_item_id from animus.conversation_people p join animus.files f on f.id = p.file_id and f.deleted_at is null
    join animus.chat_messages m on m.file_id = p.file_id and m.role = 'user' and not m.told and m.work_item_id is not null and m.id > p.joined_after
   where p.actor = (select animus.actor())
     and not exists (select from animus.chat_messages d where d.work_item_id = m.work_item_id and d.deleted_at is not null);

-- Work that the actor may see: its own, or all; and the answers of conversations in which it takes part, and what is below them. What is cheap is asked
-- first, and once for all rows; of the rest, the planner asks by the row or once for all. Read by an item, or by the ids of list_visible_work: a list without
-- them, newest first, looks at each row that the actor may not see.
create or replace view animus.visible_work as
  select w.id, w.faculty, w.skill, w.description, w.params, w.dedup_key, w.source, w.trigger_info, w.priority, w.run_at, w.concurrency_key, w.parent_id,
         w.trace_context, w.root_id, w.depth, w.state, animus.shown_work(w.merged_into) as merged_into, w.attempts, w.max_attempts, w.lease_owner, w.lease_expires_at, w.turns,
         w.cancel_requested_at, w.cancel_reason, w.outcome, w.outcome_summary, w.error, w.cost_usd, w.input_tokens, w.output_tokens, w.created_at,
         w.updated_at, w.resolved_at, w.submitted_by, w.batch, w.detached, w.unpriced_calls, w.lost_usd, w.estimated_usd, w.calls, w.lost_requests,
         w.uncounted_calls, w.assumed_tokens
    from animus.work_items w
   where w.submitted_by = (select animus.actor()) or (select animus.sees_all())
      or exists (select from animus.own_answers c where c.work_item_id = w.id)
      or w.depth > 0 and exists (select from animus.own_answers c where c.work_item_id = w.root_id);

-- Where a focus runs and in which directory is for those who see all work.
create or replace view animus.visible_foci as
  select f.id, f.work_item_id, f.number, f.phase, f.resumes, f.ended_as, f.error, f.started_at, f.ended_at,
         case when (select animus.sees_all()) then f.host end as host, case when (select animus.sees_all()) then f.directory end as directory,
         coalesce(f.faculty_snapshot, s.faculty_snapshot) ->> 'isolation' as isolation
    from animus.foci f join animus.visible_work w on w.id = f.work_item_id left join animus.focus_settings s on s.id = f.settings_id;

create or replace view animus.visible_turns as
  select t.work_item_id, t.focus_id, t.turn, t.provider, t.model, t.response, t.response_id, t.stop_reason, t.raw_stop_reason, t.cut_tool_calls, t.usage,
         t.cost_usd, t.reserved_usd, t.lost_usd, t.begun_at, t.recorded_at,
         round(t.time_to_first_token_ms::numeric, 3)::float8 as time_to_first_token_ms, round(t.duration_ms::numeric, 3)::float8 as duration_ms,
         t.lost_requests, t.lost_unpriced
    from animus.all_turns t join animus.visible_work w on w.id = t.work_item_id;

create or replace view animus.visible_tool_calls as
  select c.work_item_id, c.focus_id, c.turn, c.call_id, c.position, c.name, c.input, c.origin, c.parent_call_id, c.state, c.output, c.output_bytes,
         c.is_error, c.details, c.started_at, c.ended_at, round(c.duration_ms::numeric, 3)::float8 as duration_ms, c.final_input, c.grant_id
    from animus.all_tool_calls c join animus.visible_work w on w.id = c.work_item_id;

create or replace view animus.visible_messages as
  select m.work_item_id, m.focus_id, m.seq, m.after_turn, m.kind, m.content, m.tokens, m.keeps_from, m.created_at, m.artifact_id
    from animus.all_messages m join animus.visible_work w on w.id = m.work_item_id;

create or replace view animus.visible_ledger as
  select l.work_item_id, l.seq, l.entry_type, l.content, l.focus_id, l.tool_call_id, l.created_at
    from animus.all_ledger l join animus.visible_work w on w.id = l.work_item_id;

-- Files of items, and of their foci (outputs that were too large for a row), without those that came with a deleted message; and patches of worktrees, which
-- change with the item.
create or replace view animus.visible_artifacts as
  select a.id, a.work_item_id, a.focus_id, a.name, a.media_type, a.bytes, a.content, a.created_at
    from animus.artifacts a join animus.visible_work w on w.id = a.work_item_id
   where not exists (select from animus.files d where d.id = a.id and d.deleted_at is not null)
  union all
  select a.id, f.work_item_id, a.focus_id, a.name, a.media_type, a.bytes, a.content, a.created_at
    from animus.artifacts a join animus.foci f on f.id = a.focus_id join animus.visible_work w on w.id = f.work_item_id where a.work_item_id is null
  union all
  -- What came with messages that are older than the actor's part in their conversation, whose work it does not see.
  select a.id, a.work_item_id, a.focus_id, a.name, a.media_type, a.bytes, a.content, a.created_at
    from animus.conversation_people p join animus.files c on c.id = p.file_id and c.deleted_at is null
    join animus.files d on d.conversation_id = p.file_id and d.deleted_at is null and d.kind = 'attachment'
    join animus.artifacts a on a.id = d.id
   where p.actor = (select animus.actor()) and not exists (select from animus.visible_work w where w.id = a.work_item_id)
  union all
  -- What the item changed in its worktree, under the item's own id.
  select r.work_item_id, r.work_item_id, null::uuid, 'changes.patch', 'text/x-diff', octet_length(r.patch)::bigint, r.patch, r.updated_at
    from animus.worktree_results r join animus.visible_work w on w.id = r.work_item_id where r.patch is not null;

create or replace view animus.visible_waits as
  select v.work_item_id, v.call_id, v.kind, v.subject,
         case when v.targets <> '{}' then array(select t.id from unnest(v.targets) with ordinality t (id, n) where animus.shown_work(t.id) is not null order by t.n) else v.targets end as targets, v.mode, v.deadline, v.created_at, v.resolved_at, v.result, v.focus_id, v.turn, case when v.subject is not null then v.ask_id end as ask_id
    from animus.waits v join animus.visible_work w on w.id = v.work_item_id;

-- What waits for a person. An operator decides it; others see what their own work waits for.
create or replace view animus.visible_inbox as
  select i.work_item_id, i.faculty, i.call_id, i.kind, i.subject, i.request, i.hash, i.asked_at, i.deadline, i.focus_id, i.turn, i.submitted_by, i.description, i.ask_id,
         i.items, i.work_items
    from animus.inbox i;
create or replace view animus.visible_item_asks as
  select a.work_item_id, a.faculty, a.call_id, a.kind, a.subject, a.request, a.hash, a.asked_at, a.deadline, a.focus_id, a.turn, a.submitted_by, a.description, a.ask_id, a.items
    from animus.item_asks a;

-- The same, by what causes it, so that one item cannot hide the others: calls of a tool, questions and skills of an item with all that is below it, budgets of a
-- limit, losses of a faculty. ask_ids: the first hundred, oldest first; identical: all ask for exactly the same.
create or replace view animus.visible_inbox_groups as
  select md5(g.cause::text) as group_id, g.subject, g.faculty, g.root_id, g.tool, g.reason, g.count, g.items, g.first_asked_at, g.last_asked_at, g.deadline,
         g.identical, g.ask_ids[1:100] as ask_ids
    from (select c.cause, i.subject, min(i.faculty) as faculty, (array_agg(c.root_id))[1] as root_id, min(c.tool) as tool, min(c.reason) as reason,
                 count(*)::int as count, case i.subject when 'budget' then sum(i.items) else count(distinct i.work_item_id) end::int as items, min(i.asked_at) as first_asked_at, max(i.asked_at) as last_asked_at,
                 min(i.deadline) as deadline, count(distinct i.hash) = 1 as identical, array_agg(i.ask_id order by i.asked_at, i.ask_id) as ask_ids
            from animus.visible_inbox i left join animus.work_items w on w.id = i.work_item_id
            cross join lateral (
              select coalesce(w.root_id, i.work_item_id) as root_id, i.request ->> 'tool' as tool, left(i.request ->> 'reason', 500) as reason) r
            cross join lateral (
              select case when i.subject in ('budget', 'lost') then null else r.root_id end as root_id, r.tool,
                     case i.subject when 'tool_call' then r.reason end as reason,
                     case i.subject
                       when 'budget' then array['budget', i.request ->> 'scope', i.request ->> 'subject', i.request ->> 'unit', i.request ->> 'period']
                       when 'lost' then array['lost', i.faculty]
                       else array[i.subject, r.root_id::text, r.tool, case i.subject when 'tool_call' then r.reason end] end as cause) c
           group by c.cause, i.subject) g;

-- A message of a conversation that was told into an answer and deleted has no words.
create or replace view animus.visible_mail as
  select m.work_item_id, m.id, m.author, m.author_is,
         case when exists (select from animus.chat_messages t where t.work_item_id = m.work_item_id and t.told and t.deleted_at is not null
                             and t.author = m.author and t.created_at = m.created_at) then '' else m.text end as text, m.wake, animus.shown_work(m.duplicate_id) as duplicate_id, m.created_at, m.delivered_at, m.focus_id, m.after_turn, m.not_delivered
    from animus.mailbox m join animus.visible_work w on w.id = m.work_item_id;

-- Decisions about visible work; for those who see all work also those about faculties, people and deleted work.
create or replace view animus.visible_decisions as
  select d.id, d.created_at, d.decided_by, d.action, d.note, d.work_item_id, d.target, d.call_id, d.ask_id, d.subject
    from animus.decisions d left join animus.work_items w on w.id = d.work_item_id
   where w.submitted_by = (select animus.actor()) or (select animus.sees_all());

-- Faculties that a running daemon has, so that one knows what can be asked of whom: what they are for, their inputs and outcomes as the daemon says that
-- started last, and for how many of its daemons nothing stands in the way of its containers. The hosts, and what stands in the way, are for those who
-- see all work.
create or replace view animus.visible_faculties as
  select f.name, count(*)::int as daemons, case when (select animus.sees_all()) then array_agg(d.host order by d.host) end as hosts,
         coalesce(max(f.options ->> 'mode'), 'builtin') as mode, (count(*) filter (where f.options ->> 'no_sandbox' is null))::int as able,
         case when (select animus.sees_all()) then min(f.options ->> 'no_sandbox') end as problem,
         coalesce((array_agg(f.options ->> 'description' order by d.started_at desc, d.id))[1], '') as description,
         nullif((array_agg(f.options -> 'params_schema' order by d.started_at desc, d.id))[1], 'null') as params_schema,
         nullif((array_agg(f.options -> 'outcome_schema' order by d.started_at desc, d.id))[1], 'null') as outcome_schema
    from animus.daemons d cross join lateral jsonb_each(d.faculties) f (name, options)
   where d.stopped_at is null and d.seen_at > animus.now() - interval '1 minute'
   group by f.name;

create or replace view animus.visible_skill_activations as
  select a.focus_id, a.work_item_id, a.faculty, a.skill, a.version, a.content_hash, a.reason, a.activated_at
    from animus.skill_activations a join animus.visible_work w on w.id = a.work_item_id;

-- Skills that agents wrote: the current ones, which everybody's work may use, the actor's own, or all. What they were made from is as visible as
-- that work.
create or replace view animus.visible_skill_versions as
  select v.name, v.version, v.state, v.base, v.content_hash, v.description, v.note, v.faculty, v.created_at, v.decided_by, v.decided_at, v.decision_note,
         v.submitted_by, case when v.submitted_by = (select animus.actor()) or (select animus.sees_all()) then v.work_item_id end as work_item_id,
         case when v.submitted_by = (select animus.actor()) or (select animus.sees_all()) then v.focus_id end as focus_id, v.current_from, v.current_until
    from animus.skill_versions v
   where v.state = 'current' or v.submitted_by = (select animus.actor()) or (select animus.sees_all());
create or replace view animus.visible_skill_files as
  select v.name, v.version, f.path, f.content
    from animus.visible_skill_versions v join animus.skill_files f on f.content_hash = v.content_hash;

-- Only for those who see all work.
create or replace view animus.visible_schedules as
  select s.name, s.cron, s.time_zone, s.faculty, s.description, s.params, s.missed, s.grace_seconds, s.paused, s.next_at, s.last_at, s.created_at, s.problem, s.overlap,
         case when s.overlap <> 'allow' then o.work_item_id end as open_item
    from animus.schedules s left join animus.open_runs o on o.schedule = s.name where (select animus.sees_all());
create or replace view animus.visible_schedule_runs as
  select r.schedule, r.due_at, r.until_at, r.result, r.runs, r.work_item_id
    from animus.schedule_runs r where (select animus.sees_all());
create or replace view animus.visible_pauses as
  select p.faculty, p.reason, p.paused_by, p.until, p.created_at from animus.pauses p where (select animus.sees_all());
create or replace view animus.visible_grants as
  select g.id, g.scope, g.work_item_id, g.faculty, g.tool, g.pattern, encode(g.request_hash, 'hex') as hash, g.note, g.granted_by, g.created_at, g.expires_at, g.revoked_at, g.revoked_by
    from animus.grants g where (select animus.sees_all());
