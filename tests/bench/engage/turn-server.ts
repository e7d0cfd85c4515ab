/**
 * The model of the turn benchmarks, in a separate process so that its CPU time is not the loop's. It answers turn n of a
 * conversation at once, and measures the figure to compare: the time from the last byte of an answer to the next request.
 * Prints its port; it answers the message `collect` with the times since the last one.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openaiChunks } from '../../support/model-server/openai.ts';
import { LOOK } from './agent-loop.ts';

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

interface Prompt {
  readonly conversation: string;
  readonly turns: number;
  readonly callsPerTurn: number;
}

const answeredAtMs = new Map<string, number>();
let gapsMs: number[] = [];

const server = createServer((request, response) => {
  const arrivedAtMs = performance.now();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => answer(JSON.parse(Buffer.concat(chunks).toString()) as Body, arrivedAtMs, response));
});

function answer({ messages }: Body, arrivedAtMs: number, response: ServerResponse): void {
  const prompt = promptIn(messages);
  const turn = messages.filter(({ role }) => role === 'assistant').length + 1;
  const before = answeredAtMs.get(prompt.conversation);
  if (before !== undefined) gapsMs.push(arrivedAtMs - before);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(answerOf(turn, prompt), () => {
    if (turn > prompt.turns) answeredAtMs.delete(prompt.conversation);
    else answeredAtMs.set(prompt.conversation, performance.now());
  });
}

function promptIn(messages: Body['messages']): Prompt {
  const content = messages.find(({ role }) => role === 'user')?.content;
  const text = typeof content === 'string' ? content : (content as { text: string }[])[0]!.text;
  return JSON.parse(text) as Prompt;
}

function answerOf(turn: number, { turns, callsPerTurn }: Prompt): string {
  const calls = Array.from({ length: turn > turns ? 0 : callsPerTurn }, (_, index) => ({
    id: `call_${turn}_${index}`,
    name: LOOK.name,
    input: { part: `${turn}.${index}` },
  }));
  const text = turn > turns ? 'All parts are fine.' : `I look at part ${turn} of the work next, as planned.`;
  // LangGraph treats two answers with the same id as one.
  const id = `chatcmpl_${turn}`;
  const streamed = openaiChunks({ text, calls, model: 'm' }, true).map((chunk) => ({ ...chunk, id }));
  return `${streamed.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`;
}

// The bare loop does not retry, so no connection may be closed while it is in use.
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', () => {
  process.send?.({ gapsMs });
  gapsMs = [];
});
process.on('disconnect', () => process.exit(0));
