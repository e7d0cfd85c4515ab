-- How limits are shown: what is used and left under each.

-- Returns the lines of budget_left and budget_shown. p_exact: as budget_use.
-- Locks: none. Raises: nothing.
create or replace function animus.budget_lines(p_id uuid, p_exact boolean) returns json
language plpgsql stable as $$
begin
  if not exists (select from animus.budget_limits) then return null; end if;
  return (
    select json_agg(json_build_object('scope', b.scope, 'subject', b.subject, 'unit', b.unit, 'period', b.period, 'ends', animus.period_end(b.period, b.starts),
             'amount', b.amount, 'spent', u.spent, 'held', u.held, 'used', u.spent + u.held, 'left', greatest(b.amount - u.spent - u.held, 0),
             'on_exceeded', b.on_exceeded) order by b.scope, b.period, b.unit)
      from animus.budget_of(p_id, animus.now()) b
      cross join lateral animus.budget_use(b.scope, b.subject, b.unit, b.period, b.starts, p_exact) u);
end $$;

-- Returns the limits that apply to an item with what is left of each, for the first message of a focus; null if none applies. As budget_shown, but a turn that has
-- ended may count as what was held for it for up to 15 seconds.
-- Locks: none. Raises: nothing.
create or replace function animus.budget_left(p_id uuid) returns json
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: reader, operator, daemon.
  select animus.budget_lines(p_id, false)
$$;

-- Returns the limits that apply to an item with what is left of each, for people: [{scope, subject, unit, period, ends, amount, spent, held, used, left,
-- on_exceeded}]; null if none applies. used: what is spent and what is held for turns under way.
-- Locks: none. Raises: nothing.
create or replace function animus.budget_shown(p_id uuid) returns json
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: reader, operator, daemon.
  select animus.budget_lines(p_id, true)
$$;

-- Returns what is used of an account, turns under way included; null without an account.
-- Locks: none. Raises: nothing.
create or replace function animus.budget_used(p_scope text, p_subject text, p_unit text, p_period text, p_starts date) returns numeric
language sql stable as $$
  select a.spent + a.held - (select coalesce(sum(s.free), 0) from animus.budget_slices s where s.account_id = a.id)
    from animus.budget_accounts a
   where a.scope = p_scope and a.subject = p_subject and a.unit = p_unit and a.period = p_period and a.starts = p_starts
$$;

drop function if exists animus.budget_use(bigint, boolean);
-- Returns what counts under a limit: what is spent, and what is held for requests under way. p_exact: as animus.costs says; else as its account says, in which a turn
-- that has ended may count for up to 15 seconds as what was held for it, which does not read the turns under way.
-- Locks: none. Raises: nothing.
create or replace function animus.budget_use(
  p_scope text, p_subject text, p_unit text, p_period text, p_starts date, p_exact boolean, out spent numeric, out held numeric)
language plpgsql stable as $$
begin
  if p_exact then
    select case p_unit when 'usd' then c.usd else c.input_tokens + c.output_tokens + c.assumed_tokens end, case p_unit when 'usd' then c.held_usd else c.held_tokens end
      into spent, held
      from animus.count_costs(p_scope, p_subject, case when p_period <> 'none' then p_starts end, (animus.period_end(p_period, p_starts) at time zone 'UTC')::date) c;
    return;
  end if;
  select coalesce(sum(a.spent + s.spent), 0), coalesce(sum(a.held - s.free - s.spent), 0) into spent, held
    from animus.budget_accounts a
    cross join lateral (select coalesce(sum(b.free), 0) as free, coalesce(sum(b.spent), 0) as spent from animus.budget_slices b where b.account_id = a.id) s
   where a.scope = p_scope and a.subject = p_subject and a.unit = p_unit and a.period = p_period and a.starts = p_starts;
end $$;

