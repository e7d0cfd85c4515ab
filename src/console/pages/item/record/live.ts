/** What an item says and prints right now, put together from the pieces of its event stream. */
import type { WorkEvent } from '../../../../client/client.ts';

export interface Live {
  /** The answer that is being given; null: none is, or it is recorded. */
  readonly answer: { readonly focus: number; readonly turn: number; readonly text: string } | null;
  /** What running calls have printed, by call: the end of it. */
  readonly outputs: ReadonlyMap<string, string>;
  /** The last turn that was recorded: pieces of it that come late are left out. */
  readonly recorded: { readonly focus: number; readonly turn: number } | null;
}

export const NOTHING_LIVE: Live = { answer: null, outputs: new Map(), recorded: null };

/** Of the output of a call, what is kept. */
const MOST_OUTPUT_CHARS = 65_536;
/** Stands for pieces that were lost. */
const GAP = '\n…\n';

/** What is live after an event; the same object if it changes nothing of that. */
export function liveAfter(live: Live, event: WorkEvent): Live {
  switch (event.type) {
    case 'text':
      return 'live' in event ? answerAfter(live, event) : recordedText(live, event);
    case 'turn':
      return { ...live, answer: null, recorded: { focus: event.focus, turn: event.turn } };
    case 'withdrawn':
      return live.answer === null ? live : { ...live, answer: null };
    case 'observation':
      return 'live' in event ? outputAfter(live, event) : without(live, event.call_id);
    case 'error':
    case 'done':
      return NOTHING_LIVE;
    default:
      return live;
  }
}

type TextPiece = Extract<WorkEvent, { readonly type: 'text'; readonly live: true }>;
type OutputPiece = Extract<WorkEvent, { readonly type: 'observation'; readonly live: true }>;

function answerAfter(live: Live, { focus, turn, from, text }: TextPiece): Live {
  const { answer, recorded } = live;
  if (recorded !== null && (focus < recorded.focus || (focus === recorded.focus && turn <= recorded.turn))) return live;
  const before = answer?.focus === focus && answer.turn === turn ? answer.text : '';
  const all = from > before.length ? before + GAP + text : before.slice(0, from) + text;
  return { ...live, answer: { focus, turn, text: all } };
}

/** What had been said when the work was cancelled has no `turn` before it. */
function recordedText(
  live: Live,
  { focus, turn, cut_off }: Extract<WorkEvent, { readonly type: 'text'; readonly id: string }>,
): Live {
  return cut_off === true ? { ...live, answer: null, recorded: { focus, turn } } : live;
}

function outputAfter(live: Live, { call_id, text }: OutputPiece): Live {
  const all = (live.outputs.get(call_id) ?? '') + text;
  return { ...live, outputs: new Map(live.outputs).set(call_id, all.slice(-MOST_OUTPUT_CHARS)) };
}

function without(live: Live, callId: string): Live {
  if (!live.outputs.has(callId)) return live;
  const outputs = new Map(live.outputs);
  outputs.delete(callId);
  return { ...live, outputs };
}
