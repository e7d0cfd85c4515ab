/** Finds faculties that cannot work because this daemon has no key for their provider. */
import { type Faculty, modelChain } from '../../catalog/faculty/faculty.ts';
import type { Config } from '../../core/config/config.ts';
import type { ProviderConfig } from '../../core/config/providers/provider.ts';
import { vendorUrl } from '../../core/config/providers/provider.ts';
import { splitModelName } from '../../llm/locate-model.ts';
import { modelNames } from '../models/model-names.ts';
import { remedyOf } from '../models/provider-remedy.ts';

/**
 * The provider whose missing key stops the faculty, or null. Reports only certain cases: every model of its chain is at a
 * vendor's own address, which requires a key. Another server may not.
 */
export function missingKey(faculty: Faculty, config: Config): ProviderConfig | null {
  const names = modelNames(config);
  const chain = modelChain(faculty.engage).map((model) => config.providers.get(splitModelName(model, names).provider));
  const keyless = chain.filter((provider) => provider !== undefined && needsKey(provider));
  return keyless.length === chain.length ? (keyless[0] ?? null) : null;
}

/** The missing keys, one line per provider, with the waiting faculties and the remedy. */
export function missingKeys(faculties: Iterable<Faculty>, config: Config): string[] {
  const waiting = Map.groupBy(faculties, (faculty) => missingKey(faculty, config));
  return [...waiting].flatMap(([provider, unable]) => {
    if (provider === null) return [];
    const names = unable.map(({ name }) => name).join(', ');
    const remedy = remedyOf({ kind: 'credentials' }, provider);
    return `provider ${provider.name} has no key, so no work is claimed for ${names}; ${remedy}, and restart animus`;
  });
}

/** True for a vendor's own address without a key, which it requires. */
export function needsKey(provider: ProviderConfig): boolean {
  if (provider.kind === 'scripted' || provider.apiKey !== null || provider.credentials !== null) return false;
  return provider.baseUrl === vendorUrl(provider.kind);
}
