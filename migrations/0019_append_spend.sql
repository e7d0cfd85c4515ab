-- What each model call cost, appended by the call; animus.roll_up_spend adds the rows up by day and removes them. No call waits for
-- another's row. It has no key: nothing ever looks for one row.
create table animus.spend_calls (
  faculty       text not null,
  model         text not null,
  day           date not null,  -- UTC
  usd           numeric(14, 6) not null,
  input_tokens  bigint not null,
  output_tokens bigint not null
);

create index spend_day on animus.spend (day);
