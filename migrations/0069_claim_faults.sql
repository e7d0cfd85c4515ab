-- Items that claims leave out for a while, because they failed on them (03_faults.sql). Without a reference to the items, so that their ends do not look here:
-- claims forget those that are over. Submitters may not read it: they do not learn which work of others there is.
create table animus.claim_faults (
  work_item_id uuid primary key,
  failures     int not null,
  since        timestamptz not null,
  until        timestamptz not null,
  sqlstate     text not null);
