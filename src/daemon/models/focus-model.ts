/** Creates the model client of a focus from the configuration. */
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { Config } from '../../core/config/config.ts';
import { AnimusError } from '../../core/errors/errors.ts';
import type { Eyes } from '../../engage/calls/sight.ts';
import type { FocusModel } from '../../engage/turn/focus-model.ts';
import type { LlmFailure, LlmResponse, Usage } from '../../llm/client.ts';
import type { Embedder } from '../../llm/embeddings/embedder.ts';
import { completeWithFallback } from '../../llm/fallback.ts';
import type { PlacedBatches, ResolvedModel } from '../../llm/llm.ts';
import { mediaTokens } from '../../llm/media/media-tokens.ts';
import { costUsd, exactUsd, maxCostUsd, type PriceTerms } from '../../llm/models/cost.ts';
import { wordsInRequest } from '../../llm/wires.ts';
import type { ProcessHost } from '../../process/process-host.ts';
import type { ClaimedWork } from '../../store/work/work.ts';
import type { Log } from '../../telemetry/log.ts';
import { createConfiguredLlm, openConfiguredEmbedder } from './configured-llm.ts';
import { modelOptions } from './model-names.ts';
import { explainFailure } from './provider-remedy.ts';
import { type Kept, keptToProviders, placeOf, placesOf, strayModel } from './providers-of-work.ts';

/** Where foci get their models. */
export interface ModelSource {
  /**
   * The faculty's model with its fallbacks; throws `llm.unknown_provider` where a provider is not configured, and `work.provider_changed` where it is not the
   * one that the faculty has recorded. `work`: whose task a script may ask for.
   */
  forFocus(faculty: Faculty, focusId: string, work?: OwnTask): FocusModel;
  /** What the faculty's models see of images and documents. Throws like `forFocus`. */
  eyes(faculty: Faculty): Eyes;
  /** The faculty with which work began, kept to its providers. */
  kept(begun: Faculty): Kept;
  /** One line for people: which provider failed, how, and the remedy. */
  explain(failure: LlmFailure): string;
  /** The model of `[embeddings]`; null: none is configured. */
  readonly embedder: Embedder | null;
  /** The batches of the provider at a place (`animus.batches`); null if none that is configured is there, or it has no batch API. */
  batches(place: string): PlacedBatches | null;
  stop(): Promise<void>;
}

type OwnTask = Pick<ClaimedWork, 'description' | 'params'>;

/** Sets up every configured provider. Scripts are read now, and again when they have changed; connections are made at the first call. */
export function openModels(config: Config, log: Log, processes: ProcessHost): ModelSource {
  const llm = createConfiguredLlm(config, processes, (message) =>
    log.error({}, `a script is broken; its last good version stays: ${message}`),
  );
  const places = placesOf(config);
  const chainOf = (faculty: Faculty) => {
    const { model, fallbackModels } = faculty.engage;
    const stray = strayModel(faculty, config);
    // The code that begins or resumes a focus has kept it to its providers: this guards against code that forgets to.
    if (stray !== null) throw new AnimusError('work.provider_changed', { model: stray });
    return [llm.resolve(model), ...fallbackModels.map((name) => llm.resolve(name))] as const;
  };
  return {
    forFocus(faculty, focusId, work) {
      const settings = faculty.engage;
      const options = modelOptions(settings);
      const chain = chainOf(faculty);
      const [first] = chain;
      return {
        ...answering(chain, options, (response) => reportFallback(response, { faculty, focusId, log })),
        provider: first.provider,
        model: first.model,
        // A request must fit every model of the chain.
        contextWindow: Math.min(...chain.map(({ info }) => info.contextWindow)),
        settings: { ...options, conversationId: focusId, ...(work && taskFor(chain, work)) },
        closingTurn: options.outputSchema !== undefined && first.info.structuredOutputs === 'closing',
        timeouts: { streamIdleMs: settings.streamIdleSeconds * 1000 },
        ...(settings.batch && { batch: batchOf(first, options, placeOf(config.providers.get(first.provider)!)) }),
        maxCostUsd: (input, output) => highestCost(chain, options, settings.batch, input, output),
      };
    },
    eyes(faculty) {
      const chain = chainOf(faculty);
      return {
        unseen(media) {
          const by = chain.flatMap((each) => {
            const words = wordsInRequest(each, media);
            return words === null ? [] : [{ model: `${each.provider}/${each.model}`, words }];
          });
          return { by, byAll: by.length === chain.length };
        },
        tokens: (media) => Math.max(...chain.map(({ model, info }) => mediaTokens(media, model, info))),
      };
    },
    kept: (begun) => keptToProviders(begun, config),
    explain: (failure) => explainFailure(failure, config),
    embedder: config.embeddings && openConfiguredEmbedder(llm, config.embeddings),
    batches: (place) => {
      const name = places.get(place);
      const found = name === undefined ? null : llm.batches(name);
      return found && { ...found, provider: name! };
    },
    stop: () => llm.stop(),
  };
}

