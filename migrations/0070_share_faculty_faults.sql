-- Faculties that claims leave out for a while, because everything of them that was tried failed alike (03_faults.sql). As for items, submitters may not read it.
create table animus.faculty_faults (
  faculty  text primary key,
  failures int not null,
  since    timestamptz not null,
  until    timestamptz not null,
  sqlstate text not null);
