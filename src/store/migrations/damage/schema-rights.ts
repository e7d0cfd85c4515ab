/** Compares the rights of the roles of animus with those that the migrations give them. */
import { nameOf, rightsIn, type SchemaObject } from '../../sql/expected-objects.ts';

/** Rights of roles, told by role: somebody who revokes rights does so for many objects at once. */
export class Rights {
  readonly #roles: ReadonlySet<string>;
  readonly #changed = new Map<string, SchemaObject[]>();

  constructor(roles: ReadonlySet<string>) {
    this.#roles = roles;
  }

  compare(object: SchemaObject, there: SchemaObject): void {
    if (there.facts['grants'] === undefined) return;
    const [wanted, is] = [rightsIn(object.facts['grants']), rightsIn(there.facts['grants'])];
    for (const right of wanted)
      if (!is.has(right) && this.#roles.has(right.split(' ')[0]!)) this.#note(`lost ${right}`, object);
    // On pgmq, others may give what they like.
    if (object.name.startsWith('pgmq')) return;
    for (const right of is) if (!wanted.has(right)) this.#note(`got ${right}`, object);
  }

  #note(change: string, object: SchemaObject): void {
    this.#changed.set(change, [...(this.#changed.get(change) ?? []), object]);
  }

  /** In words, with the first of the objects. */
  differences(): { readonly object: SchemaObject; readonly what: string }[] {
    return [...this.#changed].map(([change, objects]) => {
      const [how, role, right] = change.split(' ') as [string, string, string];
      const named = objects.slice(0, MOST_NAMED).map(nameOf).join(', ');
      const more = objects.length > MOST_NAMED ? ` and ${objects.length - MOST_NAMED} more` : '';
      const who = role === 'public' ? 'everybody (public)' : `role ${role}`;
      const what = `${who} has ${how === 'lost' ? 'lost the right to' : 'a right that animus does not give, to'} ${right.toLowerCase()} on ${named}${more}`;
      return { object: objects[0]!, what };
    });
  }
}

const MOST_NAMED = 5;
