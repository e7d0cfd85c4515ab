/** `animus token create|list|revoke`: bearer tokens of people. */
import { ID_RULE } from '../../core/work/id-reference.ts';
import { PERSON_ROLES, SCOPES } from '../../core/work/people.ts';
import { namesOfPeople, similarPerson } from '../../store/people/listed-person.ts';
import { requireSeesAll } from '../../store/views/visible/visible-operated.ts';
import { operationCommand } from '../../terminal/command/operation-command.ts';
import { styled } from '../../terminal/view/output.ts';
import { age, shortId } from '../../terminal/view/quantities.ts';
import { cut, showTable, spare } from '../../terminal/view/table.ts';
import { createToken, listTokens, revokeToken } from './operations.ts';
import { findToken, listTokens as readTokens } from './store.ts';

const PERSON = 'the name of a person';
/** In seconds. */
const DEFAULT_LIFETIME = 90 * 86_400;

const create = operationCommand(createToken, {
  usage: 'create <person>',
  summary: 'create a token and print it, once: only its hash is stored; a person who is not listed is added',
  arguments: { person: PERSON },
  examples: [
    'animus token create alice --role operator',
    'animus token create alice --label "build server" --scopes read,work --role submitter --expires 30d',
  ],
  options: {
    label: ['--label <text>', 'what it is for; at most 200 characters'],
    role: [
      '--role <role>',
      `the most that it may do: ${PERSON_ROLES.join(', ')}; default: what the person may. The role of a person that it adds (default submitter)`,
    ],
    scopes: ['--scopes <scopes>', `what it can be used for, some of ${SCOPES.join(',')}; default: all`],
    lifetime: [
      '--expires <time>',
      'how long it is accepted, such as 12h or 90d, or never; default: 90d',
      DEFAULT_LIFETIME,
    ],
  },
  after: async (db, { result: { person, person_added: added } }) =>
    added ? similarPerson(person, await namesOfPeople(db, person)) : '',
  document: ({ input: { role, scopes = SCOPES }, result: { expiresAt, personRole, ...made } }) => ({
    id: made.id,
    person: made.person,
    role: role ?? personRole,
    scopes,
    expires_at: expiresAt,
    person_added: made.person_added,
    token: made.token,
  }),
  show(output, { input, result: { id, person, person_added: added, personRole, expiresAt, token }, after: similar }) {
    if (added) output.note(`added ${person} with role ${personRole}${similar}`);
    const until = expiresAt === null ? 'does not expire' : `is accepted until ${expiresAt.toISOString()}`;
    const role = input.role ?? personRole;
    output.note(`token ${shortId(id)} of ${person}, role ${role}, ${until}; it cannot be shown again:`);
    output.line(token);
  },
});

/** All of them: pages are for the API. */
const list = operationCommand(
  {
    ...listTokens,
    async run({ tx }, { person, all }) {
      await requireSeesAll(tx);
      return { items: await readTokens(tx, { person, all, limit: null }), next: null };
    },
  } satisfies typeof listTokens,
  {
    usage: 'list [person]',
    summary: 'list the tokens and the sessions of browsers that are accepted, with their last use',
    arguments: { person: `${PERSON}; default: all` },
    examples: ['animus token list', 'animus token list alice --all --json'],
    options: { all: ['--all', 'also those that were revoked, have expired or belong to a disabled person'] },
    document: ({ result: { items: tokens } }) => ({ tokens }),
    show(output, { input, result: { items: tokens } }) {
      if (tokens.length === 0) {
        output.note(`no tokens${input.all ? '' : ' are accepted; see --all'}; create one with: animus token create`);
        return;
      }
      const now = Date.now();
      showTable(output, tokens, [
        ['TOKEN', ({ id }) => shortId(id)],
        ['KIND', ({ kind }) => kind],
        [cut('PERSON'), ({ person }) => person],
        ['ROLE', ({ role }) => role ?? 'as person'],
        ['SCOPES', ({ scopes }) => scopes.join(',')],
        ['EXPIRES', ({ expires_at: ends }) => (ends === null ? 'never' : age(ends, now))],
        ['USED', ({ last_used_at: used }) => (used === null ? 'never' : age(used, now))],
        ['STATE', ({ state }) => styled(state, state === 'valid' ? 'green' : 'dim')],
        [spare(cut('LABEL')), ({ label }) => label],
      ]);
    },
  },
);

const revoke = operationCommand(revokeToken, {
  usage: 'revoke <id>',
  summary: 'revoke a token or end a session: it is refused from the next request on',
  arguments: { id: `the token: ${ID_RULE}` },
  examples: ['animus token revoke 4f2a9c1d'],
  find: findToken,
  document: ({ result: { id, person } }) => ({ id, person, revoked: true }),
  show: (output, { result: { id, person } }) =>
    output.line(`token ${shortId(id)} of ${person}  `, styled('revoked', 'green')),
});

export const tokenCommands = [create, list, revoke];
