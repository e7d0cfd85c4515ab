/** Chooses what a focus is shown: others' work only, what concerns it first, each thing once. */
import type { AwarenessSettings } from '../../catalog/faculty/awareness.ts';
import type { AwarenessKind } from '../../store/work/awareness.ts';
import type { AwarenessView, SeenRow } from './awareness-view.ts';

/** The item of the focus that is shown the rest. */
export interface OwnItem {
  readonly id: string;
  readonly ancestors: readonly string[];
  /** Of its params (`resourcesOf`). */
  readonly resources: readonly string[];
}

/** A row to show, with the rows that it represents. */
export interface ChosenRow extends SeenRow {
  /** How many more rows say the same. */
  readonly more: number;
  /** The keys of the resources that both items name, the rarest first. */
  readonly same: readonly string[];
}

/** Rows of a kind, the most relevant first, then the newest. */
export type ChooseRows = (kind: AwarenessKind, most: number) => readonly ChosenRow[];

/** Chooses among what is seen. Looks at the rows that share a resource, and then at the newest until there are enough. */
export function rowChooser(view: AwarenessView, own: OwnItem, settings: AwarenessSettings): ChooseRows {
  const close = byRelevance(view, own);
  return (kind, most) => {
    const chosen = new Map<string, ChosenRow>();
    for (const row of inOrder(close, view.byKind.get(kind) ?? [], kind)) {
      if (chosen.size >= most) break;
      if (chosen.has(row.saying) || !isOther(row, own, settings)) continue;
      const alike = view.bySaying.get(row.saying)!.filter((other) => isOther(other, own, settings));
      chosen.set(row.saying, { ...row, more: alike.length - 1, same: close.get(row)?.same ?? [] });
    }
    return [...chosen.values()];
  };
}

/** If false, the choice is the same as for all other items with false. */
export function isSpecial(view: AwarenessView, { id, ancestors, resources }: OwnItem): boolean {
  return (
    view.items.has(id) ||
    view.above.has(id) ||
    ancestors.some((ancestor) => view.items.has(ancestor)) ||
    resources.some((resource) => view.byResource.has(resource))
  );
}

function isOther(row: SeenRow, own: OwnItem, { includeChildWork }: AwarenessSettings): boolean {
  const { workItemId, ancestors } = row;
  if (workItemId === null) return true;
  if (workItemId === own.id) return false;
  return includeChildWork || !(own.ancestors.includes(workItemId) || ancestors?.includes(own.id));
}

type Close = ReadonlyMap<SeenRow, { readonly weight: number; readonly same: readonly string[] }>;

/** The rows that share a resource, best first. A resource that few items name says more than one that all of them name. */
function byRelevance({ byResource }: AwarenessView, { resources }: OwnItem): Close {
  const found = new Map<SeenRow, { weight: number; same: string[] }>();
  const rarest = [...new Set(resources)]
    .flatMap((resource) => {
      const rows = byResource.get(resource);
      return rows === undefined ? [] : [{ key: resource.slice(0, resource.indexOf('=')), rows }];
    })
    .toSorted((a, b) => a.rows.length - b.rows.length);
  for (const { key, rows } of rarest) {
    for (const row of rows) {
      const known = found.get(row) ?? { weight: 0, same: [] };
      known.weight += 1 / rows.length;
      if (!known.same.includes(key)) known.same.push(key);
      found.set(row, known);
    }
  }
  return new Map([...found].toSorted(([, a], [, b]) => b.weight - a.weight));
}

function* inOrder(close: Close, newest: readonly SeenRow[], kind: AwarenessKind): Generator<SeenRow> {
  for (const row of close.keys()) if (row.kind === kind) yield row;
  yield* newest;
}
