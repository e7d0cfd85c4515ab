/** A model's requests and answers as its provider's batch API takes and gives them: those of live calls. */
import type { LlmFailure, LlmRequest, LlmResponse } from '../client.ts';
import { failureCost, wayOfResponse } from '../failure-costs.ts';
import type { Mask } from '../transport/mask.ts';
import { toJson } from '../transport/to-json.ts';
import { countedUsage } from '../wire/counted-usage.ts';
import { fault, toFailure } from '../wire/fault.ts';
import { asObject, parseJson } from '../wire/loose-json.ts';
import { recordable } from '../wire/recordable.ts';
import type { Wire } from '../wire/wire.ts';
import type { BatchAnswer } from './batch-api.ts';

/** A request as it is put into a batch. */
export interface WrittenRequest {
  /** Of the API, below the base URL. */
  readonly path: string;
  readonly model: string;
  /** What the batch must be sent with, in addition to the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

/** What a stored answer means. `not_run`: the provider did not run the request, which may be put again. */
export type ReadAnswer =
  | { readonly kind: 'answered'; readonly response: LlmResponse }
  | { readonly kind: 'failed'; readonly failure: LlmFailure }
  | { readonly kind: 'not_run'; readonly why: string };

export interface BatchFormat {
  readonly provider: string;
  write(request: LlmRequest): WrittenRequest;
  /** `stored` is a BatchAnswer as JSON. `whole`: false where only the name of the model is left of the request, so that no counts can be estimated. */
  read(request: LlmRequest, stored: string, whole?: boolean): ReadAnswer;
}

/** The format of the models that speak `wire`. */
export function batchFormat(provider: string, wire: Wire, mask: Mask): BatchFormat {
  return {
    provider,
    write(request) {
      // A batch is not streamed, and some APIs refuse the field.
      const { stream: _, ...body } = wire.body(request, false);
      return {
        path: wire.path(request.model, false),
        model: request.model,
        headers: ofRequest(wire, request),
        body: toJson(body),
      };
    },
    read(request, stored, whole = true) {
      const answer = asObject(parseJson(stored)) as BatchAnswer | null;
      if (answer && 'ended' in answer) return { kind: 'not_run', why: answer.ended };
      const result = answer ? answerOf(request, answer, wire) : fault('protocol', 'the stored answer is not JSON');
      if (result.type === 'fault') {
        // 0: an error without a status: the provider has not answered.
        const status = answer === null ? 200 : answer.status;
        const way = wayOfResponse(status, result.kind, false);
        const lost = failureCost(way, 'batch') === 'lost' ? 1 : 0;
        const failure = toFailure(result, { provider, model: request.model, attempts: 1, lost }, mask);
        return { kind: 'failed', failure };
      }
      const named = recordable(result, mask);
      // Time at the provider is not time that the focus ran.
      const usage = whole ? countedUsage(named, request) : named.usage;
      const told = { timeToFirstTokenMs: null, durationMs: 0, attempts: 1, fellBackFrom: [] };
      const response = { provider, ...named, usage, ...told };
      return { kind: 'answered', response };
    },
  };
}

/** Only what the wire format itself needs: a configured header may hold a secret, and this goes into the database. */
function ofRequest(wire: Wire, request: LlmRequest): Record<string, string> {
  const headers = Object.entries(wire.headers(null, request));
  return Object.fromEntries(headers.filter(([name]) => /^(anthropic-(version|beta)|openai-beta)$/.test(name)));
}

function answerOf(request: LlmRequest, { status, body }: Extract<BatchAnswer, { status: number }>, wire: Wire) {
  if (status < 200 || status > 299) {
    // 0: an error without a status, as in a stream.
    return wire.classify({ status: status === 0 ? null : status, body: JSON.stringify(body), within: 'batch' });
  }
  const fold = wire.fold(request, () => {});
  return fold.whole(body) ?? fold.finish();
}
