-- Why an item does not go on now, since when, and what ends that: the one answer that every place shows (docs/states.md). Nothing of it is stored: it is
-- what holds at this moment.

-- Returns why items that are queued, scheduled, waiting, or claimed and not begun wait. No row for any other item, for one that the actor may not see, and
-- for one that was queued less than two seconds ago where nothing stands in its way.
-- reason: a word of docs/states.md. why: one sentence without its end. ends: what ends it, as `until` the words of a sentence, and what happens at `until` if
-- that has not. since: since when, as far as that is known. until: when it ends by itself at the latest. who: who paused it, or who decides. work_items: those that go first or are awaited, at most 20, of
-- which the actor may see. p_plain: only what everybody may see who sees the item, for an answer that several readers get: without the words of
-- operators and daemons, and without other items.
-- For a page, what concerns a faculty is looked up once. One statement for each state, which runs only if there is such an item: to begin one plan for all of
-- them took longer than what it found. One plan each, by the indexes, as read_events has it.
-- Locks: none. Raises: nothing.
create or replace function animus.why_waiting(p_ids uuid[], p_plain boolean default false)
returns table (work_item_id uuid, reason text, why text, ends text, since timestamptz, until timestamptz, who text, work_items uuid[])
language plpgsql stable security definer rows 10 set search_path = pg_catalog, pg_temp set jit = off set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
-- Callers: all.
declare
  v_now   constant timestamptz := animus.now();
  v_actor constant text := animus.actor();
  v_all   constant boolean := animus.sees_all();
  v_words constant boolean := v_all and not p_plain;
  v_queued    uuid[];
  v_scheduled uuid[];
  v_waiting   uuid[];
  v_claimed   uuid[];
