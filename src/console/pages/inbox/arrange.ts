/** The list of the inbox: requests by cause, in an order that does not change while somebody points at it. */
import type { Approval, ApprovalGroup } from '../../../client/client.ts';

export interface Row {
  readonly ask: Approval;
  /** It no longer waits, and stays in its place until the person has moved on. */
  readonly isGone: boolean;
}

export interface Cause {
  readonly id: string;
  /** Null: these requests belong to none that was read. */
  readonly group: ApprovalGroup | null;
  readonly rows: readonly Row[];
}

/** What the server says, oldest cause first. A request in no group that was read is a cause of its own. */
export function arrange(groups: readonly ApprovalGroup[], asks: readonly Approval[]): readonly Cause[] {
  const byId = new Map(asks.map((ask) => [ask.ask_id, ask]));
  const causes: Cause[] = groups.map((group) => ({ id: group.group_id, group, rows: [] }));
  const found = causes.map((cause) => {
    const rows = (cause.group?.ask_ids ?? []).flatMap((id) => {
      const ask = byId.get(id);
      byId.delete(id);
      return ask === undefined ? [] : [{ ask, isGone: false }];
    });
    return { ...cause, rows };
  });
  const others = [...byId.values()].map((ask) => ({ id: ask.ask_id, group: null, rows: [{ ask, isGone: false }] }));
  return [...found.filter(({ rows }) => rows.length > 0), ...others];
}

/** The list as it was shown, with what is new below it: for while somebody points at it. */
export function held(before: readonly Cause[], now: readonly Cause[]): readonly Cause[] {
  const waiting = new Set(rowsOf(now).map(({ ask }) => ask.ask_id));
  const shown = new Set(rowsOf(before).map(({ ask }) => ask.ask_id));
  const later = new Map(now.map((cause) => [cause.id, cause]));
  const kept = before.map((cause) => {
    const added = (later.get(cause.id)?.rows ?? []).filter(({ ask }) => !shown.has(ask.ask_id));
    const rows = cause.rows.map(({ ask }) => ({ ask, isGone: !waiting.has(ask.ask_id) }));
    return { ...cause, group: later.get(cause.id)?.group ?? cause.group, rows: [...rows, ...added] };
  });
  const known = new Set(before.map(({ id }) => id));
  return [...kept, ...now.filter(({ id }) => !known.has(id))];
}

export function rowsOf(causes: readonly Cause[]): readonly Row[] {
  return causes.flatMap(({ rows }) => rows);
}

/** The request some steps further in the list that still waits; the same one at its ends. */
export function stepFrom(causes: readonly Cause[], from: string | null, step: 1 | -1): string | null {
  const ids = rowsOf(causes).flatMap(({ ask, isGone }) => (isGone && ask.ask_id !== from ? [] : [ask.ask_id]));
  if (from === null) return ids[0] ?? null;
  return ids[ids.indexOf(from) + step] ?? (ids.includes(from) ? from : (ids[0] ?? null));
}

/** What to show after this one was decided: the next one, or the one before. */
export function nextAfter(causes: readonly Cause[], decided: string): string | null {
  const next = stepFrom(causes, decided, 1);
  return next === decided ? leftOver(stepFrom(causes, decided, -1), decided) : next;
}

function leftOver(id: string | null, decided: string): string | null {
  return id === decided ? null : id;
}

/** What may be done with all of these at once. `approve`: they are exactly the same calls; `answer`: something was lost with each. */
export function waysOfMany(
  causes: readonly Cause[],
  chosen: ReadonlySet<string>,
): readonly ('approve' | 'deny' | 'answer')[] {
  const asks = rowsOf(causes).flatMap(({ ask }) => (chosen.has(ask.ask_id) ? [ask] : []));
  if (asks.length === 0) return [];
  if (asks.every(({ subject }) => subject === 'lost')) return ['answer'];
  if (asks.some(({ subject, work_item_id: item }) => subject === 'lost' || item === null)) return [];
  const [first] = asks;
  const same = asks.every(({ subject, hash }) => subject === 'tool_call' && hash === first?.hash);
  return same ? ['approve', 'deny'] : ['deny'];
}
