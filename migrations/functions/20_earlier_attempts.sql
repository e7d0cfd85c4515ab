-- What the attempts of an item before the present one did, which the first message of a later attempt tells.

-- Returns what the attempts before the one of a focus did, from the record, each list with at most 50 entries; empty lists where there was none, or a recover hook decided
-- to keep nothing. p_changing: the tools whose calls change something. The shapes are those of EarlierActs (src/store/transcript/earlier-foci.ts).
-- Locks: none. Raises: nothing.
create or replace function animus.read_earlier_acts(
  p_focus_id uuid, p_changing text[], out children uuid[], out changed int, out changes json, out decisions json, out messages json, out commits json)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with e as materialized (select f.work_item_id as id, animus.earlier_attempts(f.id) as foci, f.started_at as until from animus.foci f where f.id = p_focus_id),
        c as materialized (select t.* from e join animus.tool_calls t on t.focus_id = any (e.foci)),
        changes as (select c.name, coalesce(c.details ->> 'path', left(c.output, 200)) as what, c.started_at from c
                     where c.name = any (p_changing) and c.state = 'done' and not coalesce(c.is_error, false))
   select array(select w.id from e join animus.work_items w on w.parent_id = e.id
                 where (w.trigger_info ->> 'focus_id')::uuid = any (e.foci) order by w.id) as children,
          (select count(*)::int from changes) as changed,
          (select coalesce(json_agg(json_build_object('tool', x.name, 'what', x.what) order by x.last), '[]') from
            (select name, what, max(started_at) as last from changes group by name, what order by last desc limit 50) x) as changes,
          (select coalesce(json_agg(json_build_object('action', d.action, 'by', d.decided_by, 'note', left(d.note, 1000), 'subject', coalesce(d.subject, ''),
                    'tool', a.name, 'input', left(a.input::text, 500), 'ran', a.ran) order by d.id), '[]')
             from e join lateral (select d.* from animus.decisions d
                    where d.work_item_id = e.id and d.action in ('approve', 'deny', 'answer') and d.created_at <= e.until
                      and d.created_at >= (select min(o.started_at) from animus.foci o where o.id = any (e.foci)) order by d.id desc limit 50) d on true
             left join lateral (select c.name, coalesce(c.final_input, c.input) as input,
                                       case when c.started_at is not null then c.state end as ran
                                  from c where c.call_id = d.call_id
                                   and (d.subject <> 'tool_call' or animus.digest_call(c.name, coalesce(c.final_input, c.input)) = d.subject_digest)
                                 order by c.focus_id desc, c.turn desc limit 1) a on true) as decisions,
          (select coalesce(json_agg(json_build_object('author', m.author, 'text', left(m.text, 4000)) order by m.id), '[]') from
            (select m.id, m.author, m.text from e join animus.mailbox m on m.work_item_id = e.id and m.focus_id = any (e.foci)
               -- What was deleted from its conversation since then is told to nobody any more.
              where not exists (select from animus.chat_messages d where d.work_item_id = m.work_item_id and d.told and d.author = m.author
                                   and d.created_at = m.created_at and d.deleted_at is not null)
              order by m.id desc limit 50) m) as messages,
          (select coalesce(json_agg(json_build_object('branch', t.branch, 'tip', r.tip)), '[]')
             from e join animus.worktree_results r on r.work_item_id = e.id and r.tip <> r.start join animus.worktrees t on t.id = r.worktree_id
            where cardinality(e.foci) > 0) as commits
$$;
