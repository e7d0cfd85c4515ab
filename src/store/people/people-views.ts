/** Lists of people and tokens, for operators. Rows keep the names of their columns: `--json` prints them as they are. */

import { findOne, type NamedKind } from '../../core/work/find-one.ts';
import type { PersonRole, Scope } from '../../core/work/people.ts';
import type { Queryable } from '../sql/database.ts';
import { toText } from '../sql/json.ts';

export interface PersonView {
  readonly name: string;
  readonly role: PersonRole;
  readonly created_by: string;
  readonly created_at: Date;
  readonly disabled_at: Date | null;
  /** Tokens that are not revoked and have not expired. */
  readonly tokens: number;
}

/** People by name, `*` first, at most 10,000, as the actor may see them: none for who is not an operator. */
export async function listVisiblePeople(tx: Queryable): Promise<PersonView[]> {
  return tx.query<PersonView>(
    `select name, role, created_by, created_at, disabled_at, tokens from animus.visible_people order by name <> '*', name limit 10000`,
  );
}

/** The names of at most 10,000 people that the actor may see, with `wanted` first if it is one of them. */
export async function visibleNames(tx: Queryable, wanted: string): Promise<{ readonly name: string }[]> {
  return tx.query<{ name: string }>('select name from animus.visible_people order by name <> $1, name limit 10000', [
    toText(wanted),
  ]);
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

/** A token as the API shows it. */
export interface VisibleToken extends TokenView {
  /** The token that made it, and with which it is revoked. */
  readonly created_with: string | null;
}

/** The tokens that the actor may see, of one person where given, newest first, after one of them. */
export async function listVisibleTokens(
  tx: Queryable,
  {
    person,
    ended,
    after,
    limit,
  }: { person?: string | undefined; ended: boolean; after?: string | undefined; limit: number },
): Promise<VisibleToken[]> {
  return tx.query<VisibleToken>(
    `select id, person, label, role, scopes, created_by, created_at, expires_at, last_used_at, revoked_at, revoked_by, created_with, state
       from animus.visible_tokens
      where ($1::text is null or person = $1) and ($2 or state = 'valid') and ($3::uuid is null or id < $3) order by id desc limit $4`,
    [person === undefined ? null : toText(person), ended, after ?? null, limit],
  );
}

/** The id of the one token that an id or a part of it names (`readIdReference`). Errors: those of `findOne`. */
export async function findToken(db: Queryable, reference: string): Promise<string> {
  return findOne(reference, TOKENS, async ({ from, to, start, ending }) => {
    const found = await db.query<{ id: string; person: string; label: string }>(
      `select id, person, label from animus.tokens
        where id between $1 and $2 or starts_with(right(id::text, 12), $3) or right(replace(id::text, '-', ''), length($4)) = $4
        order by id desc limit 6`,
      [from, to, start, ending],
    );
    return found.map(({ id, person, label }) => ({
      id,
      about: label === '' ? `of ${person}` : `of ${person}, ${label}`,
    }));
  });
}

const TOKENS: NamedKind = { kind: 'token', list: 'animus token list --all' };
