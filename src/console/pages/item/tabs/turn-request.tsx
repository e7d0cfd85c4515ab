/** What the model was sent for a turn: its system prompt, its tools, and the blocks of the context, with what stands for turns that were left out. */
import { useState } from 'preact/hooks';
import type { SentBlock, SentRequest } from '../../../../client/client.ts';
import { api } from '../../../model/api.ts';
import { useLoaded } from '../../../model/use-loaded.ts';
import { Json } from '../../../ui/json.tsx';
import { Shown } from '../../../ui/shown.tsx';
import { Text } from '../../../ui/text.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { S } from '../../../words/strings.ts';
import type { TurnRow } from '../record/rows.ts';
import { newFrom, partsOf } from '../record/sent.ts';

interface TurnRequestProps {
  readonly id: string;
  readonly turn: TurnRow;
}

const STEP = 40;

export function TurnRequest({ id, turn }: TurnRequestProps) {
  const [open, setOpen] = useState(false);
  return (
    <details class="turn-request" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{S.item.sent.title}</summary>
      {open && <Sent id={id} turn={turn} />}
    </details>
  );
}

function Sent({ id, turn }: TurnRequestProps) {
  const read = useLoaded(
    (signal) => api.record.showTurnRequest(id, turn.turn, { focus_id: turn.focusId }, { signal }),
    [id, turn.key],
  );
  return <Shown of={read}>{(request) => <Request request={request} />}</Shown>;
}

function Request({ request }: { readonly request: SentRequest }) {
  const { system_prompt: prompt, tools, blocks, replaced } = request;
  const [most, setMost] = useState(STEP);
  const hidden = Math.max(0, blocks.length - most);
  const isNewFrom = newFrom(blocks);
  return (
    <>
      {prompt !== null && (
        <details class="context">
          <summary>{S.item.sent.prompt}</summary>
          <Text text={prompt} />
        </details>
      )}
      {Array.isArray(tools) && tools.length > 0 && (
        <details class="context">
          <summary>{S.item.sent.tools(tools.length)}</summary>
          <Json value={tools} label={S.item.sent.tools(tools.length)} />
        </details>
      )}
      {replaced.length > 0 && <p class="faint">{S.item.sent.replaced(replaced.length)}</p>}
      {hidden > 0 && (
        <button type="button" class="quiet" onClick={() => setMost(most + STEP * 5)}>
          {S.item.earlierParts(hidden)}
        </button>
      )}
      {blocks.slice(hidden).map((block, index) => (
        <Block key={hidden + index} block={block} isNew={hidden + index >= isNewFrom} />
      ))}
    </>
  );
}

function Block({ block, isNew }: { readonly block: SentBlock; readonly isNew: boolean }) {
  const { role, kind, turn, tokens, replaces, content } = block;
  const [open, setOpen] = useState(false);
  return (
    <details class={`context sent-${role}`} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {kind} <span class="faint">{S.item.sent.of(turn, tokens)}</span>
        {isNew && <span class="state state-running"> {S.item.sent.isNew}</span>}
        {replaces !== null && (
          <span class="state state-waiting"> {S.item.sent.standsFor(replaces.from, replaces.to)}</span>
        )}
      </summary>
      {open &&
        partsOf(content).map(({ tool, text, value }, index) => (
          <div key={index} class="sent-part">
            {tool !== null && (
              <h4 class="faint">
                <VisibleText text={tool} />
              </h4>
            )}
            {text !== null ? <Text mono={tool !== null} text={text} /> : <Json value={value} label={kind} />}
          </div>
        ))}
    </details>
  );
}
