/** What people should know of the prices that budgets are counted with. */
import { type Faculty, modelChain } from '../../catalog/faculty/faculty.ts';
import type { Config } from '../../core/config/config.ts';
import { locateModel } from '../../llm/locate-model.ts';
import { openCatalogue } from '../../llm/models/catalogue.ts';
import { modelSources } from '../../llm/models/models.ts';
import { modelNames } from './model-names.ts';
import { vendorAt } from './unknown-models.ts';

/** Vendors change prices several times a year. */
const OLD_AFTER_DAYS = 60;

export interface PriceRemark {
  readonly message: string;
  readonly remedy: string;
}

/**
 * Old prices, fetched ones that cannot be read, and models of the faculties that are only known by their family and so have no price. Only of
 * models of vendors in the catalogue: a server of one's own has no price list.
 */
export function priceRemarks(
  faculties: Iterable<Faculty>,
  config: Config,
  now: Date = new Date(),
): readonly PriceRemark[] {
  const { file, problem } = openCatalogue().prices;
  const { checked, published, version, package: table } = file.source;
  const days = Math.floor((now.getTime() - Date.parse(checked)) / 86_400_000);
  const remarks: PriceRemark[] = [];
  if (problem !== null) {
    const message = `fetched prices cannot be used, so animus uses its own: ${problem}`;
    remarks.push({ message, remedy: `${UPDATE}, or ${UPDATE} --reset` });
  }
  if (days > OLD_AFTER_DAYS) {
    const message = `prices of models are ${days} days old: ${table} ${version} of ${published} was the newest on ${checked}`;
    remarks.push({ message, remedy: UPDATE });
  }
  for (const [name, entry] of unpriced(faculties, config)) {
    const message = `${name} has no price: it is only known to be like ${entry}, and limits in USD are refused for it`;
    remarks.push({ message, remedy: `${UPDATE}; or set usd_per_million in animus.toml: [models."${name}"]` });
  }
  return remarks;
}

const UPDATE = 'animus models update';

function unpriced(faculties: Iterable<Faculty>, config: Config): ReadonlyMap<string, string> {
  const names = modelNames(config);
  const found = new Map<string, string>();
  for (const { engage } of faculties) {
    for (const written of modelChain(engage)) {
      const { provider, model, info } = locateModel(written, names);
      const { catalogue } = modelSources(provider, model, names.models);
      if (info.prices !== null || catalogue?.by !== 'family') continue;
      // That is said of its name already.
      if (vendorAt(config.providers.get(provider)) !== null) continue;
      if (catalogue.entry.startsWith(`${provider}/`)) found.set(`${provider}/${model}`, catalogue.entry);
    }
  }
  return found;
}
