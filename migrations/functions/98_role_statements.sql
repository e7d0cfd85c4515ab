-- Statements that create the roles which this database needs on another server, for a backup: pg_dump has the rights of roles, and not the
-- roles. They are the roles of animus, their members, the owners of the schemas and of the database, and whoever has rights on them. A role that
-- exists is left as it is; a superuser also gets the passwords, as the server keeps them. Superusers themselves are left out.
-- Locks: none. Raises: nothing.
create or replace function animus.role_statements() returns setof text
language plpgsql stable as $$
declare
  v_roles  oid[];
  v_secret boolean := has_table_privilege('pg_catalog.pg_authid', 'select');
  v_role   record;
  v_hash   text;
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
    return next format('do $role$ begin create role %I %s%s%s%s%s; exception when duplicate_object then null; end $role$;', v_role.rolname,
      case when v_role.rolcanlogin then 'login' else 'nologin' end,
      case when v_role.rolinherit then '' else ' noinherit' end,
      case when v_role.rolconnlimit >= 0 then format(' connection limit %s', v_role.rolconnlimit) else '' end,
      case when v_role.rolvaliduntil is null then '' else format(' valid until %L', v_role.rolvaliduntil) end,
      case when v_hash is null then '' else format(' password %L', v_hash) end);
  end loop;
  return query
    select format('grant %I to %I%s;', g.rolname, r.rolname, case when bool_or(m.admin_option) then ' with admin option' else '' end)
      from pg_auth_members m join pg_roles g on g.oid = m.roleid join pg_roles r on r.oid = m.member
     where m.member = any (v_roles) and m.roleid = any (v_roles) group by g.rolname, r.rolname order by g.rolname, r.rolname;
end $$;
