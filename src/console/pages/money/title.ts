/** What an item is called in a list: the beginning of its description, or its id. */

const MOST_CHARS = 160;

export function titleOf({ id, description }: { readonly id: string; readonly description: string }): string {
  const [first = ''] = description.trim().split('\n', 1);
  if (first === '') return id;
  return first.length > MOST_CHARS ? `${first.slice(0, MOST_CHARS).toWellFormed()} …` : first;
}
