/** Events that are read for a visitor in one statement are those of a transaction that acts for the visitor. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sayInConversation } from '../../../src/features/conversations/store/messages.ts';
import { revokeToken, setPerson } from '../../../src/features/people/store.ts';
import { asVisitor, readAsVisitor, type Visitor } from '../../../src/http/login/visitor.ts';
import { beginningOf, type Place, readPlaces } from '../../../src/store/events/places.ts';
import type { EventScope } from '../../../src/store/events/read-events.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { beginAnswer, newTalk } from '../../store/conversations/begun.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { visitorFor } from '../../support/people.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';

const target = testDatabase();
const logins: string[] = [];
let gateway: Database;
beforeAll(async () => {
  gateway = openPostgres(await createLogin(target.connectionString, 'animus_gateway', logins), { poolSize: 1 });
});
afterAll(async () => {
  await gateway.close();
  await dropLogins(logins);
});

/** The visitor as one whose token came from an OIDC issuer. */
const ofIssuer = (visitor: Visitor, expiresAt: Date): Visitor => ({
  ...visitor,
  tokenId: null,
  proof: null,
  expiresAt,
  acceptedUntil: expiresAt,
});
const soon = () => new Date(Date.now() + 60_000);

async function places(): Promise<readonly Place[]> {
  const place = (kind: EventScope['kind'], id: string): Place => {
    const scope = { kind, id };
    return { scope, from: beginningOf(scope) };
  };
  const talk = await newTalk(target.database);
  await sayInConversation(target.database, talk.id, 'What is new?');
  const answer = await beginAnswer(target.database, talk);
  const work = await beginFocus(target.database);
  return [
    place('work', work.id),
    place('conversation', talk.id),
    place('work', '00000000-0000-7000-8000-000000000000'),
    place('conversation', '00000000-0000-7000-8000-000000000000'),
    place('work', answer.id),
  ];
}

test('reads what the visitor sees in a transaction, in the order of the places, with a token and with a role', async () => {
  const wanted = await places();
  const operator = await visitorFor(target.database, 'olga', 'operator');
  for (const visitor of [operator, ofIssuer(operator, soon())]) {
    const pages = await readAsVisitor(gateway, visitor, wanted);
    expect(pages.map((page) => page && page.events.length > 0)).toEqual([true, true, null, null, true]);
    expect(pages).toEqual(await asVisitor(gateway, visitor, (tx) => readPlaces(tx, wanted)));
  }
});

test('shows a stranger nothing, and nobody acts after the statement', async () => {
  const wanted = await places();
  const stranger = await visitorFor(target.database, 'sue');
  for (const visitor of [stranger, ofIssuer(stranger, soon())]) {
    expect(await readAsVisitor(gateway, visitor, wanted)).toEqual([null, null, null, null, null]);
  }
  await readAsVisitor(gateway, await visitorFor(target.database, 'olga', 'operator'), wanted);
  expect(await gateway.query(`select animus.actor() like 'person:%' as acts`)).toEqual([{ acts: false }]);
});

test('refuses a token that was revoked or has expired, and a person who was disabled', async () => {
  const wanted = await places();
  const refused = { code: 'http.unauthorized' };
  const visitor = await visitorFor(target.database, 'olga', 'operator');
  const issued = ofIssuer(visitor, new Date(Date.now() - 1000));
  await expect(readAsVisitor(gateway, issued, wanted)).rejects.toMatchObject(refused);
  await revokeToken(target.database, visitor.tokenId!);
  await expect(readAsVisitor(gateway, visitor, wanted)).rejects.toMatchObject(refused);
  const other = await visitorFor(target.database, 'olga', 'operator');
  await setPerson(target.database, 'olga', { disabled: true });
  await expect(readAsVisitor(gateway, other, wanted)).rejects.toMatchObject(refused);
  await expect(readAsVisitor(gateway, ofIssuer(other, soon()), wanted)).rejects.toMatchObject(refused);
});

test('is one statement', async () => {
  const statements: string[] = [];
  const counted: Database = {
    ...gateway,
    query: (sql, params) => {
      statements.push(sql);
      return gateway.query(sql, params);
    },
    transaction: () => Promise.reject(new Error('a transaction')),
  };
  await readAsVisitor(counted, await visitorFor(target.database, 'olga', 'operator'), await places());
  expect(statements).toHaveLength(1);
});
