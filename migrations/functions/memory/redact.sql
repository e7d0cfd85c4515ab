-- Redaction of a memory in the records of work: what stored, changed or found it has its text in tool calls, answers and messages, which stay when it is forgotten.

-- Forgets a memory, unless it is already gone, and removes its text, and those that it had before, from the records of ended work: of each task in which work
-- stored, changed or found it. Results of searches that name it are replaced as a whole; elsewhere each place where a text stands, if it has at least eight
-- characters, or is all of a `content`. Ledgers, outcomes, conversations, files and exports stay as they are. Recorded as a decision. Operators only. Returns how
-- many records were changed, in how many work items, and the items of these tasks that have not ended, whose records stay until it is called again.
-- Locks: as forget_memory; the row of each item. Raises: WA003 if there is neither the memory nor a trace of it, WA001, WA004, 42501, 57PA1.
create or replace function animus.redact_memory(
  p_id uuid, p_reason text default '', out records int, out items int, out still_open uuid[])
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '1s' as $$
declare
  v_ids   uuid[];
  v_texts text[];
  v_found uuid[];
  v_item  uuid;
  v_count int;
begin
  perform animus.require_operator();
  v_ids := array(select coalesce(g.merged_into, g.id) from animus.memories g where g.id = p_id) || p_id;
  v_ids := v_ids || array(select g.id from animus.memories g where g.merged_into = any (v_ids));
  with calls as materialized (
    select c.work_item_id, coalesce(c.final_input, c.input) ->> 'content' as content, c.details ->> 'id' = any (v_ids::text[]) as of_it
      from animus.all_tool_calls c
     where c.name like E'memory\\_%' and (c.details ->> 'id' = any (v_ids::text[]) or c.details -> 'ids' ?| v_ids::text[] or c.details -> 'merged' ?| v_ids::text[]
            or c.name = 'memory_search' and c.output ~ array_to_string(v_ids, '|')))
  select array(select distinct w.root_id from animus.work_items w
                where w.id in (select work_item_id from calls union select s.work_item_id from animus.memory_sources s where s.memory_id = any (v_ids))),
         array(select distinct t from (
           select content from calls where of_it
           union select m.content from animus.memories m where m.id = any (v_ids)
           union select s.replaced from animus.memory_sources s where s.memory_id = any (v_ids)) x (t) where t <> '' order by t)
    into v_found, v_texts;
  records := 0;
  items := 0;
  still_open := array(select w.id from animus.work_items w where w.root_id = any (v_found) and w.resolved_at is null order by w.id);
  if exists (select from animus.memories m where m.id = p_id) then
    perform animus.forget_memory(p_id, p_reason);
  elsif v_found = '{}' then
    perform animus.raise('WA003', format('no memory %s', p_id), p_id);
  else
    insert into animus.decisions (target, action, note, decided_by, created_at)
    values ('memory ' || p_id, 'erase', animus.cut_text(coalesce(p_reason, ''), 500), animus.actor(), animus.now());
  end if;
  for v_item in select w.id from animus.work_items w where w.root_id = any (v_found) and w.resolved_at is not null order by w.id loop
    v_count := animus.redact_item(v_item, v_ids, v_texts);
    records := records + v_count;
    items := items + (v_count > 0)::int;
  end loop;
exception when lock_not_available then
  perform animus.raise('57PA1', 'work that found the memory is locked by another transaction', null, 'try again');
end $$;

-- Takes texts of memories out of the records of an ended item, packed or not, and returns how many records have changed.
-- Locks: the row of the item, that of its history. Raises: 55P03.
create or replace function animus.redact_item(p_item uuid, p_ids uuid[], p_texts text[]) returns int
language plpgsql as $$
declare
  v_packed boolean;
  v_count  int;
  v_sum    int := 0;
begin
  perform from animus.work_items w where w.id = p_item for no key update;
  v_packed := exists (select from animus.history h where h.work_item_id = p_item);
  perform animus.unpack_history(p_item);
  with redacted as (
    select c.focus_id, c.turn, c.call_id,
           case when c.name = 'memory_search' and c.output ~ array_to_string(p_ids, '|') then '[redacted: a memory that was forgotten was among these results]'
                else animus.redact_text(c.output, p_texts) end as output,
           animus.redact_json(c.input, p_texts) as input, animus.redact_json(c.final_input, p_texts) as final_input,
           animus.redact_json(c.details::json, p_texts)::jsonb as details
      from animus.foci f join animus.tool_calls c on c.focus_id = f.id where f.work_item_id = p_item)
  update animus.tool_calls c set output = r.output, input = r.input, final_input = r.final_input, details = r.details
    from redacted r
   where (c.focus_id, c.turn, c.call_id) = (r.focus_id, r.turn, r.call_id)
     and (c.output, c.input::text, c.final_input::text, c.details) is distinct from (r.output, r.input::text, r.final_input::text, r.details);
  get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  with redacted as (
    select t.focus_id, t.turn, animus.redact_json(t.response, p_texts) as response
      from animus.foci f join animus.turns t on t.focus_id = f.id where f.work_item_id = p_item)
  update animus.turns t set response = r.response from redacted r
   where (t.focus_id, t.turn) = (r.focus_id, r.turn) and t.response::text is distinct from r.response::text;
  get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  with redacted as (
    select m.focus_id, m.seq, animus.redact_text(m.content, p_texts) as content
      from animus.foci f join animus.focus_messages m on m.focus_id = f.id where f.work_item_id = p_item)
  update animus.focus_messages m set content = r.content from redacted r
   where (m.focus_id, m.seq) = (r.focus_id, r.seq) and m.content is distinct from r.content;
  get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  with redacted as (select f.id, animus.redact_text(f.cut_off_text, p_texts) as text from animus.foci f where f.work_item_id = p_item)
  update animus.foci f set cut_off_text = r.text from redacted r where f.id = r.id and f.cut_off_text is distinct from r.text;
  get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  with redacted as (
    select h.focus_id, h.turn, h.event, h.call_id, h.hook, animus.redact_text(h.reason, p_texts) as reason, animus.redact_json(h.patch, p_texts) as patch
      from animus.foci f join animus.hook_runs h on h.focus_id = f.id where f.work_item_id = p_item)
  update animus.hook_runs h set reason = r.reason, patch = r.patch from redacted r
   where (h.focus_id, h.turn, h.event, h.call_id, h.hook) = (r.focus_id, r.turn, r.event, r.call_id, r.hook)
     and (h.reason, h.patch::text) is distinct from (r.reason, r.patch::text);
  get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  v_sum := v_sum + animus.redact_around(p_item, p_texts);
  if v_packed then perform animus.pack_items(array[p_item], 'infinity'); end if;
  return v_sum;
