/** What people may do who act through a gateway. SQL holds the rules (migrations/functions/01_actors.sql, people/people.sql). */

import { type Word, wordsOf } from './words.ts';

/** In ascending order. */
export const PERSON_ROLES = wordsOf('people.role');
export type PersonRole = Word<'people.role'>;

/** What a token can be restricted to. */
export const SCOPES = wordsOf('tokens.scopes');
export type Scope = Word<'tokens.scopes'>;

/** A person as their token was checked. SQL decides by the present state. */
export interface ActingPerson {
  /** `person:NAME`, as in `submitted_by` and `decided_by`. */
  readonly actor: string;
  /** The name alone. */
  readonly person: string;
  readonly role: PersonRole;
  /** What the token can be used for. An act asks for one of them. */
  readonly scopes: readonly Scope[];
  /** Of a token or a session; null for a token of an OIDC issuer. */
  readonly tokenId: string | null;
  /** What the page of a session sends with changes; null: no session, but a token. */
  readonly csrf: string | null;
  /** As the token says; null: never. */
  readonly expiresAt: Date | null;
}
