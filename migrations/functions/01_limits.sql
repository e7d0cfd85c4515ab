-- Size limits of texts. Submitted texts are refused above 1 MiB, and the error reports their size. Texts that the engine records are
-- never refused: they are cut, or kept whole as artifacts. The size of a json value is that of its text form. A value of up to 4 KiB
-- in storage is not decompressed to measure it, because compression turns at most 255 bytes into one.

-- Returns the size of a json value in bytes of its text form.
-- Locks: none. Raises: nothing.
create or replace function animus.json_bytes(p_value jsonb) returns int
language sql stable parallel safe as $$
  select case when pg_column_size(p_value) <= 4096 then pg_column_size(p_value) else octet_length(p_value::text) end
$$;

-- Returns whether a json value is nested more than 200 levels deep: many programs cannot write such a value, although they can read
-- it. A level takes eight bytes, so small values are not looked at unless they come compressed from another table.
-- Locks: none. Raises: nothing.
create or replace function animus.is_deep(p_value jsonb) returns boolean
language sql stable parallel safe as $$
  select (pg_column_size(p_value) > 1600 or pg_column_compression(p_value) is not null) and jsonb_path_exists(p_value, '$.**{201}')
$$;

-- Returns whether a json value consists of more than 20,000 values: elements, values of keys, and the outermost. Each takes at least four
-- bytes, so small values are not looked at unless they come compressed from another table.
-- Locks: none. Raises: nothing.
create or replace function animus.is_wide(p_value jsonb) returns boolean
language sql stable parallel safe as $$
  select (pg_column_size(p_value) > 80000 or pg_column_compression(p_value) is not null)
    and exists (select from jsonb_path_query(p_value, '$.**') offset 20000)
$$;

-- Returns what is wrong with the form of a json value that someone submits, as a clause after its name; null: nothing. Bytes are checked before.
-- Locks: none. Raises: nothing.
create or replace function animus.json_problem(p_value jsonb) returns text
language sql stable parallel safe as $$
  select case
    when animus.is_deep(p_value) then 'is nested more than 200 levels deep'
    when animus.is_wide(p_value) then 'has more than 20000 values in all: keep more in a table or file of your own and name it in params'
  end
$$;

-- Returns the size rule that a too large value of a column breaks, in the format of broken_input.
-- Locks: none. Raises: nothing.
create or replace function animus.size_rule(p_column text, p_bytes int) returns text
language sql immutable parallel safe as $$
  select format('work_items_%s_size: %s has %s bytes; at most 1048576 (1 MiB) are accepted: keep more in a table or file of your own and name it in params',
    p_column, p_column, p_bytes)
$$;

-- Returns the size rule that an inserted row breaks, in the format of broken_input, or null.
-- Locks: none. Raises: nothing.
create or replace function animus.oversized_input(p_description text, p_params jsonb, p_trigger_info jsonb, p_source text) returns text
language sql stable parallel safe as $$
  select case
    when octet_length(p_description) > 1048576 then animus.size_rule('description', octet_length(p_description))
    when octet_length(p_source) > 1024 then format('work_items_source_size: source has %s bytes; at most 1024 are accepted', octet_length(p_source))
    when pg_column_size(p_params) > 4096 and octet_length(p_params::text) > 1048576 then animus.size_rule('params', octet_length(p_params::text))
    when pg_column_size(p_trigger_info) > 4096 and octet_length(p_trigger_info::text) > 1048576
      then animus.size_rule('trigger_info', octet_length(p_trigger_info::text))
    when animus.is_deep(p_params) then 'work_items_params_depth: params ' || animus.json_problem(p_params)
    when animus.is_deep(p_trigger_info) then 'work_items_trigger_info_depth: trigger_info ' || animus.json_problem(p_trigger_info)
    when animus.is_wide(p_params) then 'work_items_params_values: params ' || animus.json_problem(p_params)
    when animus.is_wide(p_trigger_info) then 'work_items_trigger_info_values: trigger_info ' || animus.json_problem(p_trigger_info)
  end
$$;

-- Returns whether a text contains a control character, or one that is invisible or turns the direction of text.
-- Locks: none. Raises: nothing.
create or replace function animus.has_invisible(p_text text) returns boolean
language sql immutable parallel safe as $$
  select p_text ~ (E'[\\u0001-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164'
                || E'\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\U0001bca0-\\U0001bca3\\U0001d173-\\U0001d17a\\U000e0000-\\U000e0fff]')
