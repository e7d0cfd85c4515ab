-- What a schedule does when a run is due while an item of it has not ended, and the record of runs that were skipped for it.

alter table animus.schedules
  add column overlap text not null default 'allow' constraint schedules_overlap check (overlap in ('allow', 'skip', 'queue'));

alter table animus.schedule_runs
  drop constraint schedule_runs_result_check,
  drop constraint missed_has_no_item,
  add constraint schedule_runs_result_check check (result in ('fired', 'missed', 'manual', 'skipped')),
  add constraint missed_has_no_item check ((result in ('missed', 'skipped')) = (work_item_id is null));
