/** What an answer asks people, in its place: the same cards as in the inbox. */
import { api } from '../../model/api.ts';
import { hrefTo } from '../../model/place.ts';
import { may, whoseMe } from '../../model/session-state.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { AskCard } from '../../ui/ask/ask-card.tsx';
import { tell, tellProblem } from '../../ui/notices.tsx';
import { Shown } from '../../ui/shown.tsx';
import { S } from '../../words/strings.ts';

interface AnswerAsksProps {
  readonly item: string;
  /** The ids of those that wait, by the events. */
  readonly asks: readonly string[];
}

export function AnswerAsks({ item, asks }: AnswerAsksProps) {
  const loaded = useLoaded((signal) => api.approvals.list({ work_item_id: item }, { signal }), [item, asks]);
  return (
    <Shown of={loaded}>
      {({ items }) =>
        items.map((ask) => (
          <AskCard
            key={ask.ask_id}
            ask={ask}
            client={api}
            mayNot={may('decide') ? null : S.inbox.mayNot(whoseMe()?.role ?? '')}
            workHref={(id) => hrefTo('work', [id])}
            onDecided={({ is, text }) => {
              if (is === 'failed') return;
              if (is === 'done') tell(text);
              else tellProblem(S.inbox.gone(text));
              loaded.reload();
            }}
          />
        ))
      }
    </Shown>
  );
}
