import type { CompleteOptions, LlmFailure, LlmRequest, LlmResult } from './client.ts';
import { FAILURE_KINDS, isFailureOfTheWorld } from './client.ts';
import type { ResolvedModel } from './llm.ts';
import { passEvents } from './transport/pass-events.ts';

/** An answer or failure, and its model. */
export interface FallbackResult {
  readonly result: LlmResult;
  /** The model whose prices apply; the first model if none answered. */
  readonly used: ResolvedModel;
}

/**
 * Calls the first model, then the next one when a model fails for a reason that may not affect another: a failing
 * provider, an unknown model name, a content filter, a broken stream. A request that is invalid, too long or aborted is
 * not passed on. `fellBackFrom` of the answer lists the models that failed. If all fail, returns the first failure caused
 * by a provider (the work is then released), else the last one. Needs at least one model.
 */
export async function completeWithFallback(
  models: readonly [ResolvedModel, ...ResolvedModel[]],
  request: Omit<LlmRequest, 'model'>,
  options: CompleteOptions,
): Promise<FallbackResult> {
  const failures: LlmFailure[] = [];
  const progress = passEvents(options);
  const asked = { ...options, ...(options.onEvent && { onEvent: progress.emit }) };
  for (const used of models) {
    if (failures.length > 0) progress.restart();
    const result = await used.client.complete({ ...request, model: used.model }, asked);
    if (result.ok) {
      const lost = lostOf(failures) + (result.response.lost ?? 0);
      return { used, result: { ok: true, response: { ...result.response, lost, fellBackFrom: failures } } };
    }
    failures.push(result.failure);
    if (!FAILURE_KINDS[result.failure.kind].elsewhere || !progress.mayStartOver()) break;
    if (options.payOnce === true && result.failure.lost > 0) break;
  }
  return { used: models[0], result: { ok: false, failure: worst(failures) } };
}

function worst(failures: readonly LlmFailure[]): LlmFailure {
  const chosen = failures.find(isFailureOfTheWorld) ?? failures.at(-1);
  if (!chosen) throw new TypeError('no models to ask');
  const attempts = failures.reduce((sum, failure) => sum + failure.attempts, 0);
  if (failures.length === 1) return chosen;
  const message = failures.map((failure) => `${failure.provider}/${failure.model}: ${failure.message}`).join('; then ');
  return { ...chosen, attempts, lost: lostOf(failures), message };
}

function lostOf(failures: readonly LlmFailure[]): number {
  return failures.reduce((sum, failure) => sum + failure.lost, 0);
}
