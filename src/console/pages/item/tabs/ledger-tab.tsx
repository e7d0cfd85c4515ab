/** The ledger: what the agent has written down, in order. Operators add to it. */
import { useState } from 'preact/hooks';
import type { LedgerEntry } from '../../../../client/client.ts';
import { api, sentenceOf } from '../../../model/api.ts';
import { changeQuery, place } from '../../../model/place.ts';
import { may } from '../../../model/session-state.ts';
import { useLoaded } from '../../../model/use-loaded.ts';
import { tellProblem } from '../../../ui/notices.tsx';
import { Prose } from '../../../ui/prose.tsx';
import { Shown } from '../../../ui/shown.tsx';
import { Time } from '../../../ui/time.tsx';
import { S } from '../../../words/strings.ts';

type EntryType = LedgerEntry['type'];

const PAGE = 200;

export function LedgerTab({ id, revision }: { readonly id: string; readonly revision: number }) {
  const type = (place.value.query.get('type') as EntryType | null) ?? undefined;
  const [pages, setPages] = useState(1);
  const read = useLoaded((signal) => readPages(id, { type, pages }, signal), [id, type, pages, revision]);
  return (
    <>
      <div class="filters">
        <label>
          {S.item.entryType}
          <select value={type ?? ''} onChange={(event) => changeQuery({ type: event.currentTarget.value })}>
            <option value="">{S.work.any}</option>
            {Object.entries(S.item.ledgerTypes).map(([name, title]) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Shown of={read}>
        {({ items, more }) => (
          <>
            {items.length === 0 && <p class="faint">{S.item.noLedger}</p>}
            <ol class="plain ledger">
              {items.map((entry) => (
                <li key={entry.seq} class={`ledger-${entry.type}`}>
                  <span class="number faint">{entry.seq}</span>
                  <span class="ledger-type faint">{S.item.ledgerTypes[entry.type]}</span>
                  <div class="grow">
                    <Prose text={entry.content} />
                    {entry.focus_id === null && <span class="faint">{S.item.byPerson}</span>}
                  </div>
                  <Time at={entry.created_at} />
                </li>
              ))}
            </ol>
            {more && (
              <button type="button" onClick={() => setPages(pages + 1)}>
                {S.common.more}
              </button>
            )}
          </>
        )}
      </Shown>
      {may('decide') && <AddNote id={id} after={read.reload} />}
    </>
  );
}

interface Filter {
  readonly type: EntryType | undefined;
  readonly pages: number;
}

async function readPages(id: string, { type, pages }: Filter, signal: AbortSignal) {
  const items: LedgerEntry[] = [];
  let after: number | undefined;
  for (let page = 0; page < pages; page++) {
    const { items: some, next } = await api.record.readLedger(id, { type, after, limit: PAGE }, { signal }).page();
    items.push(...some);
    if (next === null) return { items, more: false };
    after = Number(next);
  }
  return { items, more: true };
}

function AddNote({ id, after }: { readonly id: string; readonly after: () => void }) {
  const [content, setContent] = useState('');
  const [busy, setBusy] = useState(false);
  const add = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    try {
      await api.record.appendLedger(id, { type: 'note', content });
      setContent('');
    } catch (error) {
      tellProblem(sentenceOf(error));
    }
    setBusy(false);
    after();
  };
  return (
    <form class="say" onSubmit={(event) => void add(event)}>
      <label>
        {S.item.addNote}
        <textarea rows={2} dir="auto" value={content} onInput={(event) => setContent(event.currentTarget.value)} />
      </label>
      <div class="say-buttons">
        <button type="submit" disabled={content.trim() === ''} aria-disabled={busy} aria-busy={busy}>
          {S.item.add}
        </button>
      </div>
    </form>
  );
}
