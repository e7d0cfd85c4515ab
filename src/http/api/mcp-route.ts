/** MCP at `/api/v1/mcp`: the same checks as for any request, then the protocol's own. The SDK is loaded by the first request. */
import { currentTraceparent } from '../../telemetry/spans.ts';
import type { Doorkeeper } from '../door/authorize.ts';
import type { ApiServices } from '../route/route.ts';
import type { Arrival } from './answer-route.ts';
import { readJsonBody } from './read-body.ts';

/** Errors: those of `Doorkeeper.admit` and `readJsonBody`; what tools may do is decided by their scopes, call by call. */
export async function answerMcpRequest(arrival: Arrival, services: ApiServices, door: Doorkeeper): Promise<Response> {
  const { request, address, signal } = arrival;
  const visitor = await door.admit(
    { authorization: request.headers.get('authorization') ?? undefined, address, signal },
    null,
  );
  arrival.admitted(visitor.actor);
  const { value } = await readJsonBody(request);
  const { answerMcp } = await import('../mcp/answer-mcp.ts');
  const traceparent = currentTraceparent() ?? request.headers.get('traceparent');
  return answerMcp({ visitor, services, traceparent, signal }, request, value);
}
