/** `animus token create|list|revoke`: bearer tokens of people. */

import type { Command } from 'commander';
import { AnimusError } from '../../core/errors/errors.ts';
import { hashAccessToken, newAccessToken } from '../../core/secrets/access-token.ts';
import { ID_RULE } from '../../core/work/id-reference.ts';
import { PERSON_ROLES, type PersonRole, SCOPES, type Scope } from '../../core/work/people.ts';
import { similarPerson } from '../../store/people/listed-person.ts';
import { findToken, listPeople, listTokens, type TokenView } from '../../store/people/people-views.ts';
import { createToken, revokeToken } from '../../store/people/tokens.ts';
import { choice, timeSpan } from '../../terminal/command/arguments.ts';
import {
  addCommand,
  addGroup,
  type CommonOptions,
  type Invocation,
  type RunCommand,
} from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { styled } from '../../terminal/view/output.ts';
import { age, shortId } from '../../terminal/view/quantities.ts';

interface CreateOptions extends CommonOptions {
  readonly label?: string;
  readonly role?: PersonRole;
  readonly scopes?: readonly Scope[];
  readonly expires: number | 'never';
}

interface ListOptions extends CommonOptions {
  readonly all?: boolean;
}

/** The default of `--expires`, in seconds. */
const DEFAULT_LIFE_S = 90 * 86_400;

const PERSON = 'the name of a person';

/** Adds `animus token create|list|revoke`. */
export function addTokenCommands(program: Command, run: RunCommand): void {
  const group = addGroup(program, 'token', 'bearer tokens of people, for the HTTP API');
  addCommand(group, 'create <person>', {
    summary: 'create a token and print it, once: only its hash is stored; a person who is not listed is added',
    arguments: { person: PERSON },
    examples: [
      'animus token create alice --role operator',
      'animus token create alice --label "build server" --scopes read,work --role submitter --expires 30d',
    ],
  })
    .option('--label <text>', 'what it is for; at most 200 characters')
    .option(
      '--role <role>',
      `the most that it may do: ${PERSON_ROLES.join(', ')}; default: what the person may. The role of a person that it adds (default submitter)`,
      choice(PERSON_ROLES),
    )
    .option('--scopes <scopes>', `what it can be used for, some of ${SCOPES.join(',')}; default: all`, scopeList)
    .option(
      '--expires <time>',
      'how long it is accepted, such as 12h or 90d, or never; default: 90d',
      lifetime,
      DEFAULT_LIFE_S,
    )
    .action(run(createCommand));
  addCommand(group, 'list [person]', {
    summary: 'list the tokens that are accepted, with their last use',
    arguments: { person: `${PERSON}; default: all` },
    examples: ['animus token list', 'animus token list alice --all --json'],
  })
    .option('--all', 'also those that were revoked, have expired or belong to a disabled person')
    .action(run(listCommand));
  addCommand(group, 'revoke <id>', {
    summary: 'revoke a token: it is refused from the next request on',
    arguments: { id: `the token: ${ID_RULE}` },
    examples: ['animus token revoke 4f2a9c1d'],
  }).action(run(revokeCommand));
}

function scopeList(value: string): readonly Scope[] {
  return value.split(',').map((word) => choice(SCOPES)(word.trim()));
}

/** Seconds. */
function lifetime(value: string): number | 'never' {
  return value === 'never' ? value : timeSpan(value);
}

async function createCommand(invocation: Invocation, options: CreateOptions, person: string): Promise<number> {
  const { output } = invocation;
  const secret = newAccessToken().reveal();
  const hash = hashAccessToken(secret);
  if (hash === null) throw new AnimusError('internal.bug', { detail: 'a new token is not valid' });
  const expiresAt = options.expires === 'never' ? undefined : new Date(Date.now() + options.expires * 1000);
  const { role, scopes, label } = options;
  const { created, similar } = await withDatabase(invocation, async (db) => {
    const recorded = await createToken(db, { person, hash, label, role, scopes, expiresAt });
    return { created: recorded, similar: recorded.personAdded ? similarPerson(person, await listPeople(db)) : '' };
  });
  const effective = role ?? created.personRole;
  output.document({
    id: created.id,
    person,
    role: effective,
    scopes: scopes ?? SCOPES,
    expires_at: expiresAt ?? null,
    person_added: created.personAdded,
    token: secret,
  });
  if (created.personAdded) output.note(`added ${person} with role ${created.personRole}${similar}`);
  const until = expiresAt === undefined ? 'does not expire' : `is accepted until ${expiresAt.toISOString()}`;
  output.note(`token ${shortId(created.id)} of ${person}, role ${effective}, ${until}; it cannot be shown again:`);
  output.line(secret);
  return 0;
}

async function listCommand(invocation: Invocation, options: ListOptions, person: string | undefined): Promise<number> {
  const { output } = invocation;
  const tokens = await withDatabase(invocation, (db) => listTokens(db, person, options.all === true));
  output.document({ tokens });
  if (tokens.length === 0) {
    output.note(
      `no tokens${options.all === true ? '' : ' are accepted; see --all'}; create one with: animus token create`,
    );
    return 0;
  }
  const now = Date.now();
  output.table(
    [
      { title: 'TOKEN' },
      { title: 'PERSON', shrink: true },
      { title: 'ROLE' },
      { title: 'SCOPES' },
      { title: 'EXPIRES' },
      { title: 'USED' },
      { title: 'STATE' },
      { title: 'LABEL', shrink: true, optional: true },
    ],
    tokens.map((token) => rowOf(token, now)),
  );
  return 0;
}

function rowOf(token: TokenView, now: number) {
  return [
    shortId(token.id),
    token.person,
    token.role ?? 'as person',
    token.scopes.join(','),
    token.expires_at === null ? 'never' : age(token.expires_at, now),
    token.last_used_at === null ? 'never' : age(token.last_used_at, now),
    styled(token.state, token.state === 'valid' ? 'green' : 'dim'),
    token.label,
  ];
}

async function revokeCommand(invocation: Invocation, _options: CommonOptions, reference: string): Promise<number> {
  const { output } = invocation;
  const { id, person } = await withDatabase(invocation, async (db) => {
    const found = await findToken(db, reference);
    return { id: found, person: await revokeToken(db, found) };
  });
  output.document({ id, person, revoked: true });
  output.line(`token ${shortId(id)} of ${person}  `, styled('revoked', 'green'));
  return 0;
}
