/** MCP at `/api/v1/mcp`: the same checks as for any request, then the protocol's own. The SDK is loaded by the first request. */
import type { Doorkeeper } from '../door/authorize.ts';
import type { ApiServices } from '../route/route.ts';
import { type Arrival, visitOf } from './answer-route.ts';
import { readJsonBody } from './read-body.ts';

/** Errors: those of `Doorkeeper.admit` and `readJsonBody`; what tools may do is decided by their scopes, call by call. */
export async function answerMcpRequest(
  arrival: Arrival<Request>,
  services: ApiServices,
  door: Doorkeeper,
): Promise<Response> {
  const visit = await visitOf(arrival, services, door, null);
  const { value } = await readJsonBody(arrival.request);
  const { answerMcp } = await import('../mcp/answer-mcp.ts');
  return answerMcp(visit, arrival.request, value);
}