begin
  select array_agg(w.id) filter (where w.state = 'queued' or w.state = 'scheduled' and w.run_at <= v_now),
         array_agg(w.id) filter (where w.state = 'scheduled' and (w.run_at <= v_now) is not true),
         array_agg(w.id) filter (where w.state = 'waiting'), array_agg(w.id) filter (where w.state = 'claimed')
    into v_queued, v_scheduled, v_waiting, v_claimed
    from animus.work_items w
   where w.id = any (p_ids) and w.state in ('queued', 'scheduled', 'waiting', 'claimed')
     and (v_all or w.submitted_by = v_actor or animus.takes_part(w.id));
  -- Most work that waits is told by one of two looks, without the statement below, whose plan takes longer to begin than both: nobody is there to take it, or
  -- it has just come, and a daemon has room.
  if v_queued is not null and not exists (select from animus.daemons d where d.stopped_at is null and d.seen_at > v_now - interval '1 minute') then
    return query
      with served as (
        select f.faculty, (select max(coalesce(d.stopped_at, d.seen_at)) from animus.daemons d where d.faculties ? f.faculty) as gone_at
          from (select distinct w.faculty from animus.work_items w where w.id = any (v_queued)) f
         where not exists (select from animus.pauses p where p.faculty in (f.faculty, '*') and (p.until is null or p.until > v_now)))
      select w.id, 'no_daemon', 'no daemon is running', 'a daemon that serves ' || w.faculty || ' is started',
             greatest(animus.queued_at(w.lease_token, w.state, w.created_at, w.run_at, w.updated_at), s.gone_at), null::timestamptz, null::text, '{}'::uuid[]
        from animus.work_items w join served s on s.faculty = w.faculty where w.id = any (v_queued);
    select array_agg(w.id) into v_queued from animus.work_items w
     where w.id = any (v_queued) and exists (select from animus.pauses p where p.faculty in (w.faculty, '*') and (p.until is null or p.until > v_now));
  elsif v_queued is not null then
    select array_agg(w.id) into v_queued from animus.work_items w
     where w.id = any (v_queued)
       and not (w.state = 'queued' and greatest(w.created_at, w.run_at) >= v_now - interval '2 seconds' and w.lease_token is null and w.concurrency_key is null
                and w.suspect_of is null and w.source <> 'chat' and animus.may_go_on(w.id, w.faculty, v_now));
  end if;
  if v_queued is not null then return query
    with item as materialized (
      select w.id, w.faculty, w.source, w.concurrency_key, w.key_blocked, w.suspect_of, w.lease_token, w.updated_at,
             greatest(c.until, x.until) as faulty_until, coalesce(c.since, x.since) as faulty_since, coalesce(c.failures, x.failures) as failures,
             coalesce(c.sqlstate, x.sqlstate) as sqlstate, c.work_item_id is null as of_all,
             animus.queued_at(w.lease_token, w.state, w.created_at, w.run_at, w.updated_at) as queued_at
        from animus.work_items w left join animus.claim_faults c on c.work_item_id = w.id left join animus.faculty_faults x on x.faculty = w.faculty
       where w.id = any (v_queued)),
    live as materialized (
      select f.name as faculty, d.id, d.max_concurrent as places, f.options, (f.options #>> '{held,until}')::timestamptz as held_until,
             (select count(*) from animus.work_items r where r.state in ('claimed', 'running') and r.lease_owner = d.id) as has,
             coalesce(d.makes_room_at > v_now - interval '3 seconds', false) or exists (
               select from animus.work_items s where s.suspect_of is not null and s.state in ('claimed', 'running') and s.lease_owner = d.id) as alone
        from animus.daemons d cross join lateral jsonb_each(d.faculties) f (name, options)
       where d.stopped_at is null and d.seen_at > v_now - interval '1 minute' and f.name in (select i.faculty from item i)),
    served as materialized (
      select f.faculty, s.*, p.faculty as paused, p.paused_by, p.reason as pause_reason, p.created_at as paused_at, p.until as paused_until,
             (select count(*) from animus.work_items r where r.faculty = f.faculty and r.state in ('claimed', 'running')) as runs,
             case when s.daemons = 0 then (select max(coalesce(d.stopped_at, d.seen_at)) from animus.daemons d where d.faculties ? f.faculty) end as gone_at
        from (select distinct i.faculty from item i) f
        cross join lateral (
          select count(*) as daemons, sum(l.places) as places, bool_and(l.has >= l.places) as is_full, bool_and(l.has >= l.places or l.alone) as busy,
                 max((l.options ->> 'max')::int) as most, bool_and(coalesce(l.held_until > v_now, false)) as held, min(l.held_until) as held_until,
                 min((l.options #>> '{held,since}')::timestamptz) as held_since, min(l.options #>> '{held,reason}') as held_why
            from live l where l.faculty = f.faculty) s
        left join lateral (
          select * from animus.pauses p where p.faculty in (f.faculty, '*') and (p.until is null or p.until > v_now) order by p.faculty = '*', p.created_at limit 1) p on true),
    queued as materialized (
      select i.*, b.number, b.item as before_item, s.daemons, s.places, s.is_full, s.most, s.runs, s.held_until, s.held_since, s.held_why, s.gone_at, s.paused_by, s.pause_reason, s.paused_at, s.paused_until,
             case when s.paused is not null then case s.paused when '*' then 'all_paused' else 'paused' end
                  when s.daemons = 0 then 'unserved'
                  when b.number is not null then 'message'
                  when i.concurrency_key is not null and (i.key_blocked or animus.key_is_held(i.concurrency_key)) then 'key'
                  when s.held then 'provider'
                  when i.faulty_until > v_now then 'faulty'
                  when i.suspect_of is not null then 'alone'
                  when s.runs >= s.most or s.busy then 'capacity'
                  when (i.lease_token is not null or i.source = 'chat') and not exists (select from live l where l.faculty = i.faculty and not animus.left_to_host(i.id, l.id, l.options, v_now)) then 'host'
                  when i.queued_at < v_now - interval '2 seconds' then 'next' end as reason
        from item i join served s on s.faculty = i.faculty left join lateral animus.message_before(case when i.key_blocked then i.id end) b on true)
    select q.id, q.reason,
           case q.reason
             when 'paused' then q.faculty || ' is paused by ' || p.words
             when 'all_paused' then 'all work is paused by ' || p.words
             when 'unserved' then 'no running daemon serves ' || q.faculty
             when 'message' then 'the answer to message ' || q.number || ' comes first'
             when 'key' then 'other work with the same concurrency key comes first'
             when 'provider' then 'the daemons that serve ' || q.faculty || ' wait for its provider'
               || case when v_words and q.held_why is not null then ': ' || left(q.held_why, 500) else '' end
             when 'faulty' then format('claims fail on %s, %s so far (SQLSTATE %s)', case when q.of_all then 'all work of ' || q.faculty else 'it' end, case q.failures when 1 then 'once' else q.failures || ' times' end, q.sqlstate)
             when 'alone' then 'a daemon ended while it ran this work, which is therefore tried alone'
             when 'capacity' then case when q.runs >= q.most then format('%s runs %s of at most %s items', q.faculty, q.runs, q.most)
               when q.is_full then format('all places of the daemons that serve %s are taken (%s)', q.faculty, q.places)
               else format('the daemons that serve %s run one item alone, because a daemon ended while it ran it', q.faculty) end
             when 'host' then 'its files are on the host of its last daemon, which may take it first'
             else 'a daemon that serves ' || q.faculty || ' has room, and has not taken it yet' end,
           case q.reason
             when 'paused' then 'an operator resumes ' || q.faculty || p.over
             when 'all_paused' then 'an operator resumes all work' || p.over
             when 'unserved' then 'a daemon serves ' || q.faculty
             when 'message' then 'that answer has ended'
             when 'key' then 'that work has ended or waits'
             when 'provider' then 'the provider is asked again'
             when 'faulty' then case when q.of_all then 'rows of its faculty' else 'its row' end || ' can be changed again, which is tried each time after a longer pause'
             when 'alone' then 'a daemon has nothing else to do'
             when 'capacity' then 'other work has ended or waits'
             when 'host' then 'a daemon of that host takes it, or its time to do so is over and any daemon may'
             else 'a daemon takes it' end,
           greatest(q.queued_at, case q.reason when 'paused' then q.paused_at when 'all_paused' then q.paused_at
             when 'unserved' then q.gone_at when 'provider' then q.held_since
             when 'faulty' then q.faulty_since end),
           case q.reason when 'paused' then q.paused_until when 'all_paused' then q.paused_until when 'provider' then q.held_until
             when 'host' then (select max(q.updated_at + animus.host_grace(l.options)) from live l where l.faculty = q.faculty) end,
           case when q.reason in ('paused', 'all_paused') then q.paused_by end,
           case when p_plain then '{}'
             when q.reason = 'message' then animus.shown_among(array[q.before_item])
             when q.reason = 'key' then animus.shown_among(array[animus.holder_of_key(q.concurrency_key)])
             else '{}' end
      from queued q cross join lateral (
        select animus.shown_name(q.paused_by) || case when v_words and q.pause_reason <> '' then ': ' || left(q.pause_reason, 500) else '' end,
               case when q.paused_until is not null then ', or the pause ends by itself' else '' end) p (words, over)
     where q.reason is not null;
  end if;
  if v_scheduled is not null then return query
    select i.id, t.reason,
           case t.reason when 'not_before' then 'it must not run before its time'
             when 'retry' then format('attempt %s of %s failed', i.attempts, coalesce(i.max_attempts::text, '?')) || coalesce(': ' || left(i.error ->> 'message', 500), '')
             else case t.reason when 'provider' then 'its provider failed' else 'its daemon gave it back' end || coalesce(': ' || left(i.error ->> 'message', 500), '') end,
           case t.reason when 'not_before' then 'its time has come' when 'retry' then 'the next attempt may begin' when 'provider' then 'the provider is asked again'
             else 'a daemon may take it again' end,
           case t.reason when 'not_before' then i.created_at else i.updated_at end, case when isfinite(i.run_at) then i.run_at end, null, '{}'::uuid[]
      from animus.work_items i cross join lateral (
        select case when i.error is null then 'not_before' when i.error ->> 'code' <> 'work.released' then 'retry'
                    when (select bool_and(coalesce((d.faculties #>> array[i.faculty, 'held', 'until'])::timestamptz > v_now, false)) from animus.daemons d
                           where d.stopped_at is null and d.seen_at > v_now - interval '1 minute' and d.faculties ? i.faculty) then 'provider'
                    else 'released' end) t (reason)
     where i.id = any (v_scheduled);
  end if;
  if v_waiting is not null then return query
    select i.id, v.reason,
           case v.reason
             when 'approval' then case when v.tool is not null then 'a call of ' || v.tool || ' waits for approval'
               when v.subject = 'provider' then case when v_words then left(v.words, 500) else 'it asks whether it may go on with another model, because it lost its own' end
               else 'it asks for approval: ' || v.subject end
             when 'question' then 'it asks a question'
             when 'budget' then coalesce(left(v.words, 500), 'a budget is used up')
             when 'children' then case when v.wanted = 1 then 'a child has not ended' when v.mode = 'any' then format('none of %s children has ended', v.wanted)
               else format('%s of %s children have not ended', v.open, v.wanted) end
             when 'batch' then format('turn %s is %s', v.turn, case when v.sent then 'in a batch of ' || v.provider || coalesce(' (' || v.batch || ')', '') else 'to be sent in a batch of ' || v.provider end)
               || case when v_words and v.problem is not null then ': ' || left(v.problem, 500) else '' end
             else 'it waits for a time' end
             || case when v.others > 0 then format(', and %s more', v.others) else '' end,
           case v.reason
             when 'approval' then case when v.four_eyes then 'an operator decides who has neither submitted the work nor written to it' else 'an operator decides' end
             when 'question' then 'an operator answers'
             when 'budget' then 'an operator raises the limit'
             when 'children' then case when v.wanted = 1 then 'it has ended' when v.mode = 'any' then 'one of them has ended' else 'all of them have ended' end
             when 'batch' then 'the provider has answered'
             else 'its time has come, or a message wakes it' end
             || case when v.reason <> 'timer' and isfinite(v.deadline) then '; otherwise ' || case v.reason
                  when 'approval' then 'it is denied'
                  when 'question' then 'the work goes on without an answer'
                  when 'budget' then case when v.fits_later then 'the work goes on by itself' else 'the work dies' end
                  else 'the work goes on without that' end || ' at the deadline' else '' end,
           v.created_at, case when isfinite(v.deadline) then v.deadline end, case when v.reason in ('approval', 'question', 'budget') then 'operator' end,
           case when v.reason = 'children' and not p_plain then animus.shown_among(v.targets) else '{}' end
      from unnest(v_waiting) i (id) cross join lateral (
        select w.created_at, w.deadline, w.mode, w.subject, w.request ->> 'reason' as words, (w.request ->> 'four_eyes')::boolean as four_eyes,
               case w.subject when 'tool_call' then w.request ->> 'tool' end as tool, r.turn, r.provider, r.state = 'sent' as sent, b.provider_id as batch, b.problem, cardinality(w.targets) as wanted,
               -- A turn that does not fit into the whole limit does not fit into that of the next day either.
               case w.subject when 'budget' then w.request ->> 'period' <> 'none' and (w.request ->> 'needed')::numeric <= (w.request ->> 'base')::numeric end as fits_later,
               case when w.subject = 'budget' then 'budget' when w.kind = 'human' then 'question' else w.kind end as reason,
               count(*) over () - 1 as others, o.targets, coalesce(cardinality(o.targets), 0) as open
          from animus.waits w
          left join animus.batch_requests r on w.kind = 'batch' and r.work_item_id = w.work_item_id and r.id::text = w.call_id
          left join animus.batches b on b.id = r.batch_id
          left join lateral (select array_agg(t.id order by t.id) as targets from animus.work_items t where t.id = any (w.targets) and t.resolved_at is null) o on w.kind = 'children'
         where w.work_item_id = i.id and w.resolved_at is null
         order by w.subject is null, w.kind = 'timer', w.created_at limit 1) v;
  end if;
  if v_claimed is not null then return query
    select i.id, 'capacity', 'a daemon has taken it, and has no free place yet', 'one of its places is free', i.updated_at, null::timestamptz, null, '{}'::uuid[]
      from animus.work_items i where i.id = any (v_claimed) and i.updated_at < v_now - interval '2 seconds';
  end if;
end $$;
