/** Servers and clients that end with the test that starts them. */
import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Llm, LlmEnvironment } from '../../src/llm/llm.ts';
import type { HttpProviderSettings } from '../../src/llm/provider-settings.ts';
import { startAnthropicServer, text } from '../support/model-server/anthropic.ts';
import { type ModelServer, type Reply, startServer } from '../support/model-server/server.ts';
import { llmOf } from './llm-call.ts';

/** A model server. */
export async function serve(...args: Parameters<typeof startAnthropicServer>): Promise<ModelServer> {
  const server = await startAnthropicServer(...args);
  onTestFinished(server.close);
  return server;
}

/** A server that gives every request the same reply. */
export async function serveRaw(reply: Reply): Promise<ModelServer> {
  const server = await startServer(() => reply);
  onTestFinished(server.close);
  return server;
}

/** A TCP server that hands over what it sends back once a client has spoken. Returns its port. */
export async function serveTcp(onData: (write: (bytes: Buffer) => void) => void): Promise<number> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => onData((bytes) => socket.end(bytes)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** An `Llm` with the provider `p` at this URL. */
export function connect(
  baseUrl: string,
  settings: Partial<HttpProviderSettings> = {},
  environment: LlmEnvironment = {},
): Llm {
  const llm = llmOf({ kind: 'anthropic', baseUrl, ...settings }, environment);
  onTestFinished(() => llm.stop());
  return llm;
}

/** The shortest answer. */
export const HI = { content: [text('hi')] };
/** Settings without a second attempt. */
export const ONCE = { retry: { maxAttempts: 1 } };
