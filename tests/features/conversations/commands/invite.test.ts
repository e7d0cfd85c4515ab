/** Promise: `/invite` of a session lets people take part, says so of somebody who has never used animus, and refuses a name that nobody has. */
import { expect, test } from 'vitest';
import { testDatabase } from '../../../support/database.ts';
import { createPerson } from '../../../support/people.ts';
import { chatSite } from '../session/driven-session.ts';

const target = testDatabase();
const { begun, chat, newFaculty } = chatSite(target);

const people = async (id: string) => {
  const rows = await target.database.query<{ actor: string; role: string }>(
    `select actor, role from animus.conversation_people where file_id = $1 and actor like 'person:%' order by actor`,
    [id],
  );
  return rows.map(({ actor, role }) => `${actor} ${role}`);
};

test('people who are known, people who are not yet, and nobody', async () => {
  await createPerson(target.database, 'alice');
  const { session, id } = await begun();
  await session.sees('the answer is queued');
  session.type('/invite person:alice\r');
  await session.sees(/^person:alice takes part$/);
  session.type('/invite person:bob\r');
  await session.sees('person:bob takes part; nobody has used animus as person:bob');
  // The end of the sentence, on a row of its own.
  await session.sees('with this name will take part');
  session.type('/invite no-such-login\r');
  await session.sees('no login of the database is named no-such-login');
  session.type('/invite\r');
  await session.sees('whom? /invite person:alice');
  expect(await people(id)).toEqual(['person:alice member', 'person:bob member']);
});

test('before anything was said, there is nothing to invite to', async () => {
  const faculty = newFaculty();
  const session = chat([faculty]);
  await session.sees(`${faculty} answers.`);
  session.type('/invite person:alice\r');
  await session.sees('there are no messages yet');
});
