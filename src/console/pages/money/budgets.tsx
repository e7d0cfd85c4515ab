/** The limits, and how much of each is used; operators set, change and remove them here. */
import { useState } from 'preact/hooks';
import type { Budget } from '../../../client/client.ts';
import { api } from '../../model/api.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { Shown } from '../../ui/shown.tsx';
import { S } from '../../words/strings.ts';
import { ChangeLimit, RemoveLimit, SetLimit } from './limit-dialogs.tsx';
import { LimitRow } from './limit-row.tsx';
import { ordered, whichOf } from './limits.ts';

const REFRESH_MS = 30_000;
const FIRST = 40;

type Opened = { readonly is: 'set' } | { readonly is: 'change' | 'remove'; readonly budget: Budget };

export function Budgets() {
  const read = useLoaded((signal) => api.operate.listBudgets({ signal }), [], { everyMs: REFRESH_MS });
  const [opened, setOpened] = useState<Opened | null>(null);
  const [most, setMost] = useState(FIRST);
  const close = () => {
    setOpened(null);
    read.reload();
  };
  return (
    <section class="page-part" aria-labelledby="limits">
      <div class="section-head">
        <h2 id="limits">{S.money.limits}</h2>
        <button type="button" onClick={() => setOpened({ is: 'set' })}>
          {S.money.setLimit} …
        </button>
      </div>
      <Shown of={read}>
        {({ items }) => (
          <>
            {items.length === 0 && <p class="faint">{S.money.noLimits}</p>}
            <ul class="plain money-limits">
              {ordered(items)
                .slice(0, most)
                .map((budget) => (
                  <LimitRow
                    key={JSON.stringify(whichOf(budget))}
                    budget={budget}
                    onChange={() => setOpened({ is: 'change', budget })}
                    onRemove={() => setOpened({ is: 'remove', budget })}
                  />
                ))}
            </ul>
            {items.length > most && (
              <button type="button" class="quiet" onClick={() => setMost(items.length)}>
                {S.ui.moreOf(items.length - most)}
              </button>
            )}
          </>
        )}
      </Shown>
      {opened?.is === 'set' && <SetLimit onClose={close} />}
      {opened?.is === 'change' && <ChangeLimit budget={opened.budget} onClose={close} />}
      {opened?.is === 'remove' && <RemoveLimit budget={opened.budget} onClose={close} />}
    </section>
  );
}
