/**
 * People and tokens: the shapes of their rows, and thin calls of the SQL functions. Rows are those that the actor may see; each change adds a row to
 * animus.decisions.
 */
import { findOne, type NamedKind } from '../../core/work/find-one.ts';
import { PERSON_ROLES, type PersonRole, SCOPES, type Scope } from '../../core/work/people.ts';
import { wordsOf } from '../../core/work/words.ts';
import { choice } from '../../operations/fields.ts';
import { type RowOf, row } from '../../operations/row.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { toText } from '../../store/sql/json.ts';
import { readValue } from '../../store/sql/read-value.ts';
import { requireSeesAll } from '../../store/views/visible/visible-operated.ts';

export const personRole = choice(PERSON_ROLES);
export const scope = choice(SCOPES);
const kind = choice(wordsOf('tokens.kind'));

/** Without what is counted. */
export const person = row((s) =>
  s.z.object({
    name: s.z.string().describe('`*` is everybody who is not listed'),
    role: s.words(personRole),
    created_at: s.time(),
    disabled_at: s.time().nullable(),
  }),
);
export type Person = RowOf<typeof person>;

export const listedPerson = row((s) =>
  person(s)
    .extend({ created_by: s.z.string(), tokens: s.z.int().describe('that are accepted') })
    .meta({ id: 'Person' }),
);
export type ListedPerson = RowOf<typeof listedPerson>;

/** People by name, `*` first; at most so many, or all. */
export async function listPeople(db: Queryable, most: number | null): Promise<ListedPerson[]> {
  return db.query<ListedPerson>(
    `select name, role, created_by, created_at, disabled_at, tokens from animus.visible_people order by name <> '*', name limit $1`,
    [most],
  );
}

/**
 * Adds a person or changes one; what is left out stays as it is. Without a role, `disabled` is for people who are listed. Errors: `work.invalid`,
 * `work.not_found`, `db.forbidden`.
 */
export async function setPerson(
  db: Queryable,
  name: string,
  change: { readonly role?: PersonRole | undefined; readonly disabled?: boolean | undefined },
): Promise<Person> {
  const [changed] = await db.query<Person>(
    'select name, role, created_at, disabled_at from animus.set_person($1, $2, $3)',
    [toText(name), change.role ?? null, change.disabled ?? null],
  );
  return changed!;
}

export const token = row((s) =>
  s.z
    .object({
      id: s.id(),
      kind: s.words(kind).describe('a token of a program, or the session of a browser'),
      person: s.z.string(),
      label: s.z.string(),
      role: s.words(personRole).nullable().describe('the most that it may do; null: what its person may'),
      scopes: s.z.array(s.words(scope)).readonly(),
      state: s.z.enum(['valid', 'expired', 'revoked', 'disabled']),
      created_by: s.z.string(),
      created_with: s.id().nullable().describe('the token that made it: both are revoked together'),
      created_at: s.time(),
      expires_at: s.time().nullable(),
      last_used_at: s.time().nullable().describe('at most a minute too early'),
      revoked_at: s.time().nullable(),
      revoked_by: s.z.string().nullable(),
    })
    .meta({ id: 'Token' }),
);
export type Token = RowOf<typeof token>;

/** The tokens of a person, or all, newest first, after one of them; without `all`, only those that are accepted. `limit` null: all. */
export async function listTokens(
  db: Queryable,
  wanted: {
    readonly person: string | undefined;
    readonly all: boolean;
    readonly after?: string | undefined;
    readonly limit: number | null;
  },
): Promise<Token[]> {
  return db.query<Token>(
    `select id, kind, person, label, role, scopes, created_by, created_at, expires_at, last_used_at, revoked_at, revoked_by, created_with, state
       from animus.visible_tokens
      where ($1::text is null or person = $1) and ($2 or state = 'valid') and ($3::uuid is null or id < $3) order by id desc limit $4`,
    [toText(wanted.person), wanted.all, wanted.after ?? null, wanted.limit],
  );
}

