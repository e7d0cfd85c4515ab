-- What happened to an item and cannot be read from its rows any more: rows of waits and ends are replaced, a resumed focus only counts
-- (functions/34_events.sql). Nothing of a usual turn is written here.

create table animus.work_marks (
  work_item_id uuid        not null,
  -- In the order of the commits: whoever writes a mark holds the row lock of the item.
  seq          int         not null,
  what         text        not null check (what in ('waiting', 'resolved', 'resumed', 'delivered', 'failed', 'ended')),
  detail       json        not null default '{}',
  created_at   timestamptz not null,
  primary key (work_item_id, seq)
);

insert into animus.work_marks (work_item_id, seq, what, detail, created_at)
select w.work_item_id, row_number() over (partition by w.work_item_id order by w.created_at, w.call_id), 'waiting',
       json_build_object('call_id', w.call_id, 'kind', w.kind, 'subject', w.subject, 'hash', encode(w.request_hash, 'hex'),
         'request', left(w.request::text, 4000), 'deadline', extract(epoch from w.deadline) * 1000), w.created_at
  from animus.waits w where w.resolved_at is null;
