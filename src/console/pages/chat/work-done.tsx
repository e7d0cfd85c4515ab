/** What was done for an answer that has been given, read from the events of its work when it is opened. */
import { useState } from 'preact/hooks';
import { ApiError } from '../../../client/client.ts';
import { api } from '../../model/api.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { Shown } from '../../ui/shown.tsx';
import { S } from '../../words/strings.ts';
import { type Answer, newAnswer, takeEvent } from './answer.ts';
import { PartsView } from './parts-view.tsx';

export function WorkDone({ item }: { readonly item: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="chat-work" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{S.chat.whatItDid}</summary>
      {open && <Work item={item} />}
    </details>
  );
}

const NOT_FOUND = 404;
/** Of more, the page of the work item shows the rest. */
const MOST_EVENTS = 3000;

function Work({ item }: { readonly item: string }) {
  const loaded = useLoaded((signal) => readAnswer(item, signal), [item]);
  return (
    <Shown of={loaded}>
      {(answer) =>
        answer === null ? (
          <p class="faint">{S.chat.notForYou}</p>
        ) : (
          <PartsView parts={withoutLast(answer)} item={item} />
        )
      }
    </Shown>
  );
}

/** The text that ended it is the answer itself. */
function withoutLast({ parts, state }: Answer): Answer['parts'] {
  return state === 'completed' && parts.at(-1)?.is === 'text' ? parts.slice(0, -1) : parts;
}

/** Null: this person hears the answer, and does not read its work. */
async function readAnswer(item: string, signal: AbortSignal): Promise<Answer | null> {
  let answer = newAnswer(item);
  let count = 0;
  try {
    for await (const event of api.work.events(item, { signal })) {
      answer = takeEvent(answer, event);
      if (event.type === 'done' || ++count >= MOST_EVENTS) break;
    }
  } catch (error) {
    if (error instanceof ApiError && error.status === NOT_FOUND) return null;
    throw error;
  }
  return answer;
}
