/** The mutants of a file of SQL functions and views. */
import type { Change } from './mutant.ts';
import { SQL_RULES } from './sql-rules.ts';
import { sqlTokens } from './sql-tokens.ts';

/** All changes of the rules within bodies. Some are not SQL; the server finds out. */
export function sqlChanges(source: string): Change[] {
  const tokens = sqlTokens(source);
  return tokens.flatMap((token, at) => (token.inBody ? SQL_RULES.flatMap((rule) => rule({ source, tokens, at })) : []));
}
