import { randomUUID } from 'node:crypto';

/**
 * The limits of an id: it is a key in the database, whose index accepts 2,704 bytes, and people see it, so it has no control characters and none that
 * are invisible or turn the direction of text. A call that code makes is `CALL/1`: no call of a model has such an id.
 */
const STORABLE = /^(?!.*\/\d+$)[^\p{C}\p{Zl}\p{Zp}]{1,256}$/u;

/**
 * Gives the calls of one answer their ids, the same rule for every wire: the provider's id if it can be stored and no call
 * before it has it, else an id from `make`, which must return a new one in the end. Results are sent back under the id
 * given here.
 */
export function callIds(make: () => string = randomId): (given: string) => string {
  const taken = new Set<string>();
  return (given) => {
    let id = STORABLE.test(given) ? given : make();
    while (taken.has(id)) id = make();
    taken.add(id);
    return id;
  };
}

function randomId(): string {
  return `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
}
