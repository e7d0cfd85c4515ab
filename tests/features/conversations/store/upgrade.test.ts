/** Promise: conversations from before there were roles get owners, and contexts that may contain what only one person may see are withheld from the others. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MIGRATIONS_DIRECTORY } from '../../../../src/store/migrations/migration-files.ts';
import { testDatabase } from '../../../support/database.ts';

const target = testDatabase();

test('whoever began it is an owner; without them all who take part; where nobody is left, they get it back', async () => {
  const db = target.database;
  // As it was before: what depends on the columns goes with them.
  await db.query('alter table animus.conversation_people drop column role cascade, drop column joined_after cascade');
  await db.query('alter table animus.schedules drop column writers cascade');
  await db.query('drop trigger if exists conversation_people_mark on animus.conversation_people');
  await db.query('alter type animus.memory_filter drop attribute readers, drop attribute owners');
  const [workspace] = await db.query<{ id: string }>(
    `insert into animus.workspaces (id, name, owner, created_at) values (gen_random_uuid(), 'w', 'person:ada', now()) returning id`,
  );
  const chats: Record<string, readonly string[]> = {
    alone: ['ada'],
    two: ['ada', 'bob'],
    taken: ['bob', 'carol'],
    left: ['bob'],
    said: ['ada'],
    empty: [],
  };
  for (const [title, people] of Object.entries(chats)) {
    const [file] = await db.query<{ id: string }>(
      `insert into animus.files (id, workspace_id, path, is_virtual, kind, created_at, updated_at) values (gen_random_uuid(), $1, $2, true, 'chat', now(), now()) returning id`,
      [workspace!.id, `${title}.chat`],
    );
    await db.query(
      `insert into animus.conversations (file_id, faculty, title, created_by) values ($1, 'f', $2, 'person:ada')`,
      [file!.id, title],
    );
    for (const name of people) {
      await db.query('insert into animus.conversation_people (file_id, actor) values ($1, $2)', [
        file!.id,
        `person:${name}`,
      ]);
    }
    await db.query(
      `insert into animus.chat_messages (file_id, role, content, author, created_at) values ($1, 'user', 'x', $2, now())`,
      [file!.id, title === 'said' ? 'person:carol' : 'person:ada'],
    );
  }
  await db.query(readFileSync(join(MIGRATIONS_DIRECTORY, '0058_fix_readers.sql'), 'utf8'));
  const rows = await db.query<{ title: string; actor: string; role: string; withheld: boolean }>(
    `select c.title, p.actor, p.role, p.joined_after = (select max(m.id) from animus.chat_messages m where m.file_id = c.file_id) as withheld
       from animus.conversation_people p join animus.conversations c on c.file_id = p.file_id order by c.title, p.actor`,
  );
  expect(rows.map(({ title, actor, role, withheld }) => [title, actor.slice(7), role, withheld])).toEqual([
    ['alone', 'ada', 'owner', false],
    ['empty', 'ada', 'owner', true],
    // Nobody knows who read and asked before they left.
    ['left', 'bob', 'owner', true],
    ['said', 'ada', 'owner', true],
    ['taken', 'bob', 'owner', true],
    ['taken', 'carol', 'owner', true],
    ['two', 'ada', 'owner', true],
    ['two', 'bob', 'member', true],
  ]);
});