/** Params are as they stand in the first message. */
function taskFor(chain: readonly ResolvedModel[], { description, params }: OwnTask): { readonly task?: string } {
  if (!chain.some(({ kind }) => kind === 'scripted')) return {};
  return { task: `${description}\n${JSON.stringify(params, null, 2)}` };
}

/** Of the dearest model; null if one has no price. A batch is asked of the first model alone, and has no service tier. */
function highestCost(
  chain: readonly [ResolvedModel, ...ResolvedModel[]],
  terms: PriceTerms,
  batch: boolean,
  inputTokens: number,
  outputTokens: number,
): number | null {
  const asked = batch ? [chain[0]] : chain;
  const costs = asked.map(({ info }) => maxCostUsd(info, inputTokens, outputTokens, terms));
  if (costs.includes(null)) return null;
  const highest = Math.max(...costs.map(Number));
  return batch ? highest * chain[0].info.batchShare : highest;
}

/** A turn in a batch is asked of the first model only. Throws `llm.no_batch`. */
function batchOf(
  { provider, model, batch, info }: ResolvedModel,
  { cacheTtl }: PriceTerms,
  place: string,
): NonNullable<FocusModel['batch']> {
  if (batch === null) throw new AnimusError('llm.no_batch', { provider, model });
  const terms = cacheTtl === undefined ? {} : { cacheTtl };
  return { format: batch, place, costUsd: (usage) => shareOf(costUsd(info, usage, terms), info.batchShare) };
}

function shareOf(cost: number | null, share: number): number | null {
  return cost === null ? null : exactUsd(cost * share);
}

/** The chain as one client. An answer costs the price of the model that gave it. */
function answering(
  chain: readonly [ResolvedModel, ...ResolvedModel[]],
  terms: PriceTerms,
  onAnswer: (response: LlmResponse) => void,
): Pick<FocusModel, 'client' | 'costUsd'> {
  // An answer has the provider's own name of the model; only this place knows which model of the chain it is.
  const usedBy = new WeakMap<Usage, ResolvedModel>();
  return {
    client: {
      prepare: (request) => chain[0].client.prepare?.({ ...request, model: chain[0].model }),
      async complete(request, options) {
        const { result, used } = await completeWithFallback(chain, request, options);
        if (!result.ok) return result;
        if (result.response.usage) usedBy.set(result.response.usage, used);
        onAnswer(result.response);
        return result;
      },
    },
    costUsd: (usage) => costUsd((usedBy.get(usage) ?? chain[0]).info, usage, terms),
  };
}

function reportFallback(
  { provider, model, fellBackFrom }: LlmResponse,
  { faculty, focusId, log }: { readonly faculty: Faculty; readonly focusId: string; readonly log: Log },
): void {
  for (const failed of fellBackFrom) {
    const fields = { faculty: faculty.name, focus: focusId, failed: `${failed.provider}/${failed.model}` };
    const answered = `${provider}/${model}`;
    log.warn({ ...fields, kind: failed.kind, error: failed.message, answered }, 'a fallback model answered');
  }
}
