/** The cost of the period in groups: the filter `by` says which. */
import type { ComponentChildren } from 'preact';
import { api } from '../../model/api.ts';
import { changeQuery, hrefTo, place } from '../../model/place.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { Shown } from '../../ui/shown.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';
import type { Period } from './period.ts';
import { type SpendRow, SpendTable } from './spend-table.tsx';
import { titleOf } from './title.ts';

const GROUPS = ['faculty', 'model', 'operation', 'submitter', 'root', 'day', 'month', 'source'] as const;
type Group = (typeof GROUPS)[number];
const MOST = 200;

interface Read {
  readonly rows: readonly SpendRow[];
  readonly total: Omit<SpendRow, 'key' | 'name'> | null;
  readonly groups: number;
}

export function SpendBy({ period }: { readonly period: Period }) {
  const asked = place.value.query.get('by');
  const by = GROUPS.find((group) => group === asked) ?? 'faculty';
  const { since, until } = period;
  const read = useLoaded((signal) => readSpend(by, since, until, signal), [by, since, until]);
  return (
    <section class="page-part" aria-labelledby="spend-by">
      <div class="section-head">
        <h2 id="spend-by">{S.money.spend}</h2>
        <form class="filters" onSubmit={(event) => event.preventDefault()}>
          <label>
            {S.money.by}
            <select value={by} onChange={(event) => changeQuery({ by: event.currentTarget.value })}>
              {GROUPS.map((group) => (
                <option key={group} value={group}>
                  {S.money.groups[group]}
                </option>
              ))}
            </select>
          </label>
        </form>
      </div>
      <Shown of={read}>
        {({ rows, total, groups }) => (
          <>
            <SpendTable title={S.money.groups[by]} rows={rows} total={total} />
            {groups > rows.length && <p class="faint">{S.money.dearestOf(rows.length, groups)}</p>}
            {by === 'root' && rows.length >= MOST && <p class="faint">{S.money.dearestRoots(MOST)}</p>}
          </>
        )}
      </Shown>
    </section>
  );
}

async function readSpend(by: Group, since: string, until: string, signal: AbortSignal): Promise<Read> {
  if (by === 'root') {
    const { items } = await api.operate.spendRoots({ since, until, limit: MOST }, { signal });
    const rows = items.map(
      (item): SpendRow => ({
        ...item,
        key: item.id,
        name: (
          <a href={hrefTo('work', [item.id])}>
            <VisibleText text={titleOf(item)} kind="text" />
          </a>
        ),
      }),
    );
    return { rows, total: null, groups: rows.length };
  }
  const { rows, total } = await api.operate.spend({ since, until, by, limit: MOST }, { signal });
  return {
    rows: rows.map((row) => ({ ...row, key: row[by] ?? '', name: nameOf(by, row[by]) })),
    total,
    groups: total.groups,
  };
}

function nameOf(by: Group, value: string | null): ComponentChildren {
  if (value === null) return <span class="faint">{S.money.none}</span>;
  if (by === 'faculty') {
    return (
      <a href={hrefTo('agents', [value])}>
        <VisibleText text={value} kind="text" most={200} />
      </a>
    );
  }
  if (by === 'submitter') {
    return (
      <a href={hrefTo('work', [], { by: value })}>
        <VisibleText text={value} kind="text" most={200} />
      </a>
    );
  }
  return <VisibleText text={value} kind="text" most={200} />;
}
