-- Holds the number of a migration of another branch: to be removed when that is merged.
select 1;
