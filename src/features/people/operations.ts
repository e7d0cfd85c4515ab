/**
 * People and their roles, for operators; the person who asks; and bearer tokens: their own, and for operators those of others. SQL decides who may
 * make and revoke which (docs/people.md).
 */
import { AnimusError } from '../../core/errors/errors.ts';
import { hashAccessToken, newAccessToken } from '../../core/secrets/access-token.ts';
import type { ActingPerson, PersonRole } from '../../core/work/people.ts';
import { choice, flag, id, limit, list, optional, span, terminalOnly, text, time } from '../../operations/fields.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { pageOf } from '../../operations/page-of.ts';
import { readActingRole } from '../../store/people/acting.ts';
import { namesOfPeople, requireListed } from '../../store/people/listed-person.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { requireOperator, requireSeesAll } from '../../store/views/visible/visible-operated.ts';
import { sessionOperations } from './session-operations.ts';
import * as store from './store.ts';

const NAME = { pattern: /^[^\s\p{Cc}]{1,200}$/u } as const;
const SCOPES = store.scope.words;

const showMe = operation({
  name: 'showMe',
  tag: 'people',
  summary: 'The person of the token, with its role and scopes',
  scope: 'read',
  http: { method: 'GET', path: '/me' },
  input: {},
  output: (s) =>
    s.z.object({
      person: s.z.string(),
      actor: s.z.string().describe('as in `submitted_by` and `decided_by`'),
      role: s.words(store.personRole),
      scopes: s.z.array(s.words(store.scope)).readonly(),
      token_id: s.id().nullable().describe('null: a token of an OIDC issuer'),
      expires_at: s.time().nullable(),
    }),
  async run({ tx, visitor }) {
    const { tokenId, expiresAt, ...me } = visitor!;
    return { ...me, role: await readActingRole(tx), token_id: tokenId, expires_at: expiresAt };
  },
});

export const listPeople = operation({
  name: 'listPeople',
  tag: 'people',
  summary: 'The listed people, with their roles; for operators',
  scope: 'decide',
  http: { method: 'GET', path: '/people' },
  input: {},
  output: (s) => s.z.object({ items: s.z.array(store.listedPerson(s)) }),
  async run({ tx, visitor }) {
    await requireSeesPeople(tx, visitor);
    return { items: await store.listPeople(tx, visitor === null ? null : 10_000) };
  },
});

export const setPerson = operation({
  name: 'setPerson',
  tag: 'people',
  summary: 'Add, disable or enable a person, or change their role; for operators, about people who are not operators',
  scope: 'decide',
  http: { method: 'PUT', path: '/people/{name}' },
  input: {
    name: text(NAME),
    role: optional(
      choice<PersonRole>(['submitter', 'reader'], { description: 'only a login of the database makes operators' }),
    ),
    disabled: optional(
      flag({
        description:
          'a disabled person is refused, with all their tokens; without a role, only for people who are listed',
      }),
    ),
  },
  output: store.person,
  errors: ['work.invalid', 'work.not_found'],
  async run({ tx, visitor }, { name, role, disabled }) {
    if (role === undefined && disabled !== undefined) {
      await requireSeesPeople(tx, visitor);
      requireListed(name, await namesOfPeople(tx, name));
    }
    return store.setPerson(tx, name, { role, disabled });
  },
});

export const listTokens = operation({
  name: 'listTokens',
  tag: 'people',
  summary: 'Your tokens and sessions, newest first; operators see those of all people',
  scope: 'read',
  http: { method: 'GET', path: '/tokens' },
  input: {
    person: optional(text({ ...NAME, description: 'only those of this person' })),
    all: flag({ default: false, description: 'also those that are no longer accepted' }),
    after: optional(id()),
    limit: limit(),
  },
  output: (s) => s.page(store.token(s)),
  run: async ({ tx }, { limit: most, ...wanted }) =>
    pageOf(await store.listTokens(tx, { ...wanted, limit: most + 1 }), most, (row) => row.id),
});

export const createToken = operation({
  name: 'createToken',
  tag: 'people',
  summary: 'Make a token with at most the rights of yours; operators also for people who are not operators',
  scope: 'work',
  http: { method: 'POST', path: '/tokens', status: 201, secret: true },
  input: {
    person: optional(text({ ...NAME, description: 'default: yourself' })),
    label: text({ max: 200, default: '', description: 'what it is for' }),
    role: optional(choice(store.personRole.words, { description: 'the most that it may do' })),
    scopes: optional(list(store.scope, { min: 1, max: SCOPES.length, description: 'default: those of your token' })),
    expires_at: optional(time({ ahead: true, description: 'default: when your token expires, and no later' })),
    lifetime: terminalOnly(span()),
  },
  output: (s) =>
    s.z.object({
      id: s.id(),
      person: s.z.string(),
      person_added: s.z.boolean().describe('this person was not listed before'),
      token: s.z.string().describe('shown once: only its hash is kept'),
    }),
  errors: ['work.state', 'work.invalid'],
  async run({ tx, visitor }, { person: named, expires_at, lifetime, ...rest }) {
    const person = named ?? visitor!.person;
    requireOwn(visitor, person);
    const secret = newAccessToken().reveal();
    const hash = hashAccessToken(secret);
    if (hash === null) throw new AnimusError('internal.bug', { detail: 'a new token is not valid' });
    const expiresAt = typeof lifetime === 'number' ? new Date(Date.now() + lifetime * 1000) : expires_at;
    const created = await store.createToken(tx, { ...rest, person, hash, expiresAt });
    const { id: made, personAdded: person_added, personRole } = created;
    return { id: made, person, person_added, token: secret, personRole, expiresAt: expiresAt ?? null };
  },
});

export const revokeToken = operation({
  name: 'revokeToken',
  tag: 'people',
  summary:
    'Revoke a token or a session, and those that were made with it; operators also those of people who are not operators',
  scope: 'work',
  http: { method: 'DELETE', path: '/tokens/{id}' },
  input: { id: id() },
  output: (s) => s.z.object({ id: s.id(), person: s.z.string() }),
  errors: ['work.not_found'],
  async run({ tx, visitor }, input) {
    const person = await store.revokeToken(tx, input.id);
    requireOwn(visitor, person);
    return { id: input.id, person };
  },
});

export const peopleOperations: readonly Operation[] = [
  showMe,
  listPeople,
  setPerson,
  listTokens,
  createToken,
  revokeToken,
  ...sessionOperations,
];

/** Nobody would be listed otherwise. Of a terminal, every login that sees all work also sees people. */
async function requireSeesPeople(tx: Queryable, visitor: ActingPerson | null): Promise<void> {
  await (visitor === null ? requireSeesAll(tx) : requireOperator(tx));
}

/** What is done to others needs another scope than what is done to oneself. The transaction is rolled back. */
function requireOwn(visitor: ActingPerson | null, person: string): void {
  if (visitor === null || person === visitor.person || visitor.scopes.includes('decide')) return;
  throw new AnimusError('http.forbidden', {
    detail: 'this token does not have scope decide, which tokens of others need',
  });
}