-- Returns limits of which at least 80 % is used, at most 20, for `animus status`: those of faculties and of the appliance, and those of items and roots
-- whose running focus was warned, so that its cost depends on neither the number of items nor that of their limits.
-- Locks: none. Raises: nothing.
create or replace function animus.budget_status() returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: reader, operator, daemon.
declare
  v_now timestamptz := animus.now();
begin
  if not exists (select from animus.budget_limits) then return '{"budgets": []}'; end if;
  return jsonb_build_object('budgets', coalesce((
    with general as (
      select l.scope, coalesce(l.faculty, '') as subject, l.unit, l.period, max(l.amount) filter (where l.origin = 'extension') as approved,
             coalesce(max(l.amount) filter (where l.origin = 'operator'), min(l.amount) filter (where l.origin = 'file')) as base
        from animus.budget_limits l
       where l.scope in ('faculty', 'appliance') and (l.expires_at is null or l.expires_at > v_now) group by l.scope, l.faculty, l.unit, l.period),
    warned as (
      select distinct f.work_item_id, a.scope, a.subject, a.unit
        from animus.work_items w
        join animus.foci f on f.work_item_id = w.id and f.ended_as is null
        join animus.budget_warnings n on n.focus_id = f.id
        join animus.budget_accounts a on a.id = n.account_id and a.scope in ('item', 'root')
       where w.state in ('claimed', 'running') limit 20),
    applied as (
      select g.scope, g.subject, g.unit, g.period, animus.period_start(g.period, v_now) as starts, greatest(g.approved, g.base) as amount
        from general g where g.base is not null
      union
      select b.scope, b.subject, b.unit, b.period, b.starts, b.amount
        from warned d cross join lateral animus.budget_of(d.work_item_id, v_now) b where (b.scope, b.subject, b.unit) = (d.scope, d.subject, d.unit)),
    near as (
      select p.*,
             case when a.id is null then animus.recorded_spend(p.scope, p.subject, p.unit, p.period, p.starts) else a.spent + a.held - coalesce(s.free, 0) end as used
        from applied p
        left join animus.budget_accounts a
               on (a.scope, a.subject, a.unit, a.period, a.starts) = (p.scope, p.subject, p.unit, p.period, p.starts)
        left join (select b.account_id, sum(b.free) as free from animus.budget_slices b group by b.account_id) s on s.account_id = a.id)
    select jsonb_agg(jsonb_build_object('scope', t.scope, 'subject', t.subject, 'unit', t.unit, 'period', t.period,
             'ends', animus.period_end(t.period, t.starts), 'amount', t.amount, 'spent', u.spent, 'held', u.held, 'used', u.spent + u.held)
             order by t.used / nullif(t.amount, 0) desc, t.scope, t.subject)
      from (select * from near n where n.used >= 0.8 * n.amount order by n.used / nullif(n.amount, 0) desc, n.scope, n.subject limit 20) t
      cross join lateral animus.budget_use(t.scope, t.subject, t.unit, t.period, t.starts, true) u
     where u.spent + u.held >= 0.8 * t.amount), '[]'));
end $$;

-- A function with fewer columns cannot be replaced.
do $$
begin
  if pg_get_function_result(to_regprocedure('animus.list_budgets(int)')) !~ 'lost' then drop function animus.list_budgets(int); end if;
end $$;

-- Returns all limits with what is used of each now, as `animus budget list` prints them: what is spent, with the parts of it that are estimated and lost; what
-- is held for requests under way; and spent and held as used; null for limits of each item of a faculty. One row for each limit: origin and set_by are those of what counts now (an approval, what an operator or a
-- submitter has set, or a file), base is what it is without an approval.
-- Locks: none. Raises: 42501.
create or replace function animus.list_budgets(p_limit int default 1000)
returns table (scope text, subject text, period text, unit text, amount numeric, used numeric, on_exceeded text, origin text, set_by text, set_at timestamptz, expires_at timestamptz,
               spent numeric, held numeric, base numeric, estimated numeric, lost numeric)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_now timestamptz := animus.now();
