-- The checks of work_items move into its triggers (functions/02_intake.sql), under the same names and with the same SQLSTATE. As
-- constraints all eighteen were parsed anew by every statement that wrote a row, which was a quarter of a claim and of an end.
do $$
declare
  v_name text;
begin
  for v_name in
    select conname from pg_constraint where conrelid = 'animus.work_items'::regclass and contype = 'c' order by conname
  loop
    execute format('alter table animus.work_items drop constraint %I', v_name);
  end loop;
end $$;
