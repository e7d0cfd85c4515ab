/**
 * The cost of a long run's context, for several ways of keeping it: `node tests/bench/engage/context.ts`. Everything is
 * simulated and deterministic: the product's own code renders and maps the requests, a model of the provider's cache
 * counts its reads and writes, and prices come from the catalogue.
 */

import { systemPrompt } from '../../../src/engage/prompt/prompt.ts';
import { anthropicBody } from '../../../src/llm/anthropic/request.ts';
import { costUsd } from '../../../src/llm/models/cost.ts';
import { modelInfo } from '../../../src/llm/models/models.ts';
import type { Transcript } from '../../../src/store/transcript/transcript.ts';
import { toolSpecs, toolset } from '../../../src/tools/registry.ts';
import {
  type Keeping,
  type Load,
  markingTwoNewest,
  pruneEachTurn,
  stubAtEachStep,
  stubInBatches,
  stubOneBehind,
  turnOf,
  wholeHistory,
} from './context-cases.ts';
import { providerCache } from './provider-cache.ts';

const MODEL = 'claude-sonnet-4-5';

export interface Outcome {
  readonly inputTokens: number;
  /** Share of all input tokens that repeat the previous request byte for byte from its beginning. */
  readonly extendsShare: number;
  readonly cacheReadShare: number;
  readonly usd: number;
  /** Tokens of the longest request. */
  readonly longest: number;
}

/** Runs a load with one way of keeping its history. */
export function measure(load: Load, keeping: Keeping): Outcome {
  const info = modelInfo('anthropic', MODEL);
  const cache = providerCache();
  const orient = { afterTurn: 0, kind: 'orient' as const, content: '# Work item\n'.padEnd(3000, 'Do the work well. ') };
  let transcript: Transcript = { turns: [], messages: [orient] };
  const sum = { input: 0, extends: 0, read: 0, usd: 0, longest: 0 };
  for (let turn = 1; turn <= load.turns; turn += 1) {
    const body = bodyOf(keeping.next(transcript));
    const { usage, extendsTokens } = cache.ask(body);
    sum.input += usage.input;
    sum.extends += extendsTokens;
    sum.read += usage.cacheRead;
    // Answers are the same for every way of keeping the history, so they are left out of the cost.
    sum.usd += costUsd({ ...info, longPrompt: null }, usage) ?? 0;
    sum.longest = Math.max(sum.longest, usage.input);
    transcript = { ...transcript, turns: [...transcript.turns, turnOf(turn, load)] };
  }
  return {
    inputTokens: sum.input,
    extendsShare: sum.extends / sum.input,
    cacheReadShare: sum.read / sum.input,
    usd: sum.usd,
    longest: sum.longest,
  };
}

function bodyOf(messages: ReturnType<Keeping['next']>) {
  const request = {
    model: MODEL,
    system: systemPrompt({ name: 'bench', systemPrompt: 'You work.' }),
    tools: toolSpecs(toolset(['read_file', 'list_dir', 'write_file', 'edit_file', 'bash'])),
    messages,
    maxTokens: 8192,
  };
  return anthropicBody(request, true, { provider: 'anthropic', model: modelInfo('anthropic', MODEL) });
}

/** All ways of keeping a history, each with its own state. */
export function keepings(): Keeping[] {
  return [wholeHistory(), stubAtEachStep(), stubInBatches(3), stubInBatches(5), stubOneBehind(), pruneEachTurn(5)];
}

function print(load: Load, ways = keepings()): void {
  const { turns, callsPerTurn, resultBytes, stepEvery } = load;
  const lines = [`\n${turns} turns × ${callsPerTurn} calls × ${resultBytes} bytes, a step every ${stepEvery} turns`];
  lines.push('| history | input tokens | of whole | extends the last | read from cache | longest | USD | of whole |');
  lines.push('|---|---:|---:|---:|---:|---:|---:|---:|');
  const whole = measure(load, wholeHistory());
  for (const keeping of ways) {
    const one = measure(load, keeping);
    const cells = [
      keeping.name,
      one.inputTokens.toLocaleString('en'),
      percent(one.inputTokens / whole.inputTokens),
      percent(one.extendsShare),
      percent(one.cacheReadShare),
      one.longest.toLocaleString('en'),
      one.usd.toFixed(2),
      percent(one.usd / whole.usd),
    ];
    lines.push(`| ${cells.join(' | ')} |`);
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** Prints all tables. */
export function benchContext(): void {
  for (const callsPerTurn of [2, 12]) {
    for (const stepEvery of [2, 5, 10]) print({ turns: 100, callsPerTurn, resultBytes: 4096, stepEvery });
  }
  for (const callsPerTurn of [2, 12, 25]) {
    const load = { turns: 100, callsPerTurn, resultBytes: 1024, stepEvery: 10 };
    print(load, [stubAtEachStep(), markingTwoNewest(stubAtEachStep())]);
  }
}

if (import.meta.main) benchContext();
