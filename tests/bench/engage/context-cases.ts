/** Ways to keep a long history: ours, and those it is compared with. Each is a function from a transcript to a request's messages. */
import { BYTES_PER_TOKEN } from '../../../src/core/work/tokens.ts';
import { renderMessages } from '../../../src/engage/context/context.ts';
import { closedBlock, isWorthIt, stubOf } from '../../../src/engage/context/context-blocks.ts';
import type { Message } from '../../../src/llm/client.ts';
import type { RecordedCall } from '../../../src/store/transcript/calls.ts';
import type { EngineMessage } from '../../../src/store/transcript/messages.ts';
import type { Transcript } from '../../../src/store/transcript/transcript.ts';
import type { RecordedTurn } from '../../../src/store/transcript/turns.ts';

/** How a history grows. */
export interface Load {
  readonly turns: number;
  readonly callsPerTurn: number;
  readonly resultBytes: number;
  /** One step per this many turns. */
  readonly stepEvery: number;
}

/** Keeps its state between turns; `next` gets the transcript after each turn and returns what is sent. */
export interface Keeping {
  readonly name: string;
  next(transcript: Transcript): readonly Message[];
}

/** The turn's answer and results: lookups, a finding in every turn without a step, and a step when one is due. */
export function turnOf(turn: number, load: Load): RecordedTurn {
  const looks = Array.from({ length: load.callsPerTurn }, (_, index) => look(turn, index, load.resultBytes));
  const step = turn % load.stepEvery === 0;
  const entry = step
    ? `stage ${turn / load.stepEvery} is done`
    : `line ${turn * 7} of file ${turn}.ts holds the cause of case ${turn}`;
  const calls = [...looks, write(turn, step ? 'step' : 'finding', entry)];
  return {
    turn,
    provider: 'anthropic',
    model: 'claude-sonnet-4-5',
    content: [
      { type: 'text', text: `I look at part ${turn} of the work next.` },
      ...calls.map(({ callId, name, input }) => ({ type: 'tool_call' as const, id: callId, name, input })),
    ],
    stopReason: 'tool_use',
    cutToolCalls: [],
    inputTokens: null,
    calls,
  };
}

function look(turn: number, index: number, bytes: number): RecordedCall {
  const output = `part ${turn}.${index}: `.padEnd(bytes, `${turn} lorem ipsum `);
  return {
    callId: `c${turn}_${index}`,
    name: 'look',
    input: { part: `${turn}.${index}` },
    finalInput: null,
    state: 'done',
    output,
    isError: false,
  };
}

function write(turn: number, type: string, content: string): RecordedCall {
  const output = `recorded as entry ${turn}`;
  return {
    callId: `l${turn}`,
    name: 'ledger_append',
    input: { type, content },
    finalInput: null,
    state: 'done',
    output,
    isError: false,
  };
}

export function wholeHistory(): Keeping {
  return { name: 'whole history', next: renderMessages };
}

/** What animus does. */
export function stubAtEachStep(): Keeping {
  const stubs: EngineMessage[] = [];
  return {
    name: 'stub at each step',
    next(transcript) {
      const stubbed = { ...transcript, messages: [...transcript.messages, ...stubs] };
      const stub = stubFor(stubbed);
      if (stub) stubs.push(stub);
      return renderMessages({ ...transcript, messages: [...transcript.messages, ...stubs] });
    },
  };
}

/** The same stubs, but created only when this many blocks are closed. */
export function stubInBatches(blocks: number): Keeping {
  const stubs: EngineMessage[] = [];
  const due: EngineMessage[] = [];
  return {
    name: `stubs in batches of ${blocks}`,
    next(transcript) {
      const stub = stubFor({ ...transcript, messages: [...transcript.messages, ...stubs, ...due] });
      if (stub) due.push(stub);
      if (due.length >= blocks) stubs.push(...due.splice(0));
      return renderMessages({ ...transcript, messages: [...transcript.messages, ...stubs] });
    },
  };
}

/** Keeps the newest closed block whole, and stubs the one before it. */
export function stubOneBehind(): Keeping {
  const stubs: EngineMessage[] = [];
  const due: EngineMessage[] = [];
  return {
    name: 'stubs, one block kept back',
    next(transcript) {
      const stub = stubFor({ ...transcript, messages: [...transcript.messages, ...stubs, ...due] });
      if (stub) due.push(stub);
      if (due.length > 1) stubs.push(due.shift()!);
      return renderMessages({ ...transcript, messages: [...transcript.messages, ...stubs] });
    },
  };
}

/** Replaces results older than the newest `keep` turns, again in each turn. */
export function pruneEachTurn(keep: number): Keeping {
  return {
    name: `pruning results older than ${keep} turns`,
    next(transcript) {
      const newest = transcript.turns.length;
      const turns = transcript.turns.map((turn) =>
        turn.turn > newest - keep
          ? turn
          : { ...turn, calls: turn.calls.map((call) => ({ ...call, output: '(old result removed)' })) },
      );
      // The first message, then two for each turn. Breakpoints: where the replaced part ended before, where it ends now, and the end.
      const border = 2 * (newest - keep);
      return marked(renderMessages({ ...transcript, turns }), [border - 2, border, 2 * newest]);
    },
  };
}

/** The same history with its last two breakpoints on the two newest messages, as providers' guides recommend. */
export function markingTwoNewest(keeping: Keeping): Keeping {
  return {
    name: `${keeping.name}, the two newest messages marked`,
    next(transcript) {
      const messages = keeping.next(transcript);
      return marked(messages, [0, messages.length - 2, messages.length - 1]);
    },
  };
}

function marked(messages: readonly Message[], indexes: readonly number[]): Message[] {
  return messages.map((message, index) => ({ ...message, cacheBreakpoint: indexes.includes(index) }));
}

function stubFor(transcript: Transcript): EngineMessage | null {
  const block = closedBlock(transcript);
  if (!block) return null;
  const content = stubOf(block, [], 8000 * BYTES_PER_TOKEN);
  if (!isWorthIt(block, content)) return null;
  return { afterTurn: transcript.turns.length, kind: 'stub', content, keepsFrom: block.keepsFrom };
}
