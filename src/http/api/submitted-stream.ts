/** Submitting and following in one request: a client that accepts an event stream gets the answer as its first event, and then the events of the item. */
import { answerEvents } from '../events/answer-events.ts';
import { hintFrame } from '../events/frame.ts';
import type { JsonRoute, Visit } from '../route/route.ts';
import { visitorEyes } from '../route/visitor-eyes.ts';
import type { Answer } from './answer.ts';
import { API_ROOT } from './openapi.ts';
import type { Sent } from './sent-request.ts';

/** Whether the client asks for a stream, and the route has one. */
export function wantsStream({ streams = false }: JsonRoute, { headers }: Pick<Sent, 'headers'>): boolean {
  if (!streams) return false;
  const ranges = (headers.get('accept') ?? '').toLowerCase().split(',');
  return ranges.some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim());
    return type === 'text/event-stream' && !parameters.some((one) => /^q\s*=\s*0(\.0*)?$/.test(one));
  });
}

/** The answer of a request whose effect is committed, with the stream that follows it. A repetition streams the same item from its beginning. */
export async function withStream(route: JsonRoute, answer: Answer, visit: Visit): Promise<Answer> {
  const work = JSON.parse(answer.text) as Readonly<Record<string, unknown>>;
  const id = String(work[route.awaits ?? 'id']);
  const first = [hintFrame('submitted', { work })];
  const live = await visit.services.live.services();
  const stream = await answerEvents(live, {
    eyes: visitorEyes(visit),
    scope: { kind: 'work', id },
    after: null,
    first,
  });
  return { ...answer, headers: { location: `${API_ROOT}/work/${id}` }, stream };
}
