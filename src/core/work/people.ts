/** What people may do who act through a gateway. SQL holds the rules (migrations/functions/01_actors.sql, 31_people.sql). */

import { type Word, wordsOf } from './words.ts';

/** In ascending order. */
export const PERSON_ROLES = wordsOf('people.role');
export type PersonRole = Word<'people.role'>;

/** What a token can be restricted to. */
export const SCOPES = wordsOf('tokens.scopes');
export type Scope = Word<'tokens.scopes'>;
