-- Tool calls that did not run because a rule, a hook or a person refused them, or that a tool refused at a boundary, derived from the calls: refusing one costs no further write.
-- `rule` is the key of the permission rule, the name of the hook, the boundary, or why a person was asked. `decided_by` is the person; null where nobody
-- decided. The text of packed transcripts is looked at before it is taken apart.
create or replace view animus.refused_calls as
  select c.ended_at as created_at, w.id as work_item_id, w.faculty, w.submitted_by, c.focus_id, c.turn, c.call_id, c.name as tool,
         coalesce(c.final_input, c.input) as input,
         case when c.details ? 'boundary' then 'tool' when a.result ->> 'decision' = 'deny' then 'person' when a.result ? 'timed_out' then 'deadline'
              when c.details ->> 'gate' = 'permissions' and c.details ? 'rule' then 'permission' when c.details ->> 'gate' = 'hooks' then 'hook'
              when c.details ->> 'gate' = 'permissions' then 'nobody' else 'engine' end as refused_by,
         coalesce(c.details ->> 'boundary', c.details ->> 'rule', c.details ->> 'hook', a.request ->> 'reason') as rule, a.result ->> 'by' as decided_by
    from (select f.work_item_id, t.focus_id, t.turn, t.call_id, t.name, t.input, t.final_input, t.details, t.ended_at
            from animus.tool_calls t join animus.foci f on f.id = t.focus_id
           where t.state = 'denied' or t.state = 'failed' and t.details ? 'boundary'
           union all
          select h.work_item_id, t.focus_id, t.turn, t.call_id, t.name, t.input::json, t.final_input::json, t.details, t.ended_at
            from animus.history h cross join lateral json_to_recordset(h.tool_calls) as t (
              focus_id uuid, turn int, call_id text, name text, input text, final_input text, details jsonb, state text, ended_at timestamptz)
           where h.tool_calls::text ~ '"(denied|boundary)"' and (t.state = 'denied' or t.state = 'failed' and t.details ? 'boundary')) c
    join animus.work_items w on w.id = c.work_item_id
    left join animus.waits a on a.work_item_id = c.work_item_id and a.call_id = c.call_id and a.focus_id = c.focus_id and a.turn = c.turn
     and a.subject = 'tool_call';
