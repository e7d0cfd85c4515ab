/** Bearer tokens: one's own, and for operators those of others. SQL decides who may make and revoke which (docs/people.md). */
import { z } from 'zod';
import { AnimusError } from '../../core/errors/errors.ts';
import { hashAccessToken, newAccessToken } from '../../core/secrets/access-token.ts';
import { PERSON_ROLES, SCOPES } from '../../core/work/people.ts';
import { pageOf } from '../../operations/page-of.ts';
import { id, limit, page, time, timeIn } from '../../operations/schemas.ts';
import { listVisibleTokens } from '../../store/people/people-views.ts';
import { createToken, revokeToken } from '../../store/people/tokens.ts';
import type { Visitor } from '../login/visitor.ts';
import { jsonRoute, type Route } from '../route/route.ts';
import { personName } from './people-routes.ts';

const token = z
  .object({
    id: id(),
    person: z.string(),
    label: z.string(),
    role: z.enum(PERSON_ROLES).nullable().describe('the most that it may do; null: what its person may'),
    scopes: z.array(z.enum(SCOPES)).readonly(),
    state: z.enum(['valid', 'expired', 'revoked', 'disabled']),
    created_by: z.string(),
    created_with: id().nullable().describe('the token that made it: both are revoked together'),
    created_at: time(),
    expires_at: time().nullable(),
    last_used_at: time().nullable().describe('at most a minute too early'),
    revoked_at: time().nullable(),
    revoked_by: z.string().nullable(),
  })
  .meta({ id: 'Token' });

const listTokens = jsonRoute({
  id: 'listTokens',
  method: 'GET',
  path: '/tokens',
  tag: 'people',
  summary: 'Your tokens, newest first; operators see those of all people',
  scope: 'read',
  query: z.strictObject({
    person: personName().optional().describe('only those of this person'),
    all: z.stringbool().default(false).describe('also those that are not accepted any more'),
    after: id().optional(),
    limit: limit(),
  }),
  output: page(token),
  run: async ({ tx }, { query: { person, all, after, limit: most } }) =>
    pageOf(await listVisibleTokens(tx, { person, ended: all, after, limit: most + 1 }), most, (row) => row.id),
});

const createRoute = jsonRoute({
  id: 'createToken',
  method: 'POST',
  path: '/tokens',
  tag: 'people',
  summary: 'Make a token with at most the rights of yours; operators also for people who are not operators',
  scope: 'work',
  body: z.strictObject({
    person: personName().optional().describe('default: yourself'),
    label: z.string().max(200).default('').describe('what it is for'),
    role: z.enum(PERSON_ROLES).optional().describe('the most that it may do'),
    scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length).optional().describe('default: those of your token'),
    expires_at: timeIn().optional().describe('default: when your token expires, and no later'),
  }),
  status: 201,
  output: z.object({
    id: id(),
    person: z.string(),
    person_added: z.boolean().describe('this person was not listed before'),
    token: z.string().describe('shown once: only its hash is kept'),
  }),
  errors: ['work.state', 'work.invalid'],
  secret: true,
  run: async ({ tx, visitor }, { body }) => {
    const { person = visitor.person, expires_at: expiresAt, ...rest } = body;
    if (person !== visitor.person) requireDecide(visitor);
    const secret = newAccessToken();
    const hash = hashAccessToken(secret.reveal());
    if (hash === null) throw new AnimusError('internal.bug', { detail: 'a new token is not valid' });
    const given = { ...rest, person, hash, expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt) };
    const created = await createToken(tx, given);
    return { id: created.id, person, person_added: created.personAdded, token: secret.reveal() };
  },
});

const revokeRoute = jsonRoute({
  id: 'revokeToken',
  method: 'DELETE',
  path: '/tokens/{id}',
  tag: 'people',
  summary: 'Revoke a token, and those that were made with it; operators also those of people who are not operators',
  scope: 'work',
  params: z.strictObject({ id: id() }),
  output: z.object({ id: id(), person: z.string() }),
  errors: ['work.not_found'],
  run: async ({ tx, visitor }, { path }) => {
    const person = await revokeToken(tx, path.id);
    if (person !== visitor.person) requireDecide(visitor);
    return { id: path.id, person };
  },
});

/** What is done to others needs another scope than what is done to oneself. The transaction is rolled back. */
function requireDecide({ scopes }: Visitor): void {
  if (scopes.includes('decide')) return;
  throw new AnimusError('http.forbidden', {
    detail: 'this token is not for scope decide, which tokens of others need',
  });
}

export const tokenRoutes: readonly Route[] = [listTokens, createRoute, revokeRoute];
