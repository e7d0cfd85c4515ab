/** A model that works for many turns, and what its requests contain. */
import {
  type AnthropicAnswer,
  type AnthropicProgramme,
  type HttpAnswer,
  text,
  toolUse,
} from '../../support/model-server/anthropic.ts';
import { messagesOf } from '../../support/model-server/either-wire.ts';

type Json = Record<string, unknown>;
type Wire = { readonly role: string; readonly content: readonly Json[] };

/** What the model answers to a request for a summary. */
export const SUMMARY = 'The books are half kept; line 7 is wrong.';

/** A focus whose context is full after some ten turns. */
export const SMALL = { info: { contextWindow: 16_000 }, bounds: { truncateClosedBlocks: false } };

/** One lookup a turn, with a finding of this many bytes beside it, or none; the last turn is the end. */
export function working(turns: number, factBytes: number | null): (turn: number) => AnthropicAnswer {
  return (turn) => {
    if (turn >= turns) return { content: [text('Done.')] };
    const fact = { type: 'finding', content: `fact ${turn} `.padEnd(factBytes ?? 0, 'and more ') };
    return {
      content: [
        text(`Turn ${turn}.`),
        toolUse(`l${turn}`, 'look', { name: `part ${turn}`, bytes: 3500 }),
        ...(factBytes === null ? [] : [toolUse(`f${turn}`, 'ledger_append', fact)]),
      ],
    };
  };
}

/** Plays answers by the number of the turn, and counts input tokens as the provider would. */
export function counted(answers: (turn: number) => AnthropicAnswer): AnthropicProgramme {
  let asked = 0;
  return (body, _, request): AnthropicAnswer | HttpAnswer => {
    const usage = { input_tokens: tokensOf(request.json!) };
    if (isSummaryCall(body)) return { content: [text(SUMMARY)], usage };
    asked += 1;
    return { ...answers(asked), usage };
  };
}

/** Whether a request asks for a summary: it has no tools. */
export function isSummaryCall(body: Json): boolean {
  return body['tools'] === undefined;
}

/** The tokens of a request, as the provider counts them. */
export function tokensOf(body: Json): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify(body)) / 3.5);
}

/** The turn that a complete history asks for; a compacted one contains it in its newest answer. */
export function turnAsked(body: Json): number {
  const said = [...JSON.stringify(body).matchAll(/"Turn (\d+)\."/g)].at(-1);
  return 1 + Number(said?.[1] ?? 0);
}

/** The messages of a request, in the form of either wire. */
export function wire(body: Json): Wire[] {
  return messagesOf(body);
}

/** The texts of all results of tools. */
export function resultsIn(messages: readonly Wire[]): string[] {
  const results = messages.flatMap(({ content }) => content.filter((block) => block['type'] === 'tool_result'));
  // Chat Completions has no flag for a failed call.
  return results.map((block) => (block['content'] as { text: string }[])[0]!.text.replace(/^Error: /, ''));
}
