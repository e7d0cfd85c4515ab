-- What a model had said of an answer that was cut off when its work was cancelled: people have read it.

alter table animus.foci
  add column cut_off_turn int,
  add column cut_off_text text;
