/** Tokens and people, for operators: thin calls of the SQL functions. Each change adds a row to animus.decisions. */
import type { PersonRole, Scope } from '../../core/work/people.ts';
import type { Queryable } from '../sql/database.ts';
import { toText } from '../sql/json.ts';

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
  const [row] = await db.query<RecordedToken & { readonly [column: string]: unknown }>(
    `select id, person_role as "personRole", person_added as "personAdded"
       from animus.create_token($1, $2, $3, $4, $5::text[], $6::timestamptz)`,
    [toText(person), hash, toText(label ?? ''), role ?? null, scopes ?? null, expiresAt ?? null],
  );
  return row!;
}

/** Revokes a token and returns its person. Raises `work.not_found`, `db.forbidden`. */
export async function revokeToken(db: Queryable, id: string): Promise<string> {
  const [row] = await db.query<{ person: string }>('select animus.revoke_token($1::uuid) as person', [id]);
  return row!.person;
}

export interface Person {
  /** `*` is everybody who is not listed. */
  readonly name: string;
  readonly role: PersonRole;
  readonly created_at: Date;
  readonly disabled_at: Date | null;
}

/**
 * Adds a person or changes one; what is left out stays as it is. Without a role, `disabled` is for people who are listed. Raises `work.invalid`,
 * `work.not_found`, `db.forbidden`.
 */
export async function setPerson(
  db: Queryable,
  name: string,
  change: { readonly role?: PersonRole | undefined; readonly disabled?: boolean | undefined },
): Promise<Person> {
  const [row] = await db.query<Person & { readonly [column: string]: unknown }>(
    'select name, role, created_at, disabled_at from animus.set_person($1, $2, $3)',
    [toText(name), change.role ?? null, change.disabled ?? null],
  );
  return row!;
}
