-- What was lost with turns whose transcripts are packed. It reads the history without locking it; an item that has losses already was counted before (0065).
with lost as (
  select h.work_item_id, coalesce(t.provider || '/' || t.model, '(unknown)') as model, (t.begun_at at time zone 'UTC')::date as day, sum(t.lost_usd) as usd
    from animus.history h
    cross join lateral json_to_recordset(h.turns) as t (provider text, model text, lost_usd numeric, begun_at timestamptz)
   where h.turns::text ~ '"lost_usd":(0\.0*)?[1-9]' and t.lost_usd > 0 group by 1, 2, 3),
counted as (
  update animus.work_items w set lost_usd = l.usd from (select work_item_id, sum(usd) as usd from lost group by 1) l
   where w.id = l.work_item_id and w.lost_usd = 0 returning w.id, w.faculty, w.root_id)
insert into animus.spend_calls (faculty, model, day, usd, input_tokens, output_tokens, submitter, source, calls, lost_usd)
select c.faculty, l.model, l.day, 0, 0, 0, r.submitted_by, r.source, 0, l.usd
  from counted c join lost l on l.work_item_id = c.id join animus.work_items r on r.id = c.root_id;
