/** One answer while it is given, built from the events of its work item: what it thinks, says and calls, in order. */
import type { ChatEvent, WorkEvent, WorkState } from '../../../client/client.ts';

export type Part =
  | { readonly is: 'thought'; readonly text: string }
  /** `isComing`: more of it may come, and all of it may be void. */
  | { readonly is: 'text'; readonly turn: number; readonly text: string; readonly isComing: boolean }
  | CallPart
  | AskPart
  | {
      readonly is: 'wait';
      readonly call: string;
      readonly kind: string;
      readonly until: string | null;
      readonly over: string | null;
    }
  | { readonly is: 'error'; readonly text: string };

export interface CallPart {
  readonly is: 'call';
  readonly id: string;
  readonly turn: number;
  readonly parent: string | null;
  readonly name: string;
  readonly input: unknown;
  /** Null: it has not ended. */
  readonly ended: {
    readonly state: string;
    readonly isError: boolean;
    readonly ms: number | null;
    readonly bytes: number;
  } | null;
  /** What it has printed, or its result. */
  readonly output: string;
}

export interface AskPart {
  readonly is: 'ask';
  readonly ask: string | null;
  /** `asked`: it waits; otherwise what became of it. */
  readonly status: string;
  readonly subject: string | null;
  readonly by: string | null;
  readonly note: string | null;
}

export interface Answer {
  readonly item: string;
  readonly parts: readonly Part[];
  readonly state: WorkState | 'cancelling';
  /** Why it does not go on now. */
  readonly waits: { readonly why: string; readonly ends: string } | null;
  readonly focus: number;
  readonly turns: number;
  readonly costUsd: number | null;
  /** Of the work: nothing more comes, unless it is retried. */
  readonly isOver: boolean;
}

export function newAnswer(item: string): Answer {
  return { item, parts: [], state: 'queued', waits: null, focus: 0, turns: 0, costUsd: 0, isOver: false };
}

/** What the event makes of the answer; the same object if nothing. */
export function takeEvent(answer: Answer, event: ChatEvent | WorkEvent): Answer {
  switch (event.type) {
    case 'state':
      if ('live' in event) return { ...answer, state: event.state, waits: event.waiting };
      return takeState(answer, event);
    case 'turn': {
      const now = begun(answer, event.focus);
      const costUsd = event.cost_usd === null || now.costUsd === null ? null : now.costUsd + event.cost_usd;
      return { ...settled(now, event.turn), turns: event.turn, costUsd };
    }
    case 'thought':
      return added(begun(answer, event.focus), { is: 'thought', text: event.text });
    case 'text':
      return 'live' in event ? takePiece(answer, event) : takeText(answer, event);
    case 'withdrawn':
      return event.focus === answer.focus ? withoutComing(answer, event.turn) : answer;
    case 'call':
      return added(begun(answer, event.focus), {
        is: 'call',
        id: event.call_id,
        turn: event.turn,
        parent: event.parent_call_id,
        name: event.name,
        input: event.input,
        ended: null,
        output: '',
      });
    case 'observation':
      return 'live' in event ? takeOutput(answer, event) : takeResult(answer, event);
    case 'approval':
      return takeAsk(answer, event);
    case 'waiting':
      return takeWait(answer, event);
    case 'error':
      return added(withoutComing(answer), { is: 'error', text: event.message ?? event.ended_as });
    case 'done':
      return { ...withoutComing(answer), state: event.state, waits: null, costUsd: event.cost_usd, isOver: true };
    default:
      return answer;
  }
}

type Of<Type extends (ChatEvent | WorkEvent)['type']> = Exclude<
  Extract<ChatEvent | WorkEvent, { readonly type: Type }>,
  { readonly live: true }
>;
type Hint<Type extends (ChatEvent | WorkEvent)['type']> = Extract<
  ChatEvent | WorkEvent,
  { readonly type: Type; readonly live: true }
>;

function takeState(answer: Answer, { state, focus, resumed }: Of<'state'>): Answer {
  const now = { ...answer, state, waits: null, isOver: false };
  if (state === 'queued') return { ...now, parts: withoutComing(now).parts };
  if (state !== 'running') return now;
  const running = begun(now, focus ?? now.focus);
  return resumed ? withoutComing(running) : running;
}

