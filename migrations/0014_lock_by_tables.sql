-- Turns of claims and of retention are taken by locking these tables. They hold nothing: nobody but the engine may lock them, while
-- anybody who may connect can take an advisory lock, and keep it.
create table animus.claim_turn ();
create table animus.retention_turn ();
