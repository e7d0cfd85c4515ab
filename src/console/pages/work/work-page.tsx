/** The list of work, newest first, with filters in the address. */
import { useEffect, useState } from 'preact/hooks';
import type { WorkState, WorkSummary } from '../../../client/client.ts';
import { api } from '../../model/api.ts';
import { useLiveStates } from '../../model/live.ts';
import { changeQuery, place } from '../../model/place.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { Shown } from '../../ui/shown.tsx';
import { S } from '../../words/strings.ts';
import { WorkTable } from './work-table.tsx';

const PAGE = 100;

export default function WorkPage() {
  useLiveStates();
  const { query } = place.value;
  const filters = {
    state: (query.get('state') as WorkState | null) ?? undefined,
    faculty: query.get('faculty') ?? undefined,
  };
  const [pages, setPages] = useState(1);
  useEffect(() => setPages(1), [query.toString()]);
  const list = useLoaded((signal) => readPages(filters, pages, signal), [filters, pages], { live: true });
  return (
    <>
      <h1>{S.work.title}</h1>
      <Filters />
      <Shown of={list}>
        {({ items, more }) => (
          <>
            <WorkTable items={items} />
            {more && (
              <button type="button" disabled={list.loading} onClick={() => setPages(pages + 1)}>
                {S.common.more}
              </button>
            )}
          </>
        )}
      </Shown>
    </>
  );
}

interface Read {
  readonly items: readonly WorkSummary[];
  readonly more: boolean;
}

async function readPages(filters: object, pages: number, signal: AbortSignal): Promise<Read> {
  const items: WorkSummary[] = [];
  let after: string | undefined;
  for (let page = 0; page < pages; page++) {
    const { items: some, next } = await api.work.list({ ...filters, after, limit: PAGE }, { signal }).page();
    items.push(...some);
    if (next === null) return { items, more: false };
    after = next;
  }
  return { items, more: true };
}

function Filters() {
  const { query } = place.value;
  return (
    <form class="filters" onSubmit={(event) => event.preventDefault()}>
      <label>
        {S.work.state}
        <select
          value={query.get('state') ?? ''}
          onChange={(event) => changeQuery({ state: event.currentTarget.value })}
        >
          <option value="">{S.work.any}</option>
          {Object.entries(S.state).map(([state, label]) => (
            <option key={state} value={state}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label>
        {S.work.faculty}
        <input
          value={query.get('faculty') ?? ''}
          onChange={(event) => changeQuery({ faculty: event.currentTarget.value })}
        />
      </label>
    </form>
  );
}
