-- Who and what model calls were for. The sums of earlier calls stay in animus.spend_days, without these columns: nobody knows them.
alter table animus.spend_calls
  add column operation text not null default 'turn', -- turn, summary, embedding
  add column submitter text; -- of the root item; null: submitted before this was recorded (0008)

-- Calls of a UTC day, added up by animus.roll_up_spend.
create table animus.spend_sums (
  day           date   not null,
  faculty       text   not null,
  model         text   not null,
  operation     text   not null,
  submitter     text   not null, -- '': unknown
  usd           numeric(14, 6) not null,
  input_tokens  bigint not null,
  output_tokens bigint not null,
  calls         bigint not null,
  primary key (day, faculty, model, operation, submitter)
) with (fillfactor = 70);

insert into animus.settings (key, value) values ('spend_details_since', to_jsonb(now())) on conflict (key) do nothing;
