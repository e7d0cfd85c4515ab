/** `animus models`: the models animus knows, with their prices; `animus models show`: one of them. */
import { usageError } from '../../../core/errors/errors.ts';
import { didYouMean } from '../../../core/errors/suggest.ts';
import { openCatalogue } from '../../../llm/models/catalogue.ts';
import type { ListedModel } from '../../../llm/models/list-models.ts';
import type { ModelInfo } from '../../../llm/models/model-info.ts';
import { type PriceChange, type Prices, ratesAt } from '../../../llm/models/prices.ts';
import { addCommand, type CommonOptions, type Invocation } from '../../../terminal/command/command.ts';
import { knownModels } from '../../../terminal/command/known-models.ts';
import type { AddOperation } from '../../../terminal/command/operation-command.ts';
import { styled } from '../../../terminal/view/output.ts';
import type { Part } from '../../../terminal/view/part.ts';
import { grouped } from '../../../terminal/view/quantities.ts';
import { type Columns, cut, right, showTable, spare } from '../../../terminal/view/table.ts';
import { modelDocuments } from './model-documents.ts';
import { addModelsShowCommand } from './models-show.ts';
import { addModelsUpdateCommand } from './models-update.ts';

interface ModelsOptions extends CommonOptions {
  readonly provider?: string;
}

/** Written by hand, because it needs no database. */
export const models: AddOperation = (program, run) => {
  const group = addCommand(program, 'models', {
    summary: 'list the models animus knows, with context windows, prices and abilities',
    examples: ['animus models', 'animus models --provider anthropic --json'],
  })
    .option('--provider <name>', 'only the models of this provider')
    .action(run(modelsCommand));
  addModelsShowCommand(group, run);
  addModelsUpdateCommand(group, run);
};

async function modelsCommand(invocation: Invocation, { provider }: ModelsOptions): Promise<number> {
  const { output } = invocation;
  const config = await invocation.config();
  const all = knownModels(config);
  if (provider !== undefined) {
    requireProvider(provider, new Set([...config.providers.keys(), ...all.map((each) => each.provider)]));
  }
  const shown = all.filter((each) => provider === undefined || each.provider === provider);
  const { source } = openCatalogue().prices.file;
  output.document({ checked: source.checked, prices: source, models: modelDocuments(all, { provider }) });
  if (shown.length === 0) {
    output.line(
      `no model of ${provider} is listed. Its models get a window of 128,000 tokens (or that of a listed model of the same name)`,
    );
    output.line(`and no price; describe them in [models."${provider}/MODEL"] of animus.toml`);
    return 0;
  }
  showTable(output, shown, COLUMNS);
  output.line();
  output.line(
    styled(
      `USD per million tokens, of ${source.package} ${source.version} of ${source.published}, the newest on ${source.checked}; * with values of animus.toml`,
      'dim',
    ),
  );
  return 0;
}

function requireProvider(provider: string, known: ReadonlySet<string>): void {
  if (known.has(provider)) return;
  const hint = didYouMean(provider, known) || ` (known: ${[...known].join(', ')})`;
  throw usageError(`--provider: no provider named ${provider}${hint}`);
}

const COLUMNS: Columns<ListedModel> = [
  ['MODEL', ({ provider, model, overridden }) => `${provider}/${model}${overridden ? ' *' : ''}`],
  [right('WINDOW'), ({ info }) => grouped(info.contextWindow)],
  [right('MAX OUTPUT'), ({ info: { maxOutput } }) => (maxOutput === null ? styled('-', 'dim') : grouped(maxOutput))],
  [right('INPUT'), priceOf('input')],
  [right('OUTPUT'), priceOf('output')],
  [spare(right('CACHE READ')), priceOf('cacheRead')],
  [spare(right('CACHE WRITE')), priceOf('cacheWrite')],
  [spare(cut('ABILITIES')), ({ info }) => abilities(info).join(', ')],
];

function priceOf(kind: keyof Prices): (model: ListedModel) => Part {
  return ({ info }) => {
    const { prices } = ratesAt(info, new Date());
    return prices === null ? styled('-', 'dim') : String(prices[kind]);
  };
}

function abilities(info: ModelInfo): string[] {
  const { longPrompt, priceChanges } = info;
  const effort = info.effortWithTools ? 'effort' : 'effort without tools';
  return [
    ...(info.images ? ['images'] : []),
    ...(info.thinking === 'none' ? [] : [`thinking (${info.thinking})`]),
    ...(info.effort ? [effort] : []),
    ...(info.temperature ? [] : ['no temperature']),
    ...(longPrompt === null ? [] : [`costs more above ${grouped(longPrompt.aboveTokens)} tokens`]),
    ...priceChanges.map(whenOf),
  ];
}

function whenOf({ from, daily, prices }: PriceChange): string {
  const when = [...(from === undefined ? [] : [`from ${from}`]), ...(daily ? [`from ${daily.join(' to ')} UTC`] : [])];
  return prices === null ? '' : `${prices.input} in, ${prices.output} out ${when.join(', ')}`;
}
