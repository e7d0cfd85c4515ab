/** The list of work: filtered, sorted and counted by the server; what the person sees has an address. */
import { useEffect, useState } from 'preact/hooks';
import type { WorkSummary } from '../../../client/client.ts';
import { api } from '../../model/api.ts';
import { useLiveStates } from '../../model/live.ts';
import { hrefTo, place } from '../../model/place.ts';
import { may } from '../../model/session-state.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { clock } from '../../ui/clock.ts';
import { Shown } from '../../ui/shown.tsx';
import { useSteady } from '../../ui/use-steady.ts';
import { S } from '../../words/strings.ts';
import { BulkBar } from './bulk-bar.tsx';
import { Counts } from './counts.tsx';
import { filterOf, type WorkFilter } from './filter.ts';
import { FilterForm } from './filter-form.tsx';
import { SavedFilters } from './saved-filters.tsx';
import { WorkTable } from './work-table.tsx';
import './work.css';

const PAGE = 100;
/** How often «the last hour» is another hour. */
const MINUTE_MS = 60_000;

export default function WorkPage() {
  useLiveStates();
  const filter = filterOf(place.value.query, Math.floor(clock.value / MINUTE_MS) * MINUTE_MS);
  return (
    <>
      <div class="page-head">
        <h1>{S.work.title}</h1>
        {may('work') && (
          <a class="button primary" href={hrefTo('submit', [], { faculty: filter.faculty?.[0] })}>
            {S.work.submit}
          </a>
        )}
      </div>
      <SavedFilters />
      <FilterForm />
      <List filter={filter} />
    </>
  );
}

function List({ filter }: { readonly filter: WorkFilter }) {
  // Without the times of «the last hour», which are others each minute.
  const key = place.value.query.toString();
  const [pages, setPages] = useState(1);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    setPages(1);
    setSelected(new Set());
  }, [key]);
  const list = useLoaded((signal) => readPages(filter, key, pages, signal), [filter, pages], { live: true });
  return (
    <Shown of={list}>
      {({ items, more, of }) => (
        <>
          <div class="work-counts">
            <Counts filter={filter} />
            <BulkBar filter={filter} items={items} selected={selected} onSelect={setSelected} reload={list.reload} />
          </div>
          <Rows items={items} of={of} selected={selected} onSelect={setSelected} />
          {more && (
            <button type="button" disabled={list.loading} onClick={() => setPages(pages + 1)}>
              {S.common.more}
            </button>
          )}
        </>
      )}
    </Shown>
  );
}

interface RowsProps {
  readonly items: readonly WorkSummary[];
  readonly of: string;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
}

function Rows({ items, of, selected, onSelect }: RowsProps) {
  const { rows, pending, hold, release } = useSteady(items, ({ id }) => id, of);
  return (
    <>
      <div class="work-pending">
        <span class="unseen" aria-live="polite">
          {pending > 0 && S.work.somePending}
        </span>
        {pending > 0 && (
          <button type="button" class="quiet" onClick={release}>
            {S.work.pending(pending)}
          </button>
        )}
      </div>
      <div {...hold}>
        <WorkTable items={rows} selected={selected} onSelect={onSelect} />
      </div>
    </>
  );
}

interface Read {
  readonly items: readonly WorkSummary[];
  readonly more: boolean;
  /** The filter that found them. */
  readonly of: string;
}

async function readPages(filter: WorkFilter, key: string, pages: number, signal: AbortSignal): Promise<Read> {
  const items: WorkSummary[] = [];
  const of = `${pages} ${key}`;
  let after: string | undefined;
  for (let page = 0; page < pages; page++) {
    const { items: some, next } = await api.work.list({ ...filter, after, limit: PAGE }, { signal }).page();
    items.push(...some);
    if (next === null) return { items, more: false, of };
    after = next;
  }
  return { items, more: true, of };
}
