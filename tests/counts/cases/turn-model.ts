/** A model that asks for the same kind of calls in each turn, and counts between two of its requests. */
import { anthropicEvents, sse, text, toolUse } from '../../support/model-server/anthropic.ts';
import { type RecordedRequest, startServer } from '../../support/model-server/server.ts';
import { type Cost, DISTURBANCES, difference } from '../meter.ts';

/** The turns between whose requests is counted, and the last one. */
const [FROM, TO, LAST] = [4, 12, 13];

type Json = Record<string, unknown>;
export type Call = readonly [tool: string, input: Json];
/** What the model asks for in a turn. Calls of one turn that end at different moments would be recorded by more or fewer statements. */
export type CallsOf = (turn: number) => readonly Call[];

export interface TurnModel {
  /** Without a path. */
  readonly url: string;
  /** Asked for from the next request on. */
  calls: CallsOf;
  /** What a turn of the focus that has just ended cost. */
  perTurn(): Cost;
  close(): Promise<void>;
}

/** `read` tells what was counted so far; `first`: it is the first time in this focus. */
export async function startTurnModel(calls: CallsOf, read: (first: boolean) => Promise<Cost>): Promise<TurnModel> {
  let before: Cost = {};
  let turns: Cost[] = [];
  const server = await startServer(async (request) => {
    const turn = turnOf(request);
    if (turn >= FROM && turn <= TO) {
      const now = await read(turn === FROM);
      turns = turn === FROM ? [] : [...turns, difference(now, before)];
      before = now;
    }
    const asked = model.calls(turn).map(([tool, input], n) => toolUse(`toolu_${turn}_${n}`, tool, input));
    return answerOf(turn === LAST ? [text('All is done.')] : asked);
  });
  const model: TurnModel = { url: server.url, calls, perTurn: () => costPerTurn(turns), close: server.close };
  return model;
}

function turnOf({ json }: RecordedRequest): number {
  const messages = json!['messages'] as readonly { readonly role: string }[];
  return messages.filter(({ role }) => role === 'assistant').length + 1;
}

function answerOf(content: readonly Json[]) {
  const calls = content.some((block) => block['type'] === 'tool_use');
  const message = {
    id: 'msg_mock',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content,
    stop_reason: calls ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 10 },
  };
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'request-id': 'req_mock' };
  return { status: 200, headers, parts: anthropicEvents(message).map(sse) };
}

/**
 * The least of the turns of a focus, since a call that outlasts the record of its answer costs a statement more; the median of what one turn
 * allocates, which is known only roughly; all disturbances.
 */
function costPerTurn(turns: readonly Cost[]): Cost {
  const costOf = (measure: string) => {
    const all = turns.map((turn) => turn[measure]!).toSorted((one, other) => one - other);
    if (DISTURBANCES.includes(measure)) return all.reduce((sum, cost) => sum + cost, 0);
    return measure === 'allocatedKB' ? Math.round(all[all.length >> 1]!) : all[0]!;
  };
  return Object.fromEntries(Object.keys(turns[0]!).map((measure) => [measure, costOf(measure)]));
}
