/** The providers of a faculty's models, and whether work that goes on still has the ones with which it began. */
import { type Faculty, modelChain } from '../../catalog/faculty/faculty.ts';
import type { Config } from '../../core/config/config.ts';
import type { ProviderConfig } from '../../core/config/providers/provider.ts';
import {
  describeProvider,
  identityText,
  isSameProvider,
  type ProviderOfModel,
} from '../../core/config/providers/provider-identity.ts';
import { splitModelName } from '../../llm/locate-model.ts';

type Providers = Pick<Config, 'providers' | 'defaultProvider'>;

/** The faculty with the providers that the names of its models mean now. */
export function withProviders(faculty: Faculty, config: Providers): Faculty {
  const providers: Record<string, ProviderOfModel> = {};
  for (const written of modelChain(faculty.engage)) {
    const found = providerOf(written, config);
    if (found !== null) providers[written] = found;
  }
  return { ...faculty, engage: { ...faculty.engage, providers } };
}

/** A model whose provider is not the one with which the work began. */
export interface ChangedProvider {
  /** As its faculty named it. */
  readonly model: string;
  /** For people, such as `openai at https://api.example.com/v1 with EXAMPLE_KEY`; null: an earlier animus did not record it. */
  readonly began: string | null;
  /** The same; null: no provider has that name. */
  readonly now: string | null;
}

/** `lost`: the fallback models that are left out, because their provider is gone or another one. */
export type Kept =
  | { readonly faculty: Faculty; readonly lost: readonly ChangedProvider[] }
  | { readonly changed: ChangedProvider };

/**
 * Keeps work to its providers: a faculty as it was when the work began, with the present names of the providers that it had then, or its
 * model, if the provider of that one is gone or is another one now. What an earlier animus recorded does not say which these were: then their names have to be there.
 */
export function keptToProviders(begun: Faculty, config: Providers): Kept {
  const { engage } = begun;
  const lost: ChangedProvider[] = [];
  const chain: string[] = [];
  for (const written of modelChain(engage)) {
    const began = engage.providers?.[written];
    const now = providerOf(written, config);
    const name = began === undefined ? (now?.name ?? null) : nameOf(began, now, config);
    if (name !== null) {
      const isItsName = began === undefined || name === now?.name;
      chain.push(isItsName ? written : `${name}/${splitModelName(written, { defaultProvider: '' }).model}`);
      continue;
    }
    const changed = { model: written, began: textOf(began), now: textOf(now) };
    // What a person has to decide is whether other models get its words; with fewer of its own it goes on.
    if (chain.length === 0) return { changed };
    lost.push(changed);
  }
  const [model, ...fallbackModels] = chain;
  if (model === undefined) return { faculty: begun, lost };
  return { faculty: withProviders({ ...begun, engage: { ...engage, model, fallbackModels } }, config), lost };
}

/** The first model whose provider is not the one that the faculty has recorded for it; null: all are. */
export function strayModel({ engage }: Faculty, config: Providers): string | null {
  const stray = modelChain(engage).find((written) => {
    const recorded = engage.providers?.[written];
    const now = providerOf(written, config);
    return recorded !== undefined && (now === null || !isSameProvider(recorded, now));
  });
  return stray ?? null;
}

/** By the text of the place and by its name, the provider to which requests go that were put there; earlier versions of animus recorded only names. */
export function placesOf({ providers }: Pick<Config, 'providers'>): ReadonlyMap<string, string> {
  const all = [...providers.values()];
  return new Map([
    ...all.map(({ name }) => [name, name] as const),
    ...all.map((provider) => [placeOf(provider), provider.name] as const),
  ]);
}

/** The place of a provider's batches: whichever name it has later, they are there. */
export function placeOf(provider: ProviderConfig): string {
  return identityText(describeProvider(provider));
}

function providerOf(written: string, config: Providers): ProviderOfModel | null {
  const { provider: name } = splitModelName(written, config);
  const provider = config.providers.get(name);
  return provider === undefined ? null : describeProvider(provider);
}

/** Under its own name, headers and options may have changed; under another one, they tell apart the vendors behind one gateway. */
function nameOf(began: ProviderOfModel, now: ProviderOfModel | null, { providers }: Providers): string | null {
  if (now !== null && isSameProvider(began, now)) return now.name;
  for (const provider of providers.values()) {
    const other = describeProvider(provider);
    if (isSameProvider(began, other) && began.routing === other.routing) return other.name;
  }
  return null;
}

function textOf(provider: ProviderOfModel | null | undefined): string | null {
  return provider === null || provider === undefined ? null : identityText(provider);
}
