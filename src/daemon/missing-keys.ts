/** Faculties that cannot work because nobody gave this daemon a key. */
import { type Faculty, modelChain } from '../catalog/faculty.ts';
import type { Config, ProviderConfig } from '../core/config.ts';
import { BUILT_IN_BASE_URLS } from '../core/config-providers.ts';
import { splitModelName } from '../llm/locate-model.ts';
import { modelNames } from './model-names.ts';
import { remedyOf } from './provider-remedy.ts';

/**
 * Why the faculty cannot work here, or null. Only what is certain: every model of its chain is at a vendor's own address,
 * which answers nobody without a key. Another server may not want one.
 */
export function missingKey(faculty: Faculty, config: Config): string | null {
  const names = modelNames(config);
  const chain = modelChain(faculty.engage).map((model) => config.providers.get(splitModelName(model, names).provider));
  const keyless = chain.filter((provider) => provider !== undefined && needsKey(provider));
  const [first] = keyless;
  if (first === undefined || keyless.length < chain.length) return null;
  const remedy = remedyOf({ kind: 'credentials' }, first);
  return `faculty ${faculty.name} takes no work here: its provider ${first.name} has no key; ${remedy}, and start animus again`;
}

function needsKey(provider: ProviderConfig): boolean {
  if (provider.kind === 'scripted' || provider.apiKey !== null) return false;
  return provider.baseUrl === BUILT_IN_BASE_URLS[provider.kind];
}
