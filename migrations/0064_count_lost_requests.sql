-- What requests may have cost that gave nothing: counted for each turn, with and without a limit (functions/21_lost_requests.sql).
alter table animus.turns alter column reserved_usd drop not null;             -- null: what the request may cost is not known
alter table animus.turns add column open_request uuid;                        -- names the request that may be under way; null: none is, or its end is known
alter table animus.turns add column lost_requests int not null default 0;     -- may have cost something, and gave nothing
alter table animus.turns add column lost_unpriced int not null default 0;     -- of these, the ones that lost_usd does not contain, because their price is not known
alter table animus.budget_holds add column unsent boolean not null default false; -- the turn's request is not in the outbox of batches yet: it costs nothing
-- Those of daemons that run while this is applied.
update animus.turns t set open_request = gen_random_uuid()
  from animus.foci f where f.ended_as is null and t.focus_id = f.id and t.recorded_at is null and t.reserved_usd > 0;
