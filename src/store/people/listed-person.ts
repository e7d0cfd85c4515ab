/** Suggests the person that was meant by a mistyped name. */
import { AnimusError } from '../../core/errors/errors.ts';
import { didYouMean } from '../../core/errors/suggest.ts';

/**
 * Refuses a name that is not listed, with the one that was probably meant. `*`, everybody who is not listed, is always accepted. `set_person` refuses the
 * name, too, but suggests no other. Error: `work.not_found`.
 */
export function requireListed(name: string, people: readonly { readonly name: string }[]): void {
  if (name === '*' || people.some((person) => person.name === name)) return;
  throw new AnimusError('work.not_found', {
    detail: `nobody is listed as ${name}${didYouMean(name, namesOf(people))}`,
    hint: `; to add them: animus person set ${name} --role submitter`,
  });
}

/** ` (did you mean NAME?)` for a person who was just added and whose name is close to that of another, else an empty text. */
export function similarPerson(added: string, people: readonly { readonly name: string }[]): string {
  return didYouMean(
    added,
    namesOf(people).filter((name) => name !== added),
  );
}

function namesOf(people: readonly { readonly name: string }[]): string[] {
  return people.map(({ name }) => name).filter((name) => name !== '*');
}
