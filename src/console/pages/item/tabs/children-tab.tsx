/** The tree of child work: each item opens to its own children. */
import { useState } from 'preact/hooks';
import type { WorkSummary } from '../../../../client/client.ts';
import { api } from '../../../model/api.ts';
import { useLiveStates } from '../../../model/live.ts';
import { hrefTo } from '../../../model/place.ts';
import { useLoaded } from '../../../model/use-loaded.ts';
import { usd } from '../../../ui/money.ts';
import { Shown } from '../../../ui/shown.tsx';
import { State } from '../../../ui/state.tsx';
import { Time } from '../../../ui/time.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { S } from '../../../words/strings.ts';
import { titleOf } from '../record/item.ts';

const PAGE = 100;

export function ChildrenTab({ id }: { readonly id: string }) {
  useLiveStates();
  return (
    <div class="tree">
      <Children id={id} none={<p class="faint">{S.item.noChildren}</p>} />
    </div>
  );
}

function Children({ id, none }: { readonly id: string; readonly none: preact.ComponentChildren }) {
  const [pages, setPages] = useState(1);
  const read = useLoaded((signal) => readPages(id, pages, signal), [id, pages], { live: true });
  return (
    <Shown of={read}>
      {({ items, more }) => (
        <>
          {items.length === 0 && none}
          <ul class="plain">
            {items.map((item) => (
              <Child key={item.id} item={item} />
            ))}
          </ul>
          {more && (
            <button type="button" class="quiet" onClick={() => setPages(pages + 1)}>
              {S.common.more}
            </button>
          )}
        </>
      )}
    </Shown>
  );
}

async function readPages(id: string, pages: number, signal: AbortSignal) {
  const items: WorkSummary[] = [];
  let after: string | undefined;
  for (let page = 0; page < pages; page++) {
    const { items: some, next } = await api.work.listChildren(id, { after, limit: PAGE }, { signal }).page();
    items.push(...some);
    if (next === null) return { items, more: false };
    after = next;
  }
  return { items, more: true };
}

function Child({ item }: { readonly item: WorkSummary }) {
  const [open, setOpen] = useState(false);
  return (
    <li>
      <div class="tree-row">
        <button
          type="button"
          class="quiet tree-fold"
          aria-expanded={open}
          aria-label={S.item.childrenOf(titleOf(item))}
          onClick={() => setOpen(!open)}
        >
          {open ? '▾' : '▸'}
        </button>
        <State of={item.state} />
        <a class="clip grow" href={hrefTo('work', [item.id])}>
          <VisibleText text={titleOf(item)} kind="text" />
        </a>
        <span class="faint line-wide">{item.faculty}</span>
        <span class="number">{usd(item.cost_usd)}</span>
        <Time at={item.created_at} />
      </div>
      {open && (
        <div class="tree-inside">
          <Children id={item.id} none={<span class="faint">{S.item.noChildren}</span>} />
        </div>
      )}
    </li>
  );
}
