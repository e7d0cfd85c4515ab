/** What an item asks people, decided in its place: the same cards as in the inbox. */
import { api } from '../../model/api.ts';
import { hrefTo } from '../../model/place.ts';
import { may, whoseMe } from '../../model/session-state.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { AskCard } from '../../ui/ask/ask-card.tsx';
import { tell, tellProblem } from '../../ui/notices.tsx';
import { Shown } from '../../ui/shown.tsx';
import { S } from '../../words/strings.ts';

interface AsksProps {
  readonly id: string;
  readonly reload: () => void;
}

/** More are in the inbox. */
const MOST = 3;

export function Asks({ id, reload }: AsksProps) {
  const read = useLoaded((signal) => api.approvals.list({ work_item_id: id }, { signal }), [id]);
  return (
    <Shown of={read}>
      {({ items }) => (
        <div class="item-asks">
          {items.slice(0, MOST).map((ask) => (
            <AskCard
              key={ask.ask_id}
              ask={ask}
              client={api}
              mayNot={may('decide') ? null : S.inbox.mayNot(whoseMe()?.role ?? '')}
              workHref={(item) => hrefTo('work', [item])}
              onDecided={({ is, text }) => {
                if (is === 'failed') return;
                if (is === 'done') tell(text);
                else tellProblem(S.inbox.gone(text));
                // The card that has the focus goes.
                document.querySelector('h1')?.focus();
                read.reload();
                reload();
              }}
            />
          ))}
          {items.length > MOST && (
            <a href={hrefTo('inbox', [], { ask: items[MOST]?.ask_id })}>{S.item.moreAsks(items.length - MOST)}</a>
          )}
        </div>
      )}
    </Shown>
  );
}
