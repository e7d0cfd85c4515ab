-- Attachments: images and documents that came with a work item. They are artifacts of the item, and params.attachments names them.

-- Returns the media type of a file by its first bytes, or null for a kind that no model can be shown. Text is UTF-8 without NUL.
-- Locks: none. Raises: nothing.
create or replace function animus.sniff_media_type(p_content bytea) returns text
language plpgsql immutable parallel safe as $$
begin
  if substr(p_content, 1, 8) = E'\\x89504e470d0a1a0a' then return 'image/png'; end if;
  if substr(p_content, 1, 3) = E'\\xffd8ff' then return 'image/jpeg'; end if;
  if substr(p_content, 1, 6) in ('GIF87a'::bytea, 'GIF89a'::bytea) then return 'image/gif'; end if;
  if substr(p_content, 1, 4) = 'RIFF'::bytea and substr(p_content, 9, 4) = 'WEBP'::bytea then return 'image/webp'; end if;
  if substr(p_content, 1, 5) = '%PDF-'::bytea then return 'application/pdf'; end if;
  perform convert_from(p_content, 'UTF8');
  return 'text/plain; charset=utf-8';
exception when character_not_in_repertoire or untranslatable_character then
  return null;
end $$;

-- Returns whether a PNG or WebP is incomplete, as after a download or an upload that was cut off. A provider refuses every request with it.
-- Locks: none. Raises: nothing.
create or replace function animus.is_cut_off(p_content bytea, p_type text) returns boolean
language sql immutable parallel safe as $$
  select case p_type
    when 'image/png' then position(E'\\x0000000049454e44ae426082'::bytea in p_content) = 0
    when 'image/webp' then octet_length(p_content) < 12 or octet_length(p_content)
      < 8 + get_byte(p_content, 4)::bigint + get_byte(p_content, 5) * 256::bigint + get_byte(p_content, 6) * 65536::bigint + get_byte(p_content, 7) * 16777216::bigint
    else false end
$$;

-- Attaches a file to an item that no focus has begun, normally in the transaction that inserted it: stores it as an artifact of the item
-- and adds the artifact's id to params.attachments. Returns the id; null for a merged item, which never runs and needs no file. p_name: one part of
-- a path (file_name_problem), kept in Unicode form NFC; the name that another file of the item has, however it is written, gets a number. A file has at most
-- 10 MiB, an item at most 20 files of 20 MiB together. A file of an item that answers a
-- message is a file of the workspace, too (place_attached_file).
-- Locks: the item's row, waiting two seconds at most; its conversation. Raises: WA002, WA003, WA004, 42501, 57PA1.
create or replace function animus.attach_file(p_id uuid, p_name text, p_content bytea) returns uuid
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
-- Callers: submitter, operator, daemon, gateway.
declare
  v_owner text;
  v_item  record;
  v_type  text;
  v_kept  record;
  v_file  uuid := animus.uuid_v7();
