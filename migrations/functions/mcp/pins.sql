-- The tools of MCP servers that faculties may call, as people have seen and pinned them.

-- Pins the tools of a server for a faculty: p_tools is an array of objects with name, description, input_schema (an object) and
-- definition_hash. Tools that are not in it are no longer pinned. Returns the number of pinned tools.
-- Locks: the pins of the server. Raises: 42501.
create or replace function animus.pin_mcp_tools(p_faculty text, p_server text, p_tools jsonb) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now   timestamptz := animus.now();
  v_actor text := animus.actor();
  v_names text[];
begin
  perform animus.require_operator();
  v_names := array(select t ->> 'name' from jsonb_array_elements(p_tools) t order by 1);
  delete from animus.mcp_pins where faculty = p_faculty and server = p_server and not (tool = any (v_names));
  insert into animus.mcp_pins (faculty, server, tool, description, input_schema, definition_hash, pinned_by, pinned_at)
  select p_faculty, p_server, t ->> 'name', t ->> 'description', (t ->> 'input_schema')::json, t ->> 'definition_hash', v_actor, v_now
    from jsonb_array_elements(p_tools) t order by 3
  on conflict (faculty, server, tool) do update
    set description = excluded.description, input_schema = excluded.input_schema, definition_hash = excluded.definition_hash,
        pinned_by = excluded.pinned_by, pinned_at = excluded.pinned_at, problem = null, problem_at = null
    where animus.mcp_pins.definition_hash <> excluded.definition_hash or animus.mcp_pins.problem is not null;
  insert into animus.decisions (target, action, note, decided_by, created_at)
  values (p_faculty, 'pin', animus.cut_text(format('%s: tools of MCP server %s: %s', p_faculty, p_server, array_to_string(v_names, ', ')), 10000), v_actor, v_now);
  return cardinality(v_names);
end $$;

-- Records why a daemon refuses calls of a pinned tool, for people. Null: it is as it was pinned. p_hash is the hash that the daemon compared
-- with: a report about an earlier pin changes nothing.
-- Locks: the pin. Raises: nothing.
create or replace function animus.report_mcp_tool(p_faculty text, p_server text, p_tool text, p_hash text, p_problem text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update animus.mcp_pins
     set problem = animus.cut_text(p_problem, 1000), problem_at = case when p_problem is null then null else animus.now() end
   where faculty = p_faculty and server = p_server and tool = p_tool and definition_hash = p_hash
     and problem is distinct from animus.cut_text(p_problem, 1000);
end $$;
