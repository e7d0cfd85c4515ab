/** Suggests the person that was meant by a mistyped name. */
import { AnimusError } from '../../core/errors/errors.ts';
import { didYouMean } from '../../core/errors/suggest.ts';
import type { Queryable } from '../sql/database.ts';
import { toText } from '../sql/json.ts';

/** The names of at most 10,000 people that the actor may see, with `wanted` first if it is one of them. */
export async function namesOfPeople(tx: Queryable, wanted: string): Promise<string[]> {
  const people = await tx.query<{ name: string }>(
    'select name from animus.visible_people order by name <> $1, name limit 10000',
    [toText(wanted)],
  );
  return people.map(({ name }) => name);
}

/**
 * Refuses a name that is not listed, with the one that was probably meant. `*`, everybody who is not listed, is always accepted. `set_person` refuses the
 * name, too, but suggests no other. Error: `work.not_found`.
 */
export function requireListed(name: string, people: readonly string[]): void {
  if (name === '*' || people.includes(name)) return;
  throw new AnimusError('work.not_found', {
    detail: `nobody is listed as ${name}${similarPerson(name, people)}`,
    hint: `; to add them: animus person set ${name} --role submitter`,
  });
}

/** ` (did you mean NAME?)` for a name that is close to that of another person, else an empty text. */
export function similarPerson(name: string, people: readonly string[]): string {
  return didYouMean(
    name,
    people.filter((other) => other !== name && other !== '*'),
  );
}
