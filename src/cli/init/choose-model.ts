/** The model of the agent that `animus init` writes: a choice on a terminal, a default, and a look at the catalogue. */
import type { Environment } from '../../core/config/source/environment.ts';
import { usageError } from '../../core/errors/errors.ts';
import { didYouMean } from '../../core/errors/suggest.ts';
import { openCatalogue } from '../../llm/models/catalogue.ts';
import { currentModels } from '../../llm/models/current-models.ts';
import { type ListedModel, listModels } from '../../llm/models/list-models.ts';
import { modelSources } from '../../llm/models/models.ts';
import { ratesAt } from '../../llm/models/prices.ts';
import type { Questions } from '../../terminal/command/ask.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import { REHEARSAL_MODEL } from './project-files.ts';

/** The providers that need no table in animus.toml, with the variable of their key. Models of the first are written without its name. */
const PROVIDERS = [
  { provider: 'anthropic', key: 'ANTHROPIC_API_KEY', preferred: /^claude-sonnet-/ },
  { provider: 'openai', key: 'OPENAI_API_KEY', preferred: /^gpt-/ },
] as const;

/** Of each provider. */
const OFFERED = 4;

/** A current model of the vendor whose key is set; without a key, the rehearsal script, which needs none. */
export function defaultModel(env: Environment): string {
  const vendor = PROVIDERS.find(({ key }) => isSet(env, key));
  const models = vendor === undefined ? [] : currentModels(vendor.provider, OFFERED);
  const chosen = models.find(({ model }) => vendor?.preferred.test(model)) ?? models[0];
  return chosen === undefined ? REHEARSAL_MODEL : written(chosen);
}

/** Lists current models with their prices and asks for one, by its number or its name. Errors: `interrupted`. */
export async function askModel(questions: Questions, output: Output, env: Environment): Promise<string> {
  const offers = [
    REHEARSAL_MODEL,
    ...PROVIDERS.flatMap(({ provider }) => currentModels(provider, OFFERED).map(written)),
  ];
  if (questions.asks) showOffers(output, env);
  const answer = await questions.ask(questions.asks ? 'Model, by its number or its name' : 'Model', defaultModel(env));
  return /^\d+$/.test(answer) ? (offers[Number(answer) - 1] ?? wrongNumber(answer, offers.length)) : answer;
}

function showOffers(output: Output, env: Environment): void {
  let number = 0;
  const offer = (name: string, says: string) =>
    output.line(`  ${String(++number).padStart(2)}  ${name.padEnd(24)}`, styled(says, 'dim'));
  offer(REHEARSAL_MODEL, 'a script in place of a model: no key, no bill');
  for (const { provider, key } of PROVIDERS) {
    const needs = isSet(env, key) ? '' : `, needs ${key}`;
    for (const each of currentModels(provider, OFFERED)) offer(written(each), `${priceOf(each)}${needs}`);
  }
  const { published } = openCatalogue().prices.file.source;
  output.line(styled(`  USD per million tokens, in and out, as of ${published}; animus models lists all`, 'dim'));
}

function wrongNumber(answer: string, last: number): never {
  const detail = `expected a number from 1 to ${last}, or the name of a model, got ${answer}`;
  throw usageError(detail);
}

/** What may be wrong with the name of a model, or null. A model may be newer than the catalogue, so it is not an error. `configured` is the text of animus.toml. */
export function modelRemark(name: string, configured: string): string | null {
  if (name === REHEARSAL_MODEL) return null;
  const slash = name.indexOf('/');
  const [provider, model] = slash < 0 ? ['anthropic', name] : [name.slice(0, slash), name.slice(slash + 1)];
  const vendor = PROVIDERS.find((each) => each.provider === provider);
  if (vendor === undefined) {
    if (configured.includes(`[providers.${provider}`)) return null;
    const known = PROVIDERS.map((each) => each.provider);
    return `${name} needs a table [providers.${provider}] in animus.toml${didYouMean(provider, known)}; docs/providers.md describes it`;
  }
  const { catalogue } = modelSources(provider, model, {});
  if (catalogue !== null && catalogue.by !== 'family') return null;
  const known = listModels({}).filter((each) => PROVIDERS.some((one) => one.provider === each.provider));
  const hint = didYouMean(name, known.map(written));
  return `${name} is not in the catalogue${hint}; animus models lists those that are. It may be newer: then it has no price`;
}

/** The variable for the key of a built-in provider, if it is not set. */
export function missingKey(name: string, env: Environment): string | null {
  const provider = name.includes('/') ? name.slice(0, name.indexOf('/')) : 'anthropic';
  const vendor = PROVIDERS.find((each) => each.provider === provider);
  return vendor === undefined || isSet(env, vendor.key) ? null : vendor.key;
}

function isSet(env: Environment, key: string): boolean {
  return Boolean(env[key] || env[`${key}_FILE`]);
}

/** As a faculty names it. */
function written({ provider, model }: ListedModel): string {
  return provider === 'anthropic' ? model : `${provider}/${model}`;
}

function priceOf({ info }: ListedModel): string {
  const { prices } = ratesAt(info, new Date());
  return prices === null ? 'no price' : `$${prices.input} in, $${prices.output} out`;
}
