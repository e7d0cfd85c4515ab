/**
 * The cost of a conversation of 30 answers: `node tests/bench/engage/conversation.ts`. Simulated as `context.ts` is: the product's own code renders and
 * maps the requests, a model of the provider's cache counts its reads and writes, and prices come from the catalogue.
 */
import { answerTraces } from '../../../src/engage/context/answer-traces.ts';
import { renderMessages } from '../../../src/engage/context/context.ts';
import { saidText } from '../../../src/engage/prompt/conversation.ts';
import { systemPrompt } from '../../../src/engage/prompt/prompt.ts';
import { anthropicBody } from '../../../src/llm/anthropic/request.ts';
import type { Message } from '../../../src/llm/client.ts';
import { costUsd } from '../../../src/llm/models/cost.ts';
import { modelInfo } from '../../../src/llm/models/models.ts';
import type { Transcript } from '../../../src/store/transcript/transcript.ts';
import type { RecordedTurn } from '../../../src/store/transcript/turns.ts';
import { toolSpecs, toolset } from '../../../src/tools/registry.ts';
import { turnOf } from './context-cases.ts';
import { providerCache } from './provider-cache.ts';

const MODEL = 'claude-sonnet-4-5';
const ANSWERS = 30;

/** How much an answer works: turns with calls before its last turn, and of how many answers. */
interface Habit {
  readonly name: string;
  readonly turnsWithCalls: number;
  /** Every how many answers. */
  readonly every: number;
}

/** What a request contains of the answers before. `eras`: as the product reads them; otherwise, all is one verbatim history. */
interface Way {
  readonly name: string;
  readonly eras: boolean;
  /** The first message repeats the words of all answers before, and nothing else of them is sent. */
  readonly wordsAlone?: boolean;
}

const WAYS: readonly Way[] = [
  { name: '**answers go on**', eras: true },
  { name: 'whole history', eras: false },
  { name: 'from the words each time', eras: true, wordsAlone: true },
];

/** All requests of a conversation. */
export function measureTalk(habit: Habit, way: Way) {
  const info = modelInfo('anthropic', MODEL);
  const cache = providerCache();
  const sum = { input: 0, read: 0, usd: 0, longest: 0 };
  let transcript: Transcript = { turns: [], messages: [] };
  const words: string[] = [];
  for (let answer = 1; answer <= ANSWERS; answer += 1) {
    transcript = beginAnswer(transcript, answer, way, words);
    const looks = answer % habit.every === 0 ? habit.turnsWithCalls : 0;
    for (let nth = 0; nth <= looks; nth += 1) {
      const { usage } = cache.ask(bodyOf(renderMessages(transcript)));
      sum.input += usage.input;
      sum.read += usage.cacheRead;
      sum.usd += costUsd({ ...info, longPrompt: null }, usage) ?? 0;
      sum.longest = Math.max(sum.longest, usage.input);
      const turn = transcript.turns.length + 1;
      const next =
        nth < looks
          ? turnOf(turn, { turns: 0, callsPerTurn: 2, resultBytes: 4096, stepEvery: 1e9 })
          : finalTurn(turn, answer);
      transcript = { ...transcript, turns: [...transcript.turns, next] };
    }
    words.push(`question ${answer}`, textOf(answer));
  }
  return sum;
}

function beginAnswer({ turns, messages }: Transcript, answer: number, way: Way, words: readonly string[]): Transcript {
  const said = saidText([
    {
      id: answer,
      author: 'ada',
      at: '2026-11-23 09:00 UTC',
      text: `question ${answer}: `.padEnd(200, 'what about this? '),
      files: null,
    },
  ]);
  const intro = '# Conversation\n'.padEnd(1500, 'Who takes part, and where. ');
  if (way.wordsAlone) {
    return { turns: [], messages: [{ afterTurn: 0, kind: 'orient', content: [intro, ...words, said].join('\n') }] };
  }
  const inherited: Transcript = way.eras
    ? {
        turns: turns.map((turn) => ({ ...turn, era: turn.era ?? answer - 1 })),
        messages: messages.map((message) => ({ ...message, era: message.era ?? answer - 1 })),
      }
    : { turns, messages };
  const traces = way.eras ? answerTraces(inherited) : null;
  const content = [...(answer === 1 ? [intro] : []), ...(traces === null ? [] : [traces]), said].join('\n\n');
  return { ...inherited, messages: [...inherited.messages, { afterTurn: turns.length, kind: 'orient', content }] };
}

function finalTurn(turn: number, answer: number): RecordedTurn {
  return {
    turn,
    provider: 'anthropic',
    model: MODEL,
    content: [{ type: 'text', text: textOf(answer) }],
    stopReason: 'end_turn',
    cutToolCalls: [],
    inputTokens: null,
    calls: [],
  };
}

function textOf(answer: number): string {
  return `answer ${answer}: `.padEnd(1200, 'it is so because of this. ');
}

function bodyOf(messages: readonly Message[]) {
  const request = {
    model: MODEL,
    system: systemPrompt({ name: 'assistant', systemPrompt: 'You help.' }, undefined, true),
    tools: toolSpecs(toolset(['read_file', 'list_dir', 'write_file', 'edit_file', 'web_fetch'])),
    messages,
    maxTokens: 8192,
  };
  return anthropicBody(request, true, { provider: 'anthropic', model: modelInfo('anthropic', MODEL) });
}

/** Prints a table per habit. */
export function benchConversation(): void {
  const habits: readonly Habit[] = [
    { name: 'no tools', turnsWithCalls: 0, every: 1 },
    { name: 'every third answer takes 4 turns with 2 calls of 4 KB', turnsWithCalls: 4, every: 3 },
    { name: 'every answer takes 4 turns with 2 calls of 4 KB', turnsWithCalls: 4, every: 1 },
  ];
  for (const habit of habits) {
    const whole = measureTalk(habit, WAYS[1]!);
    const lines = [
      `\n${ANSWERS} answers, ${habit.name}`,
      '| history | input tokens | read from cache | longest | USD | of whole |',
      '|---|---:|---:|---:|---:|---:|',
    ];
    for (const way of WAYS) {
      const one = measureTalk(habit, way);
      lines.push(
        `| ${way.name} | ${one.input.toLocaleString('en')} | ${percent(one.read / one.input)} | ${one.longest.toLocaleString('en')} | ${one.usd.toFixed(3)} | ${percent(one.usd / whole.usd)} |`,
      );
    }
    process.stdout.write(`${lines.join('\n')}\n`);
  }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

if (import.meta.main) benchConversation();