/** A later focus begins the answer again. Why the one before failed stays. */
function begun(answer: Answer, focus: number): Answer {
  if (focus <= answer.focus) return answer;
  return { ...answer, focus, turns: 0, parts: answer.parts.filter(({ is }) => is === 'error') };
}

function takePiece(answer: Answer, { focus, turn, from, text }: Hint<'text'>): Answer {
  // Late: its turn is recorded.
  if (focus < answer.focus || (focus === answer.focus && turn <= answer.turns)) return answer;
  const now = begun(answer, focus);
  const last = now.parts.at(-1);
  const before = last?.is === 'text' && last.isComing && last.turn === turn ? last.text : '';
  if (from > before.length) return now;
  const rest = before === '' ? now.parts : now.parts.slice(0, -1);
  return { ...now, parts: [...rest, { is: 'text', turn, text: before.slice(0, from) + text, isComing: true }] };
}

/** The record of a text takes the place of its pieces. */
function takeText(answer: Answer, { focus, turn, text }: Of<'text'>): Answer {
  return added(withoutComing(begun(answer, focus), turn), { is: 'text', turn, text, isComing: false });
}

/** The pieces of a turn that is recorded stay until its texts come, and those of turns before it for good. */
function settled(answer: Answer, turn: number): Answer {
  const parts = answer.parts.map((part) =>
    part.is === 'text' && part.turn < turn ? { ...part, isComing: false } : part,
  );
  return { ...answer, parts };
}

function withoutComing(answer: Answer, turn?: number): Answer {
  const parts = answer.parts.filter((part) => {
    return part.is !== 'text' || !part.isComing || (turn !== undefined && part.turn !== turn);
  });
  return parts.length === answer.parts.length ? answer : { ...answer, parts };
}

function added(answer: Answer, part: Part): Answer {
  return { ...answer, parts: [...answer.parts, part] };
}

function changed(answer: Answer, at: number, part: Part): Answer {
  return { ...answer, parts: answer.parts.with(at, part) };
}

function placeOfCall(answer: Answer, call: string, turn: number): number {
  return answer.parts.findLastIndex((part) => part.is === 'call' && part.id === call && part.turn === turn);
}

const MOST_OUTPUT = 20_000;

function takeOutput(answer: Answer, { call_id: call, turn, from, text }: Hint<'observation'>): Answer {
  const at = placeOfCall(answer, call, turn);
  const part = answer.parts[at];
  if (part?.is !== 'call' || part.ended !== null) return answer;
  const output = (from === 0 ? text : part.output + text).slice(-MOST_OUTPUT);
  return changed(answer, at, { ...part, output });
}

function takeResult(answer: Answer, event: Of<'observation'>): Answer {
  const at = placeOfCall(answer, event.call_id, event.turn);
  const part = answer.parts[at];
  if (part?.is !== 'call') return answer;
  const { state, is_error: isError, duration_ms: ms, output_bytes: bytes, output, input } = event;
  return changed(answer, at, { ...part, input: input ?? part.input, output, ended: { state, isError, ms, bytes } });
}

function takeAsk(answer: Answer, { ask_id: ask, status, subject, by, note }: Of<'approval'>): Answer {
  const at = answer.parts.findLastIndex((part) => part.is === 'ask' && part.ask === ask && ask !== null);
  if (at < 0) return added(answer, { is: 'ask', ask, status, subject, by, note });
  const before = answer.parts[at] as AskPart;
  return changed(answer, at, { ...before, status, by, note });
}

function takeWait(answer: Answer, { call_id: call, kind, deadline, result }: Of<'waiting'>): Answer {
  const part = { is: 'wait', call, kind, until: deadline, over: result } as const;
  const at = answer.parts.findLastIndex((each) => each.is === 'wait' && each.call === call);
  return at < 0 || result === null ? added(answer, part) : changed(answer, at, part);
}

/** The requests that wait for a person. */
export function asksOf({ parts }: Answer): readonly string[] {
  return parts.flatMap((part) => (part.is === 'ask' && part.status === 'asked' && part.ask !== null ? [part.ask] : []));
}
