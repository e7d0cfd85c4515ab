/** What was said: by the model, turn by turn with its calls, and by people. People with the right to steer it can send it a message here. */
import type { ReadonlySignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { Mail, WorkItem } from '../../../../client/client.ts';
import { api } from '../../../model/api.ts';
import { may } from '../../../model/session-state.ts';
import { useLoaded } from '../../../model/use-loaded.ts';
import { Prose } from '../../../ui/prose.tsx';
import { Shown } from '../../../ui/shown.tsx';
import { Text } from '../../../ui/text.tsx';
import { Time } from '../../../ui/time.tsx';
import { S } from '../../../words/strings.ts';
import { conversationOf } from '../record/conversation.ts';
import { isOpen } from '../record/item.ts';
import type { Live } from '../record/live.ts';
import type { ItemRecord } from '../record/use-record.ts';
import { Say } from './say.tsx';
import { Answer } from './turn-panel.tsx';

interface ConversationProps {
  readonly item: WorkItem;
  readonly record: ItemRecord;
  readonly live: ReadonlySignal<Live>;
  readonly revision: number;
  readonly reload: () => void;
}

const STEP = 30;

export function ConversationTab({ item, record, live, revision, reload }: ConversationProps) {
  const mail = useLoaded((signal) => readMail(item.id, signal), [item.id, revision]);
  const [most, setMost] = useState(STEP);
  return (
    <div class="conversation">
      <Shown of={mail}>
        {(messages) => {
          const parts = conversationOf(record.turns, messages, record.foci);
          const hidden = Math.max(0, parts.length - most);
          return (
            <>
              {hidden > 0 && (
                <button type="button" onClick={() => setMost(most + STEP * 2)}>
                  {S.item.earlierParts(hidden)}
                </button>
              )}
              {hidden === 0 && (
                <article class="said said-person">
                  <Said by={item.submitted_by} at={item.created_at} />
                  <Text text={item.description === '' ? S.item.noDescription : item.description} />
                </article>
              )}
              {parts.slice(-most).map((part) =>
                part.is === 'turn' ? (
                  <article key={`t${part.turn.key}`} class="said">
                    <Said
                      by={`${item.faculty} · ${S.item.turnTitle(part.turn.key)}`}
                      at={new Date(part.turn.begunMs).toISOString()}
                    />
                    <Answer id={item.id} turn={part.turn} record={record} live={live} />
                  </article>
                ) : (
                  <Message key={`m${part.mail.id}`} mail={part.mail} />
                ),
              )}
            </>
          );
        }}
      </Shown>
      <LivePart record={record} live={live} faculty={item.faculty} />
      {isOpen(item.state) && may('work') && (
        <Say
          id={item.id}
          waits={item.state === 'waiting'}
          after={() => {
            mail.reload();
            reload();
          }}
        />
      )}
    </div>
  );
}

/** The answer that comes now, before its turn is known. */
function LivePart({
  record,
  live,
  faculty,
}: Pick<ConversationProps, 'record' | 'live'> & { readonly faculty: string }) {
  const { answer } = live.value;
  if (answer === null || answer.text === '') return null;
  const key = `${answer.focus}.${answer.turn}`;
  if (record.turns.some((turn) => turn.key === key)) return null;
  return (
    <article class="said">
      <Said by={`${faculty} · ${S.item.turnTitle(key)}`} at={null} />
      <Prose text={answer.text} />
    </article>
  );
}

function Message({ mail }: { readonly mail: Mail }) {
  return (
    <article class="said said-person">
      <Said by={mail.author} at={mail.created_at} />
      <Text text={mail.text} />
      <p class="faint">
        {mail.not_delivered !== null
          ? S.item.notDelivered(mail.not_delivered)
          : mail.delivered_at === null && S.item.notYet}
      </p>
    </article>
  );
}

function Said({ by, at }: { readonly by: string | null; readonly at: string | null }) {
  return (
    <header class="said-head">
      <b>
        <bdi>{by ?? S.item.nobody}</bdi>
      </b>{' '}
      <Time at={at} />
    </header>
  );
}

async function readMail(id: string, signal: AbortSignal): Promise<readonly Mail[]> {
  const all: Mail[] = [];
  for await (const mail of api.record.listMail(id, { limit: 200 }, { signal })) all.push(mail);
  return all;
}
