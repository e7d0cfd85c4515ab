/** All faculties that somebody knows: those that daemons serve, and those whose work has cost something. */
import type { ListFacultiesOutput, SpendOutput, Status } from '../../../../client/client.ts';

export interface Known {
  readonly name: string;
  /** Null: no running daemon serves it. */
  readonly served: ListFacultiesOutput['items'][number] | null;
  readonly pause: Status['pauses'][number] | null;
  readonly queued: number;
  /** Null: nothing ran. */
  readonly spend: SpendOutput['rows'][number] | null;
}

interface Sources {
  readonly served: ListFacultiesOutput['items'];
  readonly spend: SpendOutput['rows'];
  /** Null: the person may not see it. */
  readonly status: Pick<Status, 'pauses' | 'queue'> | null;
}

/** By name. */
export function knownFaculties({ served, spend, status }: Sources): readonly Known[] {
  const names = new Set([
    ...served.map(({ name }) => name),
    ...spend.flatMap(({ faculty }) => faculty ?? []),
    ...(status?.queue ?? []).map(({ faculty }) => faculty),
  ]);
  return [...names].toSorted().map((name) => ({
    name,
    served: served.find((one) => one.name === name) ?? null,
    pause: status?.pauses.find(({ faculty }) => faculty === name || faculty === '*') ?? null,
    queued: status?.queue.find(({ faculty }) => faculty === name)?.queued ?? 0,
    spend: spend.find(({ faculty }) => faculty === name) ?? null,
  }));
}

/** What a daemon says is wrong, such as with file and line. */
export function problemText(problem: unknown): string {
  if (typeof problem === 'string') return problem;
  const { message } = (problem ?? {}) as { readonly message?: unknown };
  return typeof message === 'string' ? message : JSON.stringify(problem);
}

/** Of running daemons, each text once, with the hosts that say it. */
export function problemsOf(daemons: Status['daemons']): readonly { readonly text: string; readonly hosts: string }[] {
  const hosts = new Map<string, Set<string>>();
  for (const { alive, host, problems } of daemons) {
    if (!alive) continue;
    for (const problem of problems) {
      const text = problemText(problem);
      hosts.set(text, (hosts.get(text) ?? new Set()).add(host));
    }
  }
  return [...hosts].map(([text, names]) => ({ text, hosts: [...names].toSorted().join(', ') }));
}

/** The value below which so much of them are (0 to 1); null: there are none. */
export function quantile(values: readonly number[], part: number): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)] ?? sorted[0] ?? null;
}
