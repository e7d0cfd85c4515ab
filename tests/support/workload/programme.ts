/** Work with effects of every kind, as a model would do it. The description of an item contains its kind and a number. */
import {
  type AnthropicAnswer,
  type AnthropicProgramme,
  type HttpAnswer,
  text,
  toolUse,
} from '../model-server/anthropic.ts';
import { messagesOf } from '../model-server/either-wire.ts';

/**
 * `mark` has effects and writes to its ledger; `wait` parks first; `flaky` fails once; `slow` takes three answers of 150 ms, so that a
 * pause can hit it; `nap` sleeps until it is cancelled.
 */
export const KINDS = ['mark', 'wait', 'flaky', 'slow', 'nap'] as const;
export type Kind = (typeof KINDS)[number];

export interface WorkProgramme {
  readonly programme: AnthropicProgramme;
  /** How often the first request of `flaky` work was refused. */
  refusals(): number;
}

/** `port`: where effects are counted; `nap`: a sleep length that no other process on the machine uses. */
export function workProgramme(port: number, nap: string): WorkProgramme {
  const refused = new Set<string>();
  const answers: Record<Kind, (turn: number, number: string) => AnthropicAnswer | HttpAnswer> = {
    mark: (turn) => steps(turn, [act(port)]),
    wait: (turn) => steps(turn, [[toolUse('wait', 'wait_until', { seconds: 0.3, reason: 'a test' })], act(port)]),
    flaky(turn, number) {
      if (refused.has(number)) return steps(turn, [act(port)]);
      refused.add(number);
      return { status: 400, message: 'not this time' };
    },
    slow: (turn) => ({ ...steps(turn, [act(port), [toolUse('look', 'list_dir', { path: '.' })]]), delayMs: 150 }),
    nap: (turn) => steps(turn, [[toolUse('nap', 'bash', { command: `sleep ${nap}` })]]),
  };
  return {
    programme(body) {
      const messages = messagesOf(body);
      const [, kind, number] = /\b(mark|wait|flaky|slow|nap) ([\w-]+)/.exec(String(messages[0]!.content[0]!['text']))!;
      return answers[kind as Kind](messages.filter(({ role }) => role === 'assistant').length, number!);
    },
    refusals: () => refused.size,
  };
}

/** An effect in a file and one in a table, from a command that must not run twice, and one that the database makes exactly once. */
function act(port: number) {
  const command = `echo $ANIMUS_WORK_ID >> ./marks; exec 3<>/dev/tcp/127.0.0.1/${port}; echo $ANIMUS_WORK_ID >&3; read -r -u 3 ok`;
  return [toolUse('act', 'bash', { command }), toolUse('tell', 'ledger_append', { type: 'finding', content: 'acted' })];
}

function steps(turn: number, calls: readonly Record<string, unknown>[][]): AnthropicAnswer {
  return { content: calls[turn] ?? [text('Done.')] };
}
