-- Decisions become a chain per work item (functions/19_decisions.sql): each row has a number and a hash over its own fields and the hash of
-- the row before. The columns stay nullable: functions of the previous version insert rows without them until the functions are applied,
-- which then chains those rows.
alter table animus.decisions
  add column target          text,   -- of a decision about no work item: what it is about. A faculty, or * for all
  add column subject_digest  bytea,  -- what exactly was decided, such as a tool call with its input
  add column work_digest     bytea,  -- the work item as it was then
  add column note_digest     bytea,
  add column salt            uuid,   -- makes the digests of note and work item impossible to guess; null once they were erased
  add column seq             int,
  add column previous_hash   bytea,
  add column hash            bytea;

-- One chain per work item, and one per target. They also find the decisions of an item.
create unique index decisions_chain on animus.decisions (work_item_id, seq);
create unique index decisions_target_chain on animus.decisions (target, seq) where work_item_id is null;
create index decisions_time on animus.decisions (created_at, id);
drop index animus.decisions_item;

-- Chains the decisions that there are, in the order of their ids: here, where nothing but decisions is locked. Triggers of the previous
-- version would refuse the updates. The formulas are those of functions/19_decisions.sql. Notes of pauses began with the faculty, and those
-- of resumes were the faculty.
alter table animus.decisions disable trigger user;
do $$
declare
  v_row    record;
  v_chain  text := '';
  v_seq    int;
  v_hash   bytea;
  v_before bytea;
  v_note   bytea;
  v_work   bytea;
begin
  for v_row in
    select d.*, gen_random_uuid() as new_salt, to_char(d.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as shown_at,
           coalesce(d.work_item_id::text, 'target ' || t.target) as chain, t.target as new_target,
           w.id as work_id, w.faculty, w.skill, w.description, w.params::text as params, w.submitted_by,
           to_char(w.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as submitted_at
      from animus.decisions d
      cross join lateral (select case when d.work_item_id is not null then null
                                      when d.action in ('pause', 'resume') then split_part(d.note, ': ', 1) else '*' end as target) t
      left join animus.work_items w on w.id = d.work_item_id
     order by chain, d.id
  loop
    if v_row.chain <> v_chain then
      v_chain := v_row.chain; v_seq := 0; v_hash := null;
    end if;
    v_seq := v_seq + 1;
    v_before := v_hash;
    v_note := sha256(convert_to(array_to_json(array[v_row.new_salt::text, v_row.note])::text, 'UTF8'));
    v_work := case when v_row.work_id is not null then
      sha256(convert_to(array_to_json(array[v_row.new_salt::text, v_row.work_id::text, v_row.faculty, v_row.skill, v_row.description, v_row.params,
        v_row.submitted_by, v_row.submitted_at])::text, 'UTF8')) end;
    v_hash := sha256(convert_to(array_to_json(array[encode(v_before, 'hex'), v_row.id::text, v_seq::text, v_row.work_item_id::text, v_row.new_target,
      v_row.call_id, v_row.action, v_row.decided_by, v_row.shown_at, encode(v_note, 'hex'), encode(v_work, 'hex'), null])::text, 'UTF8'));
    update animus.decisions
       set target = v_row.new_target, salt = v_row.new_salt, note_digest = v_note, work_digest = v_work, seq = v_seq, previous_hash = v_before, hash = v_hash
     where id = v_row.id;
  end loop;
end $$;
alter table animus.decisions enable trigger user;

-- What remains of a deleted work item: who submitted it, and a digest of it. No index but the key, whose ids sort by time.
create table animus.deleted_work (
  id           uuid primary key,
  faculty      text not null,
  submitted_by text,
  state        text not null,
  created_at   timestamptz not null,
  resolved_at  timestamptz,
  salt         uuid not null,
  work_digest  bytea not null,
  deleted_by   text not null,
  deleted_at   timestamptz not null
);