$$;

-- Returns why a name cannot be that of a file, or null. The one rule for all files that others name: attachments, what code leaves, virtual files. Such a
-- name is one part of a path on every system: it leads nowhere else, and looks like what it is.
-- Locks: none. Raises: nothing.
create or replace function animus.file_name_problem(p_name text) returns text
language sql immutable parallel safe as $$
  select case
    when coalesce(octet_length(p_name), 0) not between 1 and 255 then 'its name must have 1 to 255 bytes'
    when p_name ~ E'[/\\\\]' then E'its name must not have a path: it contains / or \\'
    when animus.has_invisible(p_name) then 'its name contains a control character, or one that is invisible or turns the direction of text'
    when p_name ~ '^[[:space:]]|[[:space:].]$' then 'its name begins with a space, or ends with a space or a dot'
    when p_name ~* E'^(con|prn|aux|nul|conin\\$|conout\\$|(com|lpt)[0-9¹²³])[[:space:]]*(\\.|$)' then 'its name is that of a device on Windows'
  end
$$;

-- Cuts a text that the engine records to a number of characters and adds a note of its size.
-- Locks: none. Raises: nothing.
create or replace function animus.cut_text(p_text text, p_characters int default 262144) returns text
language sql immutable parallel safe as $$
  select case when octet_length(p_text) <= p_characters or char_length(p_text) <= p_characters then p_text
    else left(p_text, p_characters) || format(E'\n[cut here: the whole text has %s bytes]', octet_length(p_text)) end
$$;

-- Returns an error as it is stored: beyond 64 KiB only the fields that code reads, and the beginning of its message.
-- Locks: none. Raises: nothing.
create or replace function animus.cut_error(p_error jsonb) returns jsonb
language sql stable parallel safe as $$
  select case when animus.json_bytes(p_error) <= 65536 then p_error
    else jsonb_strip_nulls(jsonb_build_object('code', left(p_error ->> 'code', 100), 'phase', left(p_error ->> 'phase', 100),
      'ledger_kept_after', case when jsonb_typeof(p_error -> 'ledger_kept_after') = 'number' then p_error -> 'ledger_kept_after' end,
      'message', animus.cut_text(coalesce(p_error ->> 'message', p_error::text), 10000))) end
$$;

-- Returns an outcome as it is stored: beyond 1 MiB an object that names the item's artifact with the whole outcome.
-- Locks: none. Raises: nothing.
create or replace function animus.keep_outcome(p_id uuid, p_outcome jsonb) returns jsonb
language plpgsql as $$
declare
  v_artifact uuid;
  v_text     text;
begin
  if animus.json_bytes(p_outcome) <= 1048576 then return p_outcome; end if;
  v_text := p_outcome::text;
  v_artifact := animus.uuid_v7();
  insert into animus.artifacts (id, work_item_id, name, media_type, bytes, content, created_at)
  values (v_artifact, p_id, 'outcome', 'text/json; charset=utf-8', octet_length(v_text), convert_to(v_text, 'UTF8'), animus.now());
  return jsonb_build_object('truncated', true, 'bytes', octet_length(v_text), 'artifact', v_artifact, 'beginning', left(v_text, 10000));
end $$;

-- Returns an item as a daemon gets it. Work accepted by an earlier animus may be larger than a program can read: its description beyond
-- 16 MiB, and json beyond 1 MiB, are replaced by a note of where they are.
-- Locks: none. Raises: nothing.
create or replace function animus.readable_work(p_work animus.work_items) returns animus.work_items
language plpgsql as $$
begin
  if octet_length(p_work.description) > 16777216 then
    p_work.description := left(p_work.description, 262144) || format(E'\n[cut here: the whole description has %s bytes; it is in animus.work_items]', octet_length(p_work.description));
  end if;
  if animus.json_bytes(p_work.params) > 1048576 then p_work.params := animus.left_out(p_work.params); end if;
  if animus.json_bytes(p_work.trigger_info) > 1048576 then p_work.trigger_info := animus.left_out(p_work.trigger_info); end if;
  return p_work;
end $$;

-- Returns the placeholder for a json value that is too large to be read.
-- Locks: none. Raises: nothing.
create or replace function animus.left_out(p_value jsonb) returns jsonb
language sql stable parallel safe as $$
  select jsonb_build_object('left_out', format('%s bytes: too large to be read; they are in animus.work_items', octet_length(p_value::text)))
$$;
