/** What was seen of other work, prepared once for all foci that share it, so that the choice for one of them looks at few rows. */
import type { AwarenessKind, AwarenessRow, AwarenessRows } from '../../store/work/awareness.ts';

/** An entry with the resources that its item's params name, and what it says (equal for rows that say the same). */
export interface SeenRow extends AwarenessRow {
  readonly resources: readonly string[];
  readonly saying: string;
}

/** The rows, newest first in each list. */
export interface AwarenessView {
  readonly asOf: string;
  readonly running: number;
  readonly byKind: ReadonlyMap<AwarenessKind, readonly SeenRow[]>;
  readonly bySaying: ReadonlyMap<string, readonly SeenRow[]>;
  /** Rows of items that name a resource. */
  readonly byResource: ReadonlyMap<string, readonly SeenRow[]>;
  /** Items that appear, and items above them. */
  readonly items: ReadonlySet<string>;
  readonly above: ReadonlySet<string>;
}

/** Prepares the rows. */
export function awarenessView({ asOf, running, rows }: AwarenessRows): AwarenessView {
  const seen = rows.map((row) => ({ ...row, resources: resourcesOf(row.params ?? {}), saying: sayingOf(row) }));
  return {
    asOf,
    running,
    byKind: Map.groupBy(seen, ({ kind }) => kind),
    bySaying: Map.groupBy(seen, ({ saying }) => saying),
    byResource: grouped(seen, ({ resources }) => resources),
    items: new Set(seen.flatMap(({ workItemId }) => workItemId ?? [])),
    above: new Set(seen.flatMap(({ ancestors }) => ancestors ?? [])),
  };
}

function grouped<Row>(rows: readonly Row[], keysOf: (row: Row) => readonly string[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    for (const key of new Set(keysOf(row))) {
      const group = groups.get(key);
      if (group) group.push(row);
      else groups.set(key, [row]);
    }
  }
  return groups;
}

/** Equal findings are one entry, whichever focus found them. Each request to a person and each skill is an entry of its own. */
function sayingOf({ kind, workItemId, faculty, description, content }: AwarenessRow): string {
  if (kind === 'approval' || kind === 'skill') return `${kind}\n${workItemId}\n${description}\n${content}`;
  const said = kind === 'finding' ? [content] : [faculty, description, content];
  return `${kind}\n${said.map((text) => (text ?? '').replace(/\s+/g, ' ').trim().toLowerCase()).join('\n')}`;
}

/** Values of a list that count, and the lengths of texts that may name something: not `ok`, and no document. */
const MAX_LISTED = 20;
const MIN_CHARS = 3;
const MAX_CHARS = 500;

/**
 * The resources that params name, as `key=value`: texts and numbers right below the top, and in lists there. Two items that name the same one
 * (a repository, a file, a customer) probably concern each other.
 */
export function resourcesOf(params: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(params).flatMap(([key, value]) => {
    const values = Array.isArray(value) ? value.slice(0, MAX_LISTED) : [value];
    return values.filter(isName).map((name) => `${key}=${name}`);
  });
}

function isName(value: unknown): value is string | number {
  if (typeof value === 'number') return true;
  return typeof value === 'string' && value.length >= MIN_CHARS && value.length <= MAX_CHARS;
}