begin
  -- A caller who may not see the item does not learn that it exists, and cannot lock it.
  select submitted_by into v_owner from animus.work_items where id = p_id;
  if not found or not animus.may_see(v_owner) then
    perform animus.raise('WA003', format('no work item %s', p_id), p_id);
  end if;
  if not animus.may_add_to(v_owner) then
    raise insufficient_privilege using message = format('%I may not attach files to the work of somebody else', animus.actor());
  end if;
  perform animus.lock_work(array[p_id], 10);
  select state, source, params -> 'attachments' as attachments into v_item from animus.work_items where id = p_id;
  if v_item.state = 'merged' then return null; end if;
  if v_item.state not in ('queued', 'scheduled') or exists (select from animus.foci where work_item_id = p_id) then
    perform animus.raise('WA002', format('work item %s is %s and has begun or ended: a file can no longer be attached', p_id, v_item.state), p_id,
      'attach files in the transaction that inserts the item');
  end if;
  if jsonb_typeof(v_item.attachments) <> 'array' then
    perform animus.raise('WA004', format('params.attachments of work item %s is not a list: it names the attached files', p_id), p_id);
  end if;
  if animus.file_name_problem(p_name) is not null then
    perform animus.raise('WA004', format('an attachment is refused: %s', animus.file_name_problem(p_name)), p_id);
  end if;
  p_name := animus.free_file_name(normalize(p_name, nfc),
    array(select a.name from animus.artifacts a where a.work_item_id = p_id and a.focus_id is null));
  if coalesce(octet_length(p_content), 0) = 0 then
    perform animus.raise('WA004', format('the attachment %s is empty', quote_literal(p_name)), p_id);
  end if;
  if octet_length(p_content) > 10485760 then
    perform animus.raise('WA004', format('the attachment %s has %s bytes; at most 10485760 (10 MiB) are accepted', quote_literal(p_name), octet_length(p_content)), p_id);
  end if;
  select count(*) as files, coalesce(sum(bytes), 0) as bytes into v_kept from animus.artifacts where work_item_id = p_id and focus_id is null;
  if v_kept.files >= 20 then
    perform animus.raise('WA004', 'a work item has at most 20 attachments', p_id);
  end if;
  if v_kept.bytes + octet_length(p_content) > 20971520 then
    perform animus.raise('WA004', format('the attachments of a work item have at most 20971520 bytes (20 MiB) together; with %s they would have %s',
      quote_literal(p_name), v_kept.bytes + octet_length(p_content)), p_id);
  end if;
  v_type := animus.sniff_media_type(p_content);
  if v_type is null then
    perform animus.raise('WA004', format('the attachment %s is neither PNG, JPEG, GIF, WebP, PDF nor text in UTF-8', quote_literal(p_name)), p_id,
      'its content decides, not its name: convert the file, or keep it elsewhere and name it in params');
  end if;
  if animus.is_cut_off(p_content, v_type) then
    perform animus.raise('WA004', format('the attachment %s is cut off: its last part is missing (%s bytes of %s)', quote_literal(p_name),
      octet_length(p_content), v_type), p_id, 'attach the whole file');
  end if;
  insert into animus.artifacts (id, work_item_id, name, media_type, bytes, content, created_at)
  values (v_file, p_id, p_name, v_type, octet_length(p_content), p_content, animus.now());
  update animus.work_items set params = params || jsonb_build_object('attachments', coalesce(v_item.attachments, '[]') || to_jsonb(v_file::text)) where id = p_id;
  if v_item.source = 'chat' then perform animus.place_attached_file(p_id, v_file, p_name); end if;
  return v_file;
end $$;

-- Returns the name, with a number if one of those that are taken is the same but for the case of its letters.
-- Locks: none. Raises: nothing.
create or replace function animus.free_file_name(p_name text, p_taken text[]) returns text
language plpgsql immutable as $$
declare
  v_name text := p_name;
  v_try  int := 1;
begin
  while lower(v_name) in (select lower(normalize(t, nfc)) from unnest(p_taken) t) loop
    v_try := v_try + 1;
    v_name := regexp_replace(p_name, E'^(.+?)(\\.[^.]*)?$', format(E'\\1-%s\\2', v_try));
  end loop;
  return v_name;
end $$;

-- Records the message that shows an attachment of the item, before it is sent. p_content are its words; the bytes of p_artifact_id, if
-- there is one, are sent with them. Returns its number.
-- Locks: the item's row, as hold_lease. Raises: WA001, WA003, 57PA1.
create or replace function animus.add_attachment(p_focus_id uuid, p_token bigint, p_artifact_id uuid, p_content text, p_tokens int) returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  v_seq int;
begin
  perform animus.hold_focus(p_focus_id, p_token);
  insert into animus.focus_messages (focus_id, seq, after_turn, kind, content, tokens, artifact_id, created_at)
  values (p_focus_id, 1 + (select coalesce(max(seq), 0) from animus.focus_messages where focus_id = p_focus_id),
          coalesce((select f.turns_before from animus.foci f where f.id = p_focus_id), 0), 'attachment', p_content, p_tokens, p_artifact_id, animus.now())
  returning seq into v_seq;
  return v_seq;
end $$;

-- The files that belong to the actor's own items, attachments and large outcomes, for a role that only submits.
create or replace view animus.own_artifacts with (security_barrier) as
  select a.id, a.work_item_id, a.name, a.media_type, a.bytes, a.content, a.created_at
    from animus.artifacts a join animus.work_items w on w.id = a.work_item_id
   where a.focus_id is null and w.submitted_by = (select animus.actor())
     and not exists (select from animus.files f where f.id = a.id and f.deleted_at is not null);
