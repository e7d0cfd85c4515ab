-- Findings that recur: one daemon at a time reads what was found and compares it; what many items have found becomes one item of work for the
-- faculty that writes skills. docs/skills.md describes it.

-- Makes the daemon the only one that looks for recurring findings, for a limited time. Calling it again extends the time. Returns the time in microseconds
-- since 1970, or null if another daemon does it. Forgets proposed findings that are older than any window.
-- Locks: the row of animus.finding_watch. Raises: nothing.
create or replace function animus.watch_findings(p_daemon_id uuid, p_for interval) returns double precision
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := animus.now();
begin
  insert into animus.finding_watch as w (daemon_id, until) values (p_daemon_id, v_now + p_for)
  on conflict (one) do update set daemon_id = excluded.daemon_id, until = excluded.until
   where w.daemon_id = excluded.daemon_id or w.until <= v_now;
  if not found then return null; end if;
  delete from animus.proposed_findings where (work_item_id, seq) in (
    select f.work_item_id, f.seq from animus.proposed_findings f where f.found_at < v_now - interval '400 days' order by f.found_at limit 1000);
  return extract(epoch from v_now) * 1000000;
end $$;

-- Lets another daemon look for recurring findings at once.
-- Locks: the row of animus.finding_watch. Raises: nothing.
create or replace function animus.leave_findings(p_daemon_id uuid) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  update animus.finding_watch set until = animus.now() where daemon_id = p_daemon_id and until > animus.now()
$$;

-- Returns findings since p_from_us, newest first: at most p_limit, older than the cursor (p_before_us, p_before_item, p_before_seq) if one is given. Times are
-- microseconds since 1970. content: the first 4,000 characters; null for findings of p_without, a faculty whose findings repeat those of others.
-- Locks: none. Raises: nothing.
create or replace function animus.recent_findings(
  p_from_us double precision, p_without text, p_limit int, p_before_us double precision default null, p_before_item uuid default null, p_before_seq int default null)
