-- Statements that create the roles which this database needs on another server, for a backup: pg_dump has the rights of roles, and not the
-- roles. They are the roles of animus, their members, the owners of the schemas and of the database, and anyone who has rights on them. A role that
-- exists is left as it is; a superuser also gets the passwords, as the server keeps them. Superusers themselves are left out.
-- With a role come its settings (alter role … set) and the parameters that it may set. What belongs to the database is in its dump, and pg_restore --create
-- restores it: its settings, those of roles in it, and its grants.
-- Locks: none. Raises: nothing.
create or replace function animus.role_statements() returns setof text
language plpgsql stable as $$
declare
  v_roles  oid[];
  v_secret boolean := has_table_privilege('pg_catalog.pg_authid', 'select');
  v_role   record;
  v_hash   text;
  v_lists  constant text[] := array['search_path', 'temp_tablespaces', 'session_preload_libraries', 'shared_preload_libraries', 'local_preload_libraries', 'unix_socket_directories'];
begin
  with recursive objects as (
    select n.nspowner as owner, n.nspacl as acl from pg_namespace n where n.nspname in ('animus', 'pgmq')
    union all select d.datdba, null from pg_database d where d.datname = current_database()
    union all select c.relowner, c.relacl from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname in ('animus', 'pgmq')
    union all select 0, a.attacl from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('animus', 'pgmq') and a.attacl is not null
    union all select p.proowner, p.proacl from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname in ('animus', 'pgmq')),
  named (id) as (
    select owner from objects
    union select x.grantee from objects o cross join lateral aclexplode(o.acl) x
    union select oid from pg_roles where rolname = any (animus.roles())
    union select m.member from pg_auth_members m join named on named.id = m.roleid)
  select array_agg(r.oid order by r.rolname) into v_roles
    from pg_roles r join named on named.id = r.oid where not r.rolsuper and not starts_with(r.rolname, 'pg_');
  for v_role in select * from pg_roles r where r.oid = any (v_roles) order by r.rolcanlogin, r.rolname loop
    v_hash := null;
    if v_secret then
      execute 'select rolpassword from pg_catalog.pg_authid where oid = $1' into v_hash using v_role.oid;
    end if;
    -- As a literal: no value ends it.
    return next format('do %L;', format('begin create role %I %s%s%s%s%s;%s%s exception when duplicate_object then null; end', v_role.rolname,
      case when v_role.rolcanlogin then 'login' else 'nologin' end,
      case when v_role.rolinherit then '' else ' noinherit' end,
      case when v_role.rolconnlimit >= 0 then format(' connection limit %s', v_role.rolconnlimit) else '' end,
      case when v_role.rolvaliduntil is null then '' else format(' valid until %L', v_role.rolvaliduntil) end,
      case when v_hash is null then '' else format(' password %L', v_hash) end,
      -- The catalogue keeps a list as one string of quoted names. Each name becomes a literal of its own: a role may set its settings to anything, and a superuser runs this text.
      (select string_agg(format(' alter role %I set %I = %s;', v_role.rolname, c.name, case when c.name = any (v_lists)
                then (select string_agg(quote_literal(case when starts_with(e.name[1], '"') then replace(substr(e.name[1], 2, length(e.name[1]) - 2), '""', '"') else lower(e.name[1]) end), ', ' order by e.nth)
                        from regexp_matches(c.value, '"(?:[^"]|"")*"|[^",[:space:]][^",[:space:]]*', 'g') with ordinality e (name, nth))
                else quote_literal(c.value) end), '' order by c.name)
         from pg_db_role_setting s cross join unnest(s.setconfig) l (line)
         cross join lateral (select split_part(l.line, '=', 1) as name, substr(l.line, strpos(l.line, '=') + 1) as value) c
        where s.setrole = v_role.oid and s.setdatabase = 0),
      (select string_agg(format(' grant %s on parameter %I to %I%s;', x.privilege_type, p.parname, v_role.rolname, case when x.is_grantable then ' with grant option' else '' end), '' order by p.parname)
         from pg_parameter_acl p cross join lateral aclexplode(p.paracl) x where x.grantee = v_role.oid)));
  end loop;
  return query
    select format('grant %I to %I%s;', g.rolname, r.rolname, case when bool_or(m.admin_option) then ' with admin option' else '' end)
      from pg_auth_members m join pg_roles g on g.oid = m.roleid join pg_roles r on r.oid = m.member
     where m.member = any (v_roles) and m.roleid = any (v_roles) group by g.rolname, r.rolname order by g.rolname, r.rolname;
end $$;
