-- Views of what a person is asked. Column by column they are the same for those who decide and for the owner of the work.

-- What work items wait for from people, oldest first: what exactly is to be decided, and until when. Approve, deny and answer take `ask_id`, so that nobody
-- decides something else than what was shown.
create or replace view animus.asked as
  select w.work_item_id, i.faculty, animus.call_of(w.call_id, w.turn) as call_id, w.kind, w.subject, w.request, encode(w.request_hash, 'hex') as hash,
         w.created_at as asked_at, w.deadline, w.focus_id, w.turn, i.submitted_by, i.description, w.ask_id
    from animus.waits w
    join animus.work_items i on i.id = w.work_item_id
    join animus.foci f on f.id = w.focus_id and f.ended_as is null
   where w.resolved_at is null and w.subject is not null
   order by w.created_at, w.work_item_id, w.ask_id;

-- Everything that waits for a person, item by item, of what the actor may see: animus.asked, and the versions of skills that work has proposed, for which no
-- work waits, and whose work item may have been deleted meanwhile. `lost`: what of a worktree is gone, until an operator has acknowledged it with
-- animus.answer. items: how many work items wait for the same limit, this one included; 1 for anything else.
create or replace view animus.item_asks as
  select a.work_item_id, a.faculty, a.call_id, a.kind, a.subject, a.request, a.hash, a.asked_at, a.deadline, a.focus_id, a.turn, a.submitted_by, a.description, a.ask_id,
         case when a.subject = 'budget' and a.request ->> 'scope' in ('root', 'faculty', 'appliance') then (
           select count(*)::int from animus.waits o join animus.work_items i on i.id = o.work_item_id join animus.foci f on f.id = o.focus_id and f.ended_as is null
            where o.resolved_at is null and o.subject = 'budget' and o.request ->> 'scope' = a.request ->> 'scope' and o.request ->> 'subject' = a.request ->> 'subject'
              and o.request ->> 'unit' = a.request ->> 'unit' and o.request ->> 'period' = a.request ->> 'period'
              and (i.submitted_by = (select animus.actor()) or (select animus.sees_all()))) else 1 end as items
    from animus.asked a where a.submitted_by = (select animus.actor()) or (select animus.sees_all())
  union all
  select v.work_item_id, coalesce(v.faculty, ''), null::text, 'approval', 'skill',
         json_build_object('skill', v.name, 'version', v.version, 'base', v.base, 'description', v.description, 'note', v.note),
         v.content_hash, v.created_at, null::timestamptz, v.focus_id, null::int, v.submitted_by,
         coalesce((select w.description from animus.work_items w where w.id = v.work_item_id), ''), v.ask_id, 1
    from animus.skill_versions v where v.state = 'proposed' and (v.submitted_by = (select animus.actor()) or (select animus.sees_all()))
  union all
  select r.work_item_id, w.faculty, null::text, 'human', 'lost', json_build_object('lost', r.lost, 'branch', t.branch),
         encode(sha256(convert_to(r.lost, 'UTF8')), 'hex'), r.updated_at, null::timestamptz, null::uuid, null::int, w.submitted_by, w.description,
         animus.ask_of_loss(r.work_item_id, r.lost), 1
    from animus.worktree_results r join animus.work_items w on w.id = r.work_item_id left join animus.worktrees t on t.id = r.worktree_id
   where r.lost is not null and r.lost is distinct from r.lost_seen and (w.submitted_by = (select animus.actor()) or (select animus.sees_all()));

-- The same, oldest first, where all that waits for one limit is one entry: that of the item that has waited longest. A decision about it is one about all
-- of them. Of such an entry, `needed` is the dearest next turn, `used` what was spent when the last one began to wait, and the
-- deadline the first one. work_items: the first hundred.
create or replace view animus.inbox as
  select a.work_item_id, a.faculty, a.call_id, a.kind, a.subject, a.request, a.hash, a.asked_at, a.deadline, a.focus_id, a.turn, a.submitted_by, a.description, a.ask_id,
         1 as items, array[a.work_item_id] as work_items
    from animus.item_asks a where (a.subject = 'budget' and a.request ->> 'scope' in ('root', 'faculty', 'appliance')) is not true
  union all
  select l.work_item_id, l.faculty, l.call_id, l.kind, l.subject,
         case l.items when 1 then l.request else (l.request::jsonb || jsonb_build_object('needed', l.needed, 'used', l.used))::json end,
         l.hash, l.asked_at, l.deadline, l.focus_id, l.turn, l.submitted_by, l.description, l.ask_id, l.items, l.work_items[1:100]
    from (select distinct on (a.request ->> 'scope', a.request ->> 'subject', a.request ->> 'unit', a.request ->> 'period')
                 a.work_item_id, a.faculty, a.call_id, a.kind, a.subject, a.request, a.hash, a.asked_at, a.focus_id, a.turn, a.submitted_by, a.description, a.ask_id,
                 min(a.deadline) over same as deadline, max((a.request ->> 'needed')::numeric) over same as needed, max((a.request ->> 'used')::numeric) over same as used, (count(*) over same)::int as items,
                 array_agg(a.work_item_id) over same as work_items
            from animus.item_asks a where a.subject = 'budget' and a.request ->> 'scope' in ('root', 'faculty', 'appliance')
          window same as (partition by a.request ->> 'scope', a.request ->> 'subject', a.request ->> 'unit', a.request ->> 'period'
                          order by a.asked_at, a.work_item_id rows between unbounded preceding and unbounded following)
           order by a.request ->> 'scope', a.request ->> 'subject', a.request ->> 'unit', a.request ->> 'period', a.asked_at, a.work_item_id) l
   order by 8, 1, 14;
