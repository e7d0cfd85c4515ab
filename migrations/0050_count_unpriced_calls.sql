-- What a model call cost is not known where its model has no price, or its answer no token counts. Such a call is counted beside the sums,
-- which contain the others only.
alter table animus.turns alter column cost_usd drop not null;  -- null: recorded, and not known
alter table animus.spend_calls alter column usd drop not null; -- null: not known
alter table animus.work_items add column unpriced_calls int not null default 0;
alter table animus.spend_sums add column unpriced_calls bigint not null default 0;
alter table animus.skill_outcomes add column unpriced_calls bigint not null default 0;
