/** Sessions of browsers: how one begins, what its page has to know, and how it ends. `GET /tokens` lists them, `DELETE /tokens/{id}` ends those of other browsers. */
import { AnimusError } from '../../core/errors/errors.ts';
import { hashAccessToken, newAccessToken } from '../../core/secrets/access-token.ts';
import { csrfToken } from '../../core/secrets/csrf-token.ts';
import type { ActingPerson } from '../../core/work/people.ts';
import { optional, text } from '../../operations/fields.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import type { Schemas } from '../../operations/schemas.ts';
import { readActingRole } from '../../store/people/acting.ts';
import * as store from './store.ts';

const session = (s: Schemas) =>
  s.z
    .object({
      id: s.id().describe('as in GET /tokens'),
      person: s.z.string(),
      actor: s.z.string().describe('as in `submitted_by` and `decided_by`'),
      role: s.words(store.personRole),
      scopes: s.z.array(s.words(store.scope)).readonly(),
      expires_at: s.time(),
      csrf: s.z.string().describe('to be sent with every change, as the header X-Animus-CSRF'),
    })
    .meta({ id: 'Session' });

export const createSession = operation({
  name: 'createSession',
  tag: 'people',
  summary: 'Log a browser in, with a token or a login link: the answer sets the cookie of its session',
  scope: 'read',
  http: { method: 'POST', path: '/sessions', status: 201, session: 'begins', maxBodyBytes: 32_768 },
  input: {
    token: optional(
      text({
        min: 1,
        max: 16_384,
        pattern: /^[\w.~+/=-]+$/,
        expected: 'a token',
        description: 'a token of animus or of the OIDC issuer; the session has at most its rights, and ends with it',
      }),
    ),
    link: optional(text({ min: 1, max: 200, description: 'the secret of a login link, which works once' })),
    label: text({ max: 200, default: '', description: 'what it is for, such as the name of the browser' }),
  },
  check: ({ token, link }) => ((token === undefined) === (link === undefined) ? 'give a token or a link' : null),
  output: session,
  async run({ tx, visitor }, { label }) {
    const { person, actor, scopes: permitted, expiresAt } = visitor!;
    const secret = newAccessToken('session');
    const hash = hashAccessToken(secret.reveal(), 'session');
    if (hash === null) throw new AnimusError('internal.bug', { detail: 'a new session is not valid' });
    const begun = await store.beginSession(tx, { hash, label, scopes: permitted, expiresAt });
    const role = await readActingRole(tx);
    return { ...begun, person, actor, role, csrf: csrfToken(secret.reveal()), session: secret };
  },
});

const showSession = operation({
  name: 'showSession',
  tag: 'people',
  summary: 'The session of this browser, and what its page sends with changes',
  scope: 'read',
  http: { method: 'GET', path: '/session' },
  input: {},
  output: session,
  errors: ['work.not_found'],
  async run({ tx, visitor }) {
    const { id, csrf, expires_at } = sessionOf(visitor!);
    const { person, actor, scopes } = visitor!;
    return { id, person, actor, role: await readActingRole(tx), scopes, expires_at, csrf };
  },
});

const endSession = operation({
  name: 'endSession',
  tag: 'people',
  summary: 'Log this browser out: its session ends, with all tokens that were made with it',
  scope: 'read',
  http: { method: 'DELETE', path: '/session', session: 'ends' },
  input: {},
  output: (s) => s.z.object({ id: s.id(), person: s.z.string() }),
  errors: ['work.not_found'],
  async run({ tx, visitor }) {
    const { id } = sessionOf(visitor!);
    return { id, person: await store.revokeToken(tx, id) };
  },
});

export const sessionOperations: readonly Operation[] = [createSession, showSession, endSession];

/** Errors: `work.not_found` for a request with a token. */
function sessionOf({ tokenId: id, csrf, expiresAt: expires_at }: ActingPerson) {
  if (id !== null && csrf !== null && expires_at !== null) return { id, csrf, expires_at };
  throw new AnimusError('work.not_found', { detail: 'this request has a token, and no session' });
}