begin
  perform animus.require_operator();
  return query
    with counting as (
      select distinct on (l.scope, l.faculty, l.work_item_id, l.period, l.unit) l.*, g.base, g.then
        from animus.budget_limits l
        join lateral (
          select coalesce(max(o.amount) filter (where o.origin = 'operator'), max(o.amount) filter (where o.origin = 'submitter'), max(o.amount) filter (where o.origin = 'file')) as base,
                 (array_agg(o.on_exceeded order by o.origin = 'operator' desc) filter (where o.on_exceeded is not null))[1] as then
            from animus.budget_limits o
           where (o.scope, o.period, o.unit) = (l.scope, l.period, l.unit) and o.faculty is not distinct from l.faculty and o.work_item_id is not distinct from l.work_item_id
             and (o.expires_at is null or o.expires_at > v_now)) g on true
       where (l.expires_at is null or l.expires_at > v_now)
         -- What was approved counts while it is more than what is set, as in budget_of.
         and (l.origin <> 'extension' or l.amount > g.base
              -- What was approved for one item counts above the limit of each item, as long as the item has not ended.
              or g.base is null and exists (select from animus.work_items w where w.id = l.work_item_id and w.state not in ('completed', 'dead', 'merged', 'cancelled')))
       order by l.scope, l.faculty, l.work_item_id, l.period, l.unit, array_position(array['extension', 'operator', 'submitter', 'file'], l.origin)),
    shown as materialized (
      select c.*, coalesce(c.work_item_id::text, c.faculty) as named from counting c
       order by c.work_item_id is not null, array_position(array['appliance', 'faculty', 'root', 'item'], c.scope), coalesce(c.work_item_id::text, c.faculty), c.period, c.unit limit p_limit)
    select c.scope, c.named, c.period, c.unit, c.amount, u.spent + u.held, coalesce(c.then, b.on_exceeded), c.origin, c.set_by, c.set_at, c.expires_at, u.spent, u.held,
           coalesce(c.base, b.base), u.estimated, u.lost
      from shown c
      -- For one item, what its faculty says of each counts, too.
      left join lateral (
        select o.base, o.on_exceeded from animus.budget_of(c.work_item_id, v_now) o
         where c.work_item_id is not null and o.scope = c.scope and o.unit = c.unit and o.period = c.period) b on true
      left join lateral (
        select case c.unit when 'usd' then x.usd else x.input_tokens + x.output_tokens + x.assumed_tokens end as spent,
               case c.unit when 'usd' then x.held_usd else x.held_tokens end as held, case c.unit when 'usd' then x.estimated_usd end as estimated,
               case c.unit when 'usd' then x.lost_usd else x.assumed_tokens end as lost
          from animus.count_costs(c.scope, case when c.scope in ('item', 'root') then c.work_item_id::text else coalesce(c.faculty, '') end,
                            case when c.period <> 'none' then animus.period_start(c.period, v_now) end,
                            (animus.period_end(c.period, animus.period_start(c.period, v_now)) at time zone 'UTC')::date) x
         where c.scope not in ('item', 'root') or c.work_item_id is not null) u on true
     order by c.work_item_id is not null, array_position(array['appliance', 'faculty', 'root', 'item'], c.scope), 2, c.period, c.unit;
end $$;

-- Once, after the upgrade that counts lost requests as part of what was spent (0065): accounts that began without them get them.
do $$
begin
  insert into animus.settings (key, value) values ('losses_in_accounts_since', to_jsonb(animus.now())) on conflict (key) do nothing;
  if not found then return; end if;
  perform animus.refresh_accounts(l.scope, l.work_item_id, l.faculty, true)
     from (select distinct g.scope, case when g.faculty is null then g.work_item_id end as work_item_id, case when g.scope = 'faculty' then g.faculty end as faculty
             from animus.budget_limits g) l;
end $$;
