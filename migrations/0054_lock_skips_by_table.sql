-- Locked by transactions that skip a notification (functions/02_wake_up.sql). It was an advisory lock, and anybody who may connect can take one and keep it.
create table animus.skip_turn ();