returns table (work_item_id uuid, seq int, found_us double precision, content text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off set plan_cache_mode = force_generic_plan
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_from   timestamptz := 'epoch'::timestamptz + p_from_us * interval '1 microsecond';
  v_before timestamptz := coalesce('epoch'::timestamptz + p_before_us * interval '1 microsecond', 'infinity');
begin
  return query
    with newest as (
      select l.work_item_id, l.seq, l.created_at from animus.work_ledger l
       where l.entry_type = 'finding' and l.created_at > v_from and l.created_at <= v_before
         and (p_before_us is null or (l.created_at, l.work_item_id, l.seq) < (v_before, p_before_item, p_before_seq))
       order by l.created_at desc, l.work_item_id desc, l.seq desc limit p_limit)
    select n.work_item_id, n.seq, (extract(epoch from n.created_at) * 1000000)::double precision, case when w.faculty <> p_without then left(l.content, 4000) end
      from newest n join animus.work_items w on w.id = n.work_item_id join animus.work_ledger l on l.work_item_id = n.work_item_id and l.seq = n.seq
     order by n.created_at desc, n.work_item_id desc, n.seq desc;
end $$;

-- Returns findings since p_from_us of items whose transcripts are packed, newest items first: at most p_limit items, before p_before_item if given. An item without such
-- findings is one row without content.
-- Locks: none. Raises: nothing.
create or replace function animus.packed_findings(p_from_us double precision, p_without text, p_limit int, p_before_item uuid default null)
returns table (work_item_id uuid, seq int, found_us double precision, content text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set jit = off as $$
declare
  v_from timestamptz := 'epoch'::timestamptz + p_from_us * interval '1 microsecond';
begin
  return query
    with newest as (
      select h.work_item_id, h.ledger from animus.history h
       where h.month >= animus.month_of(v_from) and (p_before_item is null or h.work_item_id < p_before_item) order by h.work_item_id desc limit p_limit)
    select n.work_item_id, l.seq, (extract(epoch from l.created_at) * 1000000)::double precision, left(l.content, 4000)
      from newest n
      left join animus.work_items w on w.id = n.work_item_id and w.faculty <> p_without and w.resolved_at > v_from
      left join lateral json_to_recordset(case when w.id is not null then n.ledger end) as l (seq int, entry_type text, content text, created_at timestamptz)
        on l.entry_type = 'finding' and l.created_at > v_from
     order by n.work_item_id desc, l.seq;
end $$;

-- Submits one item for p_faculty, which writes skills, about findings that say the same thing, and records them as proposed. p_items and p_seqs name the findings.
-- Returns {result, id, items, known}: 'proposed', with the id of the item; 'covered', fewer than p_threshold items have found it beside those (known) whose
-- finding is proposed already or is a source of a skill, or fewer than those; 'full', ten such items are open; 'open', the last proposal of it has not ended, or a person has
-- yet to decide about the skill; 'lost', the daemon no longer looks for findings. What was deleted meanwhile does not count. params of the item: entries, the newest
-- finding of each of at most 12 items ({entry: 'ID/SEQ', faculty, work, found_at, finding}, the texts cut); items: how many have found it; skills and rejected: the
-- current skills, and those rejected by a person, that have such a finding as a source.
-- Locks: the row of animus.finding_watch; as an insert. Raises: WA003, WA004, 23514.
create or replace function animus.propose_skill(p_daemon_id uuid, p_items uuid[], p_seqs int[], p_threshold int, p_faculty text) returns json
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now      timestamptz := animus.now();
  v_found    animus.named_finding[];
  v_known    uuid[];
  v_items    int;
  v_written  text[];
  v_current  text[];
  v_rejected text[];
  v_oldest   text;
  v_params   jsonb;
  v_id       uuid;
begin
  -- A second daemon waits here, and then sees what the first has recorded.
  perform from animus.finding_watch w where w.daemon_id = p_daemon_id and w.until > v_now for update;
  if not found then return json_build_object('result', 'lost'); end if;

  v_found := animus.find_named(p_items, p_seqs);
  v_known := array(select distinct f.work_item_id from unnest(v_found) f where f.proposal is not null or f.skills is not null);
  select count(distinct f.work_item_id) into v_items from unnest(v_found) f;
  if v_items - cardinality(v_known) < greatest(p_threshold, cardinality(v_known), 1) then
    return json_build_object('result', 'covered', 'items', v_items, 'known', cardinality(v_known));
  end if;
  v_written := array(select distinct s from unnest(v_found) f, unnest(string_to_array(f.skills, ' ')) s order by s limit 50);
  if exists (select from animus.work_items w where w.id in (select f.proposal from unnest(v_found) f) and w.resolved_at is null)
     or exists (select from animus.skill_versions v where v.name = any (v_written) and v.state = 'proposed') then
    return json_build_object('result', 'open', 'items', v_items, 'known', cardinality(v_known));
  end if;
  if (select count(*) from (select from animus.active_keys k where k.faculty = p_faculty and starts_with(k.dedup_key, 'findings ') limit 10) o) = 10 then
    return json_build_object('result', 'full', 'items', v_items, 'known', cardinality(v_known));
  end if;

  select f.work_item_id || '/' || f.seq into v_oldest
    from unnest(v_found) f where f.work_item_id <> all (v_known) order by f.found_at, f.work_item_id, f.seq limit 1;
  v_current := array(select v.name from animus.skill_versions v where v.name = any (v_written) and v.state = 'current' order by v.name limit 20);
  v_rejected := array(select distinct v.name from animus.skill_versions v
                       where v.name = any (v_written) and v.name <> all (v_current) and v.state = 'rejected' order by v.name limit 20);
  select jsonb_build_object('entries', jsonb_agg(e.entry order by e.nth), 'items', v_items, 'skills', v_current, 'rejected', v_rejected) into v_params from (
    select row_number() over (order by l.work_item_id = any (v_known), l.found_at desc, l.work_item_id) as nth,
           jsonb_build_object('entry', l.work_item_id || '/' || l.seq, 'faculty', w.faculty, 'work', left(w.description, 160),
                              'found_at', animus.show_time(l.found_at), 'finding', animus.cut_to_bytes(l.content, 1200)) as entry
      from (select distinct on (f.work_item_id) f.work_item_id, f.seq, f.content, f.found_at from unnest(v_found) f
             order by f.work_item_id, f.found_at desc, f.seq desc) l
      join animus.work_items w on w.id = l.work_item_id
     order by nth limit 12) e;

  insert into animus.work_items (faculty, description, params, dedup_key, source, priority)
  values (p_faculty, format('%s items of work have found the same. Write a skill from it, or improve the skill that covers it.', v_items), v_params,
          'findings ' || v_oldest, 'findings', -1)
  returning coalesce(merged_into, id) into v_id;
  insert into animus.proposed_findings (work_item_id, seq, proposal, found_at)
  select f.work_item_id, f.seq, v_id, f.found_at from unnest(v_found) f
  on conflict (work_item_id, seq) do update set proposal = excluded.proposal;
  return json_build_object('result', 'proposed', 'id', v_id, 'items', v_items, 'known', cardinality(v_known));
end $$;

-- Returns those of the named findings that still exist, with what is known of them.
-- Locks: none. Raises: nothing.
create or replace function animus.find_named(p_items uuid[], p_seqs int[]) returns animus.named_finding[]
language sql stable as $$
  with named as (select distinct k.item, k.seq from unnest(p_items, p_seqs) as k (item, seq)),
  found as (
    select n.item, n.seq, l.content, l.created_at from named n join animus.work_ledger l on l.work_item_id = n.item and l.seq = n.seq and l.entry_type = 'finding'
    union all
    select n.item, n.seq, l.content, l.created_at
      from named n join animus.history h on h.work_item_id = n.item join animus.work_items w on w.id = n.item
     cross join lateral json_to_recordset(h.ledger) as l (seq int, entry_type text, content text, created_at timestamptz)
     where l.seq = n.seq and l.entry_type = 'finding')
  select coalesce(array_agg(row(f.item, f.seq, f.content, f.created_at, p.proposal, s.skills)::animus.named_finding), '{}')
    from found f
    left join animus.proposed_findings p on p.work_item_id = f.item and p.seq = f.seq
    left join lateral (
      select string_agg(distinct e.skill, ' ') as skills from animus.skill_provenance e where e.work_item_id = f.item and e.ledger_seq = f.seq) s on true
$$;

-- Cuts a text to about that many bytes.
-- Locks: none. Raises: nothing.
create or replace function animus.cut_to_bytes(p_text text, p_bytes int) returns text
language sql immutable parallel safe as $$
  select case when octet_length(p_text) <= p_bytes then p_text
    else left(p_text, p_bytes * char_length(left(p_text, p_bytes)) / octet_length(left(p_text, p_bytes))) || ' […]' end
$$;
