import type { WireChoice } from '../core/config/providers/provider.ts';
import { AnimusError } from '../core/errors/errors.ts';
import { type ModelInfo, type ModelOverride, UNKNOWN_MODEL } from './models/model-info.ts';
import { modelInfo, modelSources } from './models/models.ts';
import type { ProviderSettings } from './provider-settings.ts';

/** What a model needs to know about its provider: the kind, and the wire format of all its models if one is set. */
export interface NamedProvider {
  readonly kind: ProviderSettings['kind'];
  readonly wire?: WireChoice;
  /** True: the names of its models are those of other models, which it answers for. Default false. */
  readonly standsIn?: boolean;
}

/** The names that model names are resolved with. */
export interface ModelNames {
  /** By provider name, as in `provider/model`. */
  readonly providers: Readonly<Record<string, NamedProvider>>;
  /** The provider of model names without a provider. */
  readonly defaultProvider: string;
  /** `[models."provider/model"]` of the configuration. */
  readonly models?: Readonly<Record<string, ModelOverride>>;
}

/** A model, its provider, and its catalogue entry. */
export interface LocatedModel {
  readonly provider: string;
  /** The name as the provider knows it: for `LlmRequest.model`. */
  readonly model: string;
  readonly kind: ProviderSettings['kind'];
  /** `wire` is the one that is used: as configured for the model, else for its provider, else as in the catalogue. */
  readonly info: ModelInfo;
}

/** A script costs nothing, unless the configuration gives it a price. */
const FREE: ModelInfo['prices'] = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** `provider/model`, or a model of the default provider. Throws `llm.unknown_provider`. */
export function locateModel(name: string, names: ModelNames): LocatedModel {
  const { provider, model } = splitModelName(name, names);
  const found = Object.hasOwn(names.providers, provider) ? names.providers[provider] : undefined;
  if (found?.standsIn === true) return { provider, model, kind: found.kind, info: infoOfAbsent(model, names) };
  if (found) {
    const info = modelInfo(provider, model, names.models);
    const { overrides } = modelSources(provider, model, names.models);
    const own = overrides.map((each) => names.models?.[each]?.wire).findLast((each) => each !== undefined);
    const wire = own ?? found.wire ?? info.wire;
    const prices = info.prices ?? (found.kind === 'scripted' ? FREE : null);
    return { provider, model, kind: found.kind, info: { ...info, wire, prices } };
  }
  const known = Object.keys(names.providers).join(', ') || 'none';
  throw new AnimusError('llm.unknown_provider', { provider, model: name, known });
}

/** What a model costs and how much it takes, for a script that answers in its place: it has no wire, and takes all options. */
function infoOfAbsent(name: string, names: ModelNames): ModelInfo {
  const { provider, model } = splitModelName(name, names);
  const isThere = Object.hasOwn(names.providers, provider);
  const info = isThere ? locateModel(name, names).info : modelInfo(provider, model, names.models);
  const { prices, longPrompt, priceChanges, contextWindow, maxOutput, batchShare } = info;
  return { ...UNKNOWN_MODEL, prices, longPrompt, priceChanges, contextWindow, maxOutput, batchShare, known: true };
}

/**
 * The part before the first slash names the provider, whether or not there is one of that name: a name that has lost its provider must not become one
 * of the default provider, who would get words that were meant for another. A name without a slash is a model of the default provider.
 */
export function splitModelName(
  name: string,
  { defaultProvider }: Pick<ModelNames, 'defaultProvider'>,
): { readonly provider: string; readonly model: string } {
  const slash = name.indexOf('/');
  if (slash < 0) return { provider: defaultProvider, model: name };
  return { provider: name.slice(0, slash), model: name.slice(slash + 1) };
}
