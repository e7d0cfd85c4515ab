-- What is delivered: the messages of an item enter the context of its focus, as the model gets them. Lock order: as in 22_mailbox.sql.

-- Returns whether the mailbox of an item has messages that are not delivered.
-- Locks: none. Raises: nothing.
create or replace function animus.has_undelivered(p_id uuid) returns boolean
language sql stable as $$
  select exists (select from animus.mailbox m where m.work_item_id = p_id and m.delivered_at is null and m.not_delivered is null)
$$;

-- Returns whether messages of an item are not delivered. p_keyed: the item has a dedup key; only then may it have been told of duplicates,
-- which set no flag. PostgreSQL inlines it, because it contains no query itself: an item without either costs none.
-- Locks: none. Raises: nothing.
create or replace function animus.mail_waits(p_id uuid, p_has_mail boolean, p_keyed boolean) returns boolean
language sql stable as $$ select p_has_mail is not null or p_keyed and animus.has_undelivered(p_id) $$;

-- Moves the messages of an item into the context of its focus, after a turn, and returns how many. The caller has locked the item.
-- The commit waits for the disk: what a model was sent must not be delivered again.
-- Locks: none beyond those of the caller. Raises: nothing.
create or replace function animus.deliver_mail(p_id uuid, p_focus_id uuid, p_after_turn int) returns int
language plpgsql as $$
declare
  v_now     timestamptz := animus.now();
  v_mail    animus.mailbox;
  v_content text;
  v_count   int := 0;
begin
  for v_mail in select * from animus.mailbox m where m.work_item_id = p_id and m.delivered_at is null and m.not_delivered is null order by m.id loop
    v_count := v_count + 1;
    v_content := animus.message_of(v_mail);
    insert into animus.focus_messages (focus_id, seq, after_turn, kind, content, tokens, created_at)
    values (p_focus_id, 1 + (select coalesce(max(seq), 0) from animus.focus_messages where focus_id = p_focus_id),
            p_after_turn, 'operator', v_content, ceil(octet_length(convert_to(v_content, 'UTF8')) / 3.5), v_now);
    update animus.mailbox set delivered_at = v_now, focus_id = p_focus_id, after_turn = p_after_turn where id = v_mail.id;
    -- What an item was told of a duplicate has no place among its messages before: it is written without the item's row lock.
    perform animus.add_mark(p_id, 'delivered', json_build_object('message', v_mail.id, 'author', v_mail.author, 'authorIs', v_mail.author_is,
      'text', case when v_mail.duplicate_id is not null then v_mail.text end, 'turn', p_after_turn + 1), v_now);
  end loop;
  if v_count = 0 then return 0; end if;
  update animus.work_items set has_mail = null where id = p_id and has_mail;
  perform set_config('synchronous_commit', 'on', true);
  perform animus.notify_watchers(p_id);
  return v_count;
end $$;

-- Takes back a message that was deleted before it was delivered: no turn gets it. Does nothing if it was delivered. The caller has locked the item.
-- Locks: none beyond those of the caller. Raises: nothing.
create or replace function animus.withdraw_mail(p_id uuid, p_author text, p_said_at timestamptz) returns void
language plpgsql as $$
begin
  update animus.mailbox m set not_delivered = 'it was deleted before'
   where m.work_item_id = p_id and m.author = p_author and m.created_at = p_said_at and m.delivered_at is null and m.not_delivered is null;
  if found and not exists (select from animus.mailbox m where m.work_item_id = p_id and m.delivered_at is null and m.not_delivered is null) then
    update animus.work_items w set has_mail = null where w.id = p_id and w.has_mail;
  end if;
end $$;

-- Returns the name of an actor with `?` for characters that could make it look like more than a name: line ends and invisible characters.
-- Locks: none. Raises: nothing.
create or replace function animus.shown_name(p_name text) returns text
language sql immutable parallel safe as $$
  select regexp_replace(p_name, E'[\\u0001-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u2028-\\u202e\\u2066-\\u2069]', '?', 'g')
$$;

-- Returns the name of an actor as shown_name does, in quotes.
-- Locks: none. Raises: nothing.
create or replace function animus.quoted_name(p_name text) returns text
language sql immutable parallel safe as $$
  select to_json(animus.shown_name(p_name))::text
$$;

-- Puts a text between two lines of `~`, one longer than any run of them in it, so that it cannot close its own fence. The same as `fenced` in
-- src/core/text/fence.ts.
-- Locks: none. Raises: nothing.
create or replace function animus.fenced(p_text text) returns text
language sql immutable parallel safe as $$
  select f.fence || E'\n' || p_text || E'\n' || f.fence
    from (select repeat('~', 1 + greatest(5, (select max(length(r.run[1])) from regexp_matches(p_text, '~+', 'g') as r (run)))) as fence) f
$$;

-- Returns a message as the model gets it: who sent it, in words of the engine, and its text between two lines of `~`.
-- Locks: none. Raises: nothing.
create or replace function animus.message_of(p_mail animus.mailbox) returns text
language sql stable as $$
  select case p_mail.author_is
      when 'duplicate' then format(E'# The same work was submitted again\n%s submitted it at %s%s, which was merged into yours: nobody else does it. Take into account what it adds to your task. The text between the lines of ~ is what was submitted.\n%s',
        animus.quoted_name(p_mail.author), s.at,
        ' as ' || coalesce('work item ' || animus.shown_in(p_mail.work_item_id, p_mail.duplicate_id), 'another work item'), animus.fenced(p_mail.text))
      else format(E'# Message from %s\n%s, %s, sent you this message at %s. From now on, follow it as you follow your task: it may change or add to it. The text between the lines of ~ is in that person''s own words; nothing in it comes from animus.\n%s',
        animus.quoted_name(p_mail.author), animus.quoted_name(p_mail.author),
        case p_mail.author_is when 'operator' then 'an operator of animus' when 'participant' then 'who takes part in this conversation'
          else 'who submitted this work' end, s.at, animus.fenced(p_mail.text))
    end
    from (select to_char(p_mail.created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"') as at) s
$$;

-- Ends the waits of an item that a message may interrupt, and wakes the item if no other is open. The caller has locked the item.
-- Locks: none beyond those of the caller. Raises: nothing.
create or replace function animus.interrupt_waits(p_id uuid, p_state text, p_now timestamptz) returns void
language plpgsql as $$
begin
  update animus.waits set resolved_at = p_now, result = '{"interrupted_by_message": true}'
   where work_item_id = p_id and resolved_at is null and kind in ('timer', 'children', 'human');
  if found then perform animus.wake_if_resolved(p_id, p_state, p_now); end if;
end $$;

-- Notifies those who watch an item that there is something new.
-- Locks: none. Raises: nothing.
create or replace function animus.notify_watchers(p_id uuid) returns void
language plpgsql as $$
begin
  if exists (select from animus.watches where work_item_id = p_id) then
    perform animus.notify_of('animus_ledger', p_id);
    perform animus.notify_of('animus_events', p_id);
  else
    perform animus.refuse_prepare();
  end if;
end $$;

-- What was said to the work of the actor.
create or replace view animus.own_mail with (security_barrier) as
  select m.work_item_id, m.id, m.author, m.author_is, m.text, m.wake, animus.shown_work(m.duplicate_id) as duplicate_id, m.created_at, m.delivered_at, m.after_turn, m.not_delivered
    from animus.mailbox m join animus.work_items w on w.id = m.work_item_id where w.submitted_by = (select animus.actor());
