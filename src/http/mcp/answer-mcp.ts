/** Answers one request of an MCP client over streamable HTTP. Nothing is kept between requests: there are no sessions. */
import { createMcpHandler } from '@modelcontextprotocol/server';
import { AnimusError } from '../../core/errors/errors.ts';
import type { Visit } from '../route/route.ts';
import { createMcpServer } from './mcp-server.ts';

/**
 * `body` is the parsed body of the request. The answer is an event stream. Errors: `http.invalid` for
 * several messages in one request, which the protocol has given up; others are in the answer, as the protocol has them.
 */
export async function answerMcp(visit: Visit, request: Request, body: unknown): Promise<Response> {
  if (Array.isArray(body))
    throw new AnimusError('http.invalid', { detail: 'send one message per request, not a list' });
  const { log } = visit.services;
  const handler = createMcpHandler(() => createMcpServer(visit), {
    // A stream with comments between its events: a call that waits is not taken for a dead connection.
    responseMode: 'sse',
    // Its tools do not change, so nobody need listen.
    maxSubscriptions: 0,
    onerror: (error) => log.debug({ err: error }, 'a message of an MCP client was refused'),
  });
  visit.signal.addEventListener('abort', () => void handler.close(), { once: true });
  return handler.fetch(request, { parsedBody: body });
}
