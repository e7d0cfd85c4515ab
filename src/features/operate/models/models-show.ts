/** `animus models show`: the values of one model, and where each comes from. */
import type { Command } from 'commander';
import type { Config } from '../../../core/config/config.ts';
import type { HttpProviderConfig } from '../../../core/config/providers/provider.ts';
import { modelValues } from '../../../daemon/models/model-values.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from '../../../terminal/command/command.ts';
import { accessSettings } from '../../../terminal/view/access-settings.ts';
import { styled } from '../../../terminal/view/output.ts';
import type { Part } from '../../../terminal/view/part.ts';
import { grouped } from '../../../terminal/view/quantities.ts';
import { cut, showTable } from '../../../terminal/view/table.ts';

/** Adds `animus models show`. */
export function addModelsShowCommand(group: Command, run: RunCommand): void {
  addCommand(group, 'show <name>', {
    summary: 'show the values of a model and where each comes from',
    arguments: { name: 'the model, as a faculty names it: MODEL or PROVIDER/MODEL' },
    examples: ['animus models show claude-sonnet-4-5', 'animus models show openai/gpt-5 --json'],
  }).action(run(showModel));
}

async function showModel({ output, config: load }: Invocation, _: CommonOptions, name: string): Promise<number> {
  const config = await load();
  const { located, values } = modelValues(name, config);
  const { provider, model, kind } = located;
  const settings = config.providers.get(provider);
  const access = settings === undefined || settings.kind === 'scripted' ? [] : accessOf(settings, config);
  output.document({
    provider,
    model,
    kind,
    values: Object.fromEntries(values.map(({ key, value, from }) => [key, { value, from }])),
    access: Object.fromEntries(access.map(({ key, value, from }) => [key, { value, from }])),
  });
  output.line(styled(`${provider}/${model}`, 'bold'), `  at a provider of kind ${kind}`);
  output.line();
  showTable(
    output,
    [...values, ...access],
    [
      ['KEY', ({ key }) => key],
      [cut('VALUE'), ({ value }) => shown(value)],
      [cut('FROM'), ({ from }) => styled(from, from === 'default' ? 'dim' : 'plain')],
    ],
  );
  return 0;
}

/** How the provider is reached. Never a secret. */
function accessOf(provider: HttpProviderConfig, config: Config) {
  return accessSettings(provider).map(({ key, value }) => {
    const from = config.origins.get(`providers.${provider.name}.${key.split('.')[0]}`) ?? 'default';
    return { key: `provider.${key}`, value, from };
  });
}

function shown(value: unknown): Part {
  if (value === null || value === undefined) return styled('-', 'dim');
  if (typeof value === 'number') return grouped(value);
  if (typeof value === 'object') return Object.keys(value).length === 0 ? styled('none', 'dim') : JSON.stringify(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
