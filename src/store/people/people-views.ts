/** Lists of people and tokens, for operators. Rows keep the names of their columns: `--json` prints them as they are. */
import { AnimusError } from '../../core/errors/errors.ts';
import type { PersonRole, Scope } from '../../core/work/people.ts';
import type { Queryable } from '../sql/database.ts';

export interface PersonView {
  readonly name: string;
  readonly role: PersonRole;
  readonly created_by: string;
  readonly created_at: Date;
  readonly disabled_at: Date | null;
  /** Tokens that are not revoked and have not expired. */
  readonly tokens: number;
}

/** All people by name, `*` first. */
export async function listPeople(db: Queryable): Promise<PersonView[]> {
  return db.query<PersonView>(
    `select p.name, p.role, p.created_by, p.created_at, p.disabled_at,
            (select count(*)::int from animus.tokens t where t.person = p.name and t.revoked_at is null and coalesce(t.expires_at > animus.now(), true)) as tokens
       from animus.people p order by p.name <> '*', p.name`,
  );
}

export interface TokenView {
  readonly id: string;
  readonly person: string;
  readonly label: string;
  /** The most that it may do; null: what its person may. */
  readonly role: PersonRole | null;
  readonly scopes: readonly Scope[];
  readonly created_by: string;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  /** At most a minute too early; null: never used. */
  readonly last_used_at: Date | null;
  readonly revoked_at: Date | null;
  readonly revoked_by: string | null;
  readonly state: 'valid' | 'expired' | 'revoked' | 'disabled';
}

/** The tokens of a person, or all, newest first; without `ended`, only those that are accepted. */
export async function listTokens(db: Queryable, person: string | undefined, ended: boolean): Promise<TokenView[]> {
  return db.query<TokenView>(
    `select * from (
       select t.id, t.person, t.label, t.role, t.scopes, t.created_by, t.created_at, t.expires_at, t.last_used_at, t.revoked_at, t.revoked_by,
              case when t.revoked_at is not null then 'revoked' when t.expires_at <= animus.now() then 'expired'
                   when p.disabled_at is not null then 'disabled' else 'valid' end as state
         from animus.tokens t join animus.people p on p.name = t.person where $1::text is null or t.person = $1) listed
      where $2 or state = 'valid' order by id desc`,
    [person ?? null, ended],
  );
}

/** The id of the one token that a full id, or its beginning or end of at least 4 digits, names. Errors: `usage.invalid`, `work.not_found`. */
export async function findToken(db: Queryable, reference: string): Promise<string> {
  const wanted = reference.trim().toLowerCase();
  if (!/^[0-9a-f-]{4,36}$/.test(wanted)) {
    throw new AnimusError('usage.invalid', {
      detail: 'give the id of the token, or at least 4 digits of its start or end',
    });
  }
  const found = await db.query<{ id: string }>(
    `select id from animus.tokens where starts_with(id::text, $1) or id::text like '%' || $1 order by id limit 5`,
    [wanted],
  );
  const [first, ...others] = found;
  if (first === undefined) {
    throw new AnimusError('work.not_found', {
      detail: `no token ${wanted}`,
      hint: '; list them with: animus token list --all',
    });
  }
  if (others.length === 0) return first.id;
  throw new AnimusError('usage.invalid', {
    detail: `${wanted} names several tokens: ${found.map(({ id }) => id).join(', ')}`,
  });
}
