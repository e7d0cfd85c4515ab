-- Who may claim what. It comes behind what it asks: PostgreSQL inlines only functions in SQL, and these are checked when they are created.

-- Says whether a daemon may claim an item, as far as the item's own row does not rule it out. p_options: of its faculty, as for claim_ready_work. p_since: since when it can
-- be claimed. Only an item that was claimed before can have a directory somewhere, or a turn under way: a first claim costs nothing here. PostgreSQL inlines it.
-- Locks: none. Raises: nothing.
create or replace function animus.may_be_claimed(
  p_item animus.work_items, p_options jsonb, p_daemon_id uuid, p_since timestamptz, p_now timestamptz) returns boolean
language sql stable as $$
  select (p_item.lease_token is null or p_options ? 'batches' or not animus.has_turn_under_way(p_item.id))
     and (p_options ? 'budgets' or not animus.has_budget(p_item.id, p_item.faculty))
     and (p_item.lease_token is null or p_since < p_now - animus.host_grace(p_options)
          or not animus.left_to_its_host(p_item.id, p_daemon_id, p_now - animus.host_grace(p_options)))
     and (p_item.source is distinct from 'chat' or p_item.lease_token is not null or p_since < p_now - animus.host_grace(p_options)
          or not animus.left_to_host_before(p_item.id, p_daemon_id, p_now - animus.host_grace(p_options)))
$$;
