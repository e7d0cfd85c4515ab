-- Where the batches of a request are: the provider as what it is, whichever name it has later. Rows from before have its name.
alter table animus.batches add column place text;
update animus.batches set place = provider;
alter table animus.batches alter column place set not null,
  drop constraint batches_provider_provider_id_key,
  add constraint batches_place_provider_id_key unique (place, provider_id);
drop index animus.batches_open;
create index batches_open on animus.batches (place, created_at) where state <> 'ended';

alter table animus.batch_requests add column place text;
update animus.batch_requests set place = provider;
alter table animus.batch_requests alter column place set not null;
drop index animus.batch_requests_outbox;
create index batch_requests_outbox on animus.batch_requests (place, ready_at) where state = 'waiting';

-- Where the vectors of a model were made, as what the provider is; null: not recorded.
alter table animus.memory_models add column place text;

-- The daemons that poll name their place in seconds.
delete from animus.batch_pollers;
alter table animus.batch_pollers rename column provider to place;