/** The one token that an id or a part of it names (`readIdReference`). Errors: those of `findOne`; `db.forbidden` for logins that do not see all. */
export async function findToken(db: Queryable, reference: string): Promise<{ readonly id: string }> {
  await requireSeesAll(db);
  const id = await findOne(reference, TOKENS, async ({ from, to, start, ending }) => {
    const found = await db.query<Pick<Token, 'id' | 'person' | 'label'>>(
      `select id, person, label from animus.visible_tokens
        where id between $1 and $2 or starts_with(right(id::text, 12), $3) or right(replace(id::text, '-', ''), length($4)) = $4
        order by id desc limit 6`,
      [from, to, start, ending],
    );
    return found.map((one) => ({
      id: one.id,
      about: one.label === '' ? `of ${one.person}` : `of ${one.person}, ${one.label}`,
    }));
  });
  return { id };
}

const TOKENS: NamedKind = { kind: 'token', list: 'animus token list --all' };

export interface NewToken {
  readonly person: string;
  /** SHA-256 of the token. */
  readonly hash: Buffer;
  readonly label?: string | undefined;
  /** The most that the token may do; default: what its person may. */
  readonly role?: PersonRole | undefined;
  /** Default: all. */
  readonly scopes?: readonly Scope[] | undefined;
  /** Default: never. */
  readonly expiresAt?: Date | undefined;
}

export interface RecordedToken {
  readonly id: string;
  /** The role of the person. */
  readonly personRole: PersonRole;
  /** The person was not listed before. */
  readonly personAdded: boolean;
}

/** Records a token by its hash; adds its person if it is not listed. Raises `work.invalid`, `db.forbidden`. */
export async function createToken(
  db: Queryable,
  { person, hash, label, role, scopes, expiresAt }: NewToken,
): Promise<RecordedToken> {
  const [recorded] = await db.query<RecordedToken & { readonly [column: string]: unknown }>(
    `select id, person_role as "personRole", person_added as "personAdded"
       from animus.create_token($1, $2, $3, $4, $5::text[], $6::timestamptz)`,
    [toText(person), hash, toText(label ?? ''), role ?? null, scopes ?? null, expiresAt ?? null],
  );
  return recorded!;
}

export interface NewSession {
  /** SHA-256 of its secret. */
  readonly hash: Buffer;
  readonly label: string;
  /** What its token may be used for. */
  readonly scopes: readonly Scope[];
  /** The end of its token; null: none. */
  readonly expiresAt: Date | null;
}

export interface BegunSession {
  readonly id: string;
  readonly scopes: readonly Scope[];
  readonly expires_at: Date;
}

/** Begins a session of the person that acts. Raises `http.unauthorized`, `db.forbidden` for a session. */
export async function beginSession(
  tx: Queryable,
  { hash, label, scopes, expiresAt }: NewSession,
): Promise<BegunSession> {
  const [begun] = await tx.query<BegunSession & { readonly [column: string]: unknown }>(
    'select id, scopes, expires_at from animus.begin_session($1, $2, $3::text[], $4::timestamptz)',
    [hash, toText(label), scopes, expiresAt],
  );
  return begun!;
}

export interface LoginLink {
  readonly expiresAt: Date;
  readonly personRole: PersonRole;
  /** The person was not listed before. */
  readonly personAdded: boolean;
}

/** Records a login link by its hash. `role`: of a person that it adds. Raises `work.invalid`, `work.state` for a disabled person, `db.forbidden`. */
export async function createLoginLink(
  db: Queryable,
  { person, hash, role }: { readonly person: string; readonly hash: Buffer; readonly role: PersonRole },
): Promise<LoginLink> {
  const [created] = await db.query<LoginLink & { readonly [column: string]: unknown }>(
    `select expires_at as "expiresAt", person_role as "personRole", person_added as "personAdded"
       from animus.create_login_link($1, $2, $3)`,
    [toText(person), hash, role],
  );
  return created!;
}

/** Revokes a token or a session and returns its person. Raises `work.not_found`, `db.forbidden`. */
export async function revokeToken(db: Queryable, id: string): Promise<string> {
  return readValue<string>(db, 'select animus.revoke_token($1::uuid)', [id]);
}
