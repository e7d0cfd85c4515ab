/** The functions and views of migrations/functions, and which of them use which. */

export interface SqlObject {
  readonly name: string;
  readonly file: string;
  readonly start: number;
  readonly text: string;
}

export function sqlObjects(file: string, source: string): SqlObject[] {
  const heads = [...source.matchAll(/^create (?:or replace )?(?:function|procedure|view) animus\.(\w+)/gim)];
  return heads.map((head, index) => ({
    name: head[1]!,
    file,
    start: head.index,
    text: source.slice(head.index, heads[index + 1]?.index),
  }));
}

/** The names of the objects that each one calls, reads, or fires by writing to a table with a trigger. `sources`: of all files. */
export function sqlUses(objects: readonly SqlObject[], sources: readonly string[]): Map<string, Set<string>> {
  const names = new Set(objects.map(({ name }) => name));
  const fired = triggers(sources);
  const uses = new Map<string, Set<string>>();
  for (const { name, text } of objects) {
    const used = uses.get(name) ?? new Set();
    for (const [, called] of text.matchAll(/animus\.(\w+)/g))
      if (names.has(called!) && called !== name) used.add(called!);
    for (const [, table] of text.matchAll(/\b(?:into|update|delete from) animus\.(\w+)/g))
      for (const trigger of fired.get(table!) ?? []) used.add(trigger);
    uses.set(name, used);
  }
  return uses;
}

/** By table, the functions of its triggers. */
function triggers(sources: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const source of sources) {
    for (const [, table, name] of source.matchAll(/\bon animus\.(\w+)[^;]*?execute function animus\.(\w+)/g))
      found.set(table!, [...(found.get(table!) ?? []), name!]);
  }
  return found;
}
