-- The audit: who decided what about which work. Decisions are append-only and chained. They contain digests of what they were about, so that
-- the chain can be checked after the item was deleted or words were erased. docs/audit.md describes chains and digests.

-- Returns the texts as one JSON array without spaces, such as `["a",null]`. Every digest of the audit is the SHA-256 of such a text in UTF-8:
-- JSON.stringify and Python's json.dumps(…, ensure_ascii=False, separators=(',', ':')) write the same bytes.
-- Locks: none. Raises: nothing.
create or replace function animus.digest_texts(variadic p_texts text[]) returns bytea
language sql stable parallel safe as $$ select sha256(convert_to(array_to_json(p_texts)::text, 'UTF8')) $$;

-- Returns a time as the audit shows it: UTC with microseconds.
-- Locks: none. Raises: nothing.
create or replace function animus.show_time(p_time timestamptz) returns text
language sql stable parallel safe as $$ select to_char(p_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') $$;

-- Returns the digest of a work item as it was submitted.
-- Locks: none. Raises: nothing.
create or replace function animus.digest_work(
  p_salt uuid, p_id uuid, p_faculty text, p_skill text, p_description text, p_params jsonb, p_submitted_by text, p_created_at timestamptz) returns bytea
language sql stable parallel safe as $$
  select animus.digest_texts(p_salt::text, p_id::text, p_faculty, p_skill, p_description, p_params::text, p_submitted_by, animus.show_time(p_created_at))
$$;

-- Guards the decisions. An inserted row is chained: it gets its number, its digests, the hash of the row before and its own; it names the token with which a person decided, which is not part of the hash. Later only
-- its note can be erased, together with the salt; neither is part of the hash. Rows without a hash were written by functions of the
-- previous version, and are chained by an update. Writers of a decision about an item hold its row lock; for the others, the first row of
-- the chain is locked. A plan that was made when the table was empty, and is kept, would read all of it for each row of a statement that writes many.
-- Locks: the first row of the chain. Raises: WA002, WA004.
create or replace function animus.guard_decision() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set jit = off set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  v_last record;
begin
  if tg_op = 'UPDATE' and old.hash is not null and new.note = '' and new.salt is null
     and to_jsonb(new) - '{note,salt}'::text[] = to_jsonb(old) - '{note,salt}'::text[] then
    return new;
  end if;
  if tg_op = 'DELETE' or tg_op = 'UPDATE' and old.hash is not null then
    perform animus.raise('WA002', format('decisions is append-only: %s refused', lower(tg_op)));
  end if;
  if num_nonnulls(new.seq, new.previous_hash, new.hash, new.salt, new.note_digest, new.work_digest) > 0 then
    perform animus.raise('WA004', 'the write sets a column of the chain of decisions, which the engine computes',
      p_hint => 'to restore rows from a dump, disable the triggers of animus.decisions');
  end if;

  perform animus.require_newest('a decision');
  if new.work_item_id is null then
    new.target := coalesce(new.target, '*');
    perform from animus.decisions where work_item_id is null and target = new.target and seq = 1 for update;
    select seq, hash into v_last from animus.decisions where work_item_id is null and target = new.target and seq is not null order by seq desc limit 1;
  else
    new.target := null;
    perform from animus.decisions where work_item_id = new.work_item_id and seq = 1 for update;
    select seq, hash into v_last from animus.decisions where work_item_id = new.work_item_id and seq is not null order by seq desc limit 1;
  end if;
  if tg_op = 'INSERT' then new.token_id := animus.acting_token(); end if;
  new.seq := coalesce(v_last.seq, 0) + 1;
  new.previous_hash := v_last.hash;
  new.salt := gen_random_uuid();
  new.note_digest := animus.digest_texts(new.salt::text, new.note);
  select animus.digest_work(new.salt, id, faculty, skill, description, params, submitted_by, created_at) into new.work_digest
    from animus.work_items where id = new.work_item_id;
  new.hash := animus.digest_texts(encode(new.previous_hash, 'hex'), new.id::text, new.seq::text, new.work_item_id::text, new.target, new.call_id,
    new.action, new.decided_by, animus.show_time(new.created_at), encode(new.note_digest, 'hex'), encode(new.work_digest, 'hex'),
    encode(new.subject_digest, 'hex'));
  return new;
end $$;

create or replace trigger decisions_append_only before insert or update or delete on animus.decisions
  for each row execute function animus.guard_decision();
create or replace trigger decisions_no_truncate before truncate on animus.decisions
  for each statement execute function animus.append_only();

-- Chains what functions of the previous version wrote after migration 23. Nobody inserts meanwhile: the transaction has just created the
-- trigger.
do $$
declare
  v_id bigint;
begin
  for v_id in select id from animus.decisions where hash is null order by id loop
    update animus.decisions set target = case when action in ('pause', 'resume') then split_part(note, ': ', 1) end where id = v_id;
  end loop;
end $$;

-- Erases the note of a decision, for example because it names a person, and records that as a decision of its own. The chain can still be
-- checked; the digests of this decision can no longer be compared with a text. Returns false if the note was erased before.
-- Locks: the item's row, if it still exists; waits two seconds at most. The decision. Raises: WA003, 42501, 57PA1.
create or replace function animus.erase_note(p_decision bigint) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s' as $$
declare
  v_decision record;
begin
  perform animus.require_operator();
  select work_item_id, target into v_decision from animus.decisions where id = p_decision;
  if not found then
    perform animus.raise('WA003', format('no decision %s', p_decision));
  end if;
  if v_decision.work_item_id is not null then
    perform animus.lock_work(array[v_decision.work_item_id], 10);
  end if;
  update animus.decisions set note = '', salt = null where id = p_decision and salt is not null;
  if not found then return false; end if;
  insert into animus.decisions (work_item_id, target, action, note, decided_by, created_at)
  values (v_decision.work_item_id, v_decision.target, 'erase', format('the note of decision %s', p_decision), animus.actor(), animus.now());
  return true;
end $$;

-- Keeps of deleted items who submitted them, and their digests: one statement for all items that a statement deletes, so that the insert
-- of an item records nothing.
-- Locks: none. Raises: nothing.
create or replace function animus.keep_deleted_work() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into animus.deleted_work (id, faculty, submitted_by, state, created_at, resolved_at, salt, work_digest, deleted_by, deleted_at)
  select id, faculty, submitted_by, state, created_at, resolved_at, salt,
         animus.digest_work(salt, id, faculty, skill, description, params, submitted_by, created_at), animus.actor(), animus.now()
    from (select d.*, gen_random_uuid() as salt from deleted d) d
  on conflict do nothing;
  return null;
end $$;

create or replace trigger work_items_keep_deleted after delete on animus.work_items
  referencing old table as deleted for each statement execute function animus.keep_deleted_work();

-- Every decision with its work item and with the tool call that it was about, or the turn that was the item's last when it was made.
create or replace view animus.audit as
  select d.id, d.created_at, d.decided_by, d.action, d.note, d.salt is null as erased, d.work_item_id, d.target,
         coalesce(w.faculty, g.faculty) as faculty, coalesce(w.submitted_by, g.submitted_by) as submitted_by,
         coalesce(w.created_at, g.created_at) as submitted_at, coalesce(w.state, g.state) as state, g.deleted_at,
         d.call_id, t.focus_id, t.turn, t.provider, t.model, t.begun_at as turn_begun_at, t.tool, t.input, t.call_state,
         d.seq, d.salt, encode(d.previous_hash, 'hex') as previous_hash, encode(d.hash, 'hex') as hash, encode(d.note_digest, 'hex') as note_digest,
         encode(d.work_digest, 'hex') as work_digest, encode(d.subject_digest, 'hex') as subject_digest, t.final_input, d.token_id, d.ask_id, d.subject
    from animus.decisions d
    left join animus.work_items w on w.id = d.work_item_id
    left join animus.deleted_work g on g.id = d.work_item_id
    left join lateral (
      select t.focus_id, t.turn, t.provider, t.model, t.begun_at, c.name as tool, c.input, c.final_input, c.state as call_state
        from animus.all_turns t
        left join animus.all_tool_calls c on c.work_item_id = d.work_item_id and c.focus_id = t.focus_id and c.turn = t.turn and c.call_id = d.call_id
       where t.work_item_id = d.work_item_id and t.begun_at <= d.created_at and (d.call_id is null or c.call_id is not null)
       order by t.begun_at desc limit 1) t on true;