end $$;

-- Removes texts of memories from what is recorded beside the transcript of an item: requests to people and their answers, events, and messages to it.
-- Locks: none beyond those of the caller. Raises: nothing.
create or replace function animus.redact_around(p_item uuid, p_texts text[]) returns int
language plpgsql as $$
declare
  v_count int;
  v_sum   int := 0;
begin
  with redacted as (
    select w.call_id, animus.redact_json(w.request, p_texts) as request, animus.redact_json(w.result::json, p_texts)::jsonb as result from animus.waits w where w.work_item_id = p_item)
  update animus.waits w set request = r.request, result = r.result from redacted r
   where w.work_item_id = p_item and w.call_id = r.call_id and (w.request::text, w.result) is distinct from (r.request::text, r.result);
  get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  with redacted as (select k.seq, animus.redact_json(k.detail, p_texts) as detail from animus.work_marks k where k.work_item_id = p_item)
  update animus.work_marks k set detail = r.detail from redacted r where k.work_item_id = p_item and k.seq = r.seq and k.detail::text is distinct from r.detail::text;
  get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  with redacted as (select m.id, animus.redact_text(m.text, p_texts) as text from animus.mailbox m where m.work_item_id = p_item)
  update animus.mailbox m set text = r.text from redacted r where m.id = r.id and m.text is distinct from r.text;
  get diagnostics v_count = row_count; v_sum := v_sum + v_count;
  return v_sum;
end $$;

-- Returns a text without those of at least eight characters: as they are, with their further lines indented as searches show them, and as strings of JSON.
-- Locks: none. Raises: nothing.
create or replace function animus.redact_text(p_text text, p_texts text[]) returns text
language plpgsql immutable as $$
declare
  v_text text;
  v_form text;
begin
  -- Longer ones first: one may contain another.
  for v_text in select t from unnest(p_texts) t where length(t) >= 8 order by length(t) desc, t loop
    foreach v_form in array array[v_text, replace(v_text, E'\n', E'\n  ')] loop
      p_text := replace(replace(p_text, v_form, '[redacted]'), substr(to_json(v_form)::text, 2, length(to_json(v_form)::text) - 2), '[redacted]');
    end loop;
  end loop;
  return p_text;
end $$;

-- Returns JSON whose strings are without these texts; where none has any, as it was, byte for byte. An element that is signed, such as a thought of a model, is
-- left out where it has one: a provider would refuse it with other words.
-- Locks: none. Raises: nothing.
create or replace function animus.redact_json(p_json json, p_texts text[], p_key text default null) returns json
language plpgsql immutable as $$
declare
  v_kind   text := json_typeof(p_json);
  v_string text;
  v_new    json;
begin
  if v_kind = 'string' then
    v_string := p_json #>> '{}';
    v_new := to_json(case when p_key = 'content' and v_string = any (p_texts) then '[redacted]' else animus.redact_text(v_string, p_texts) end);
    return case when v_new #>> '{}' = v_string then p_json else v_new end;
  elsif v_kind = 'object' then
    select json_object_agg(e.key, animus.redact_json(e.value, p_texts, e.key)) into v_new from json_each(p_json) e;
    return case when v_new is null or v_new::text::jsonb = p_json::text::jsonb then p_json else v_new end;
  elsif v_kind = 'array' then
    select coalesce(json_agg(r.value order by e.n), '[]') into v_new from json_array_elements(p_json) with ordinality e (value, n)
      cross join lateral animus.redact_json(e.value, p_texts, p_key) r (value)
     where case when json_typeof(e.value) = 'object' then e.value -> 'signature' is null or e.value::text = r.value::text else true end;
    return case when v_new is null or v_new::text::jsonb = p_json::text::jsonb then p_json else v_new end;
  end if;
  return p_json;
end $$;
