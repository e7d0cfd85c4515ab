/** `animus config`: the effective settings and where each comes from. */
import type { Command } from 'commander';
import type { Config } from '../../core/config/config.ts';
import type { ProviderConfig } from '../../core/config/providers/provider.ts';
import { shownSettings } from '../../core/config/shown-settings.ts';
import type { Environment } from '../../core/config/source/environment.ts';
import { addCommand, type Invocation, type RunCommand } from '../../terminal/command/command.ts';
import { accessSettings } from '../../terminal/view/access-settings.ts';
import { styled } from '../../terminal/view/output.ts';

/** Adds `animus config`. */
export function addConfigCommand(program: Command, run: RunCommand): void {
  addCommand(program, 'config', {
    summary: 'show the effective settings and where each comes from; secrets are masked',
    examples: ['animus config', 'animus config --config /etc/animus.toml --json'],
  }).action(run(showConfig));
}

async function showConfig({ output, context, config: load }: Invocation): Promise<number> {
  const config = await load();
  const settings = [...settingsOf(config), ...telemetryOf(context.env)];
  output.document({ file: config.file, settings });
  output.line('file: ', config.file ?? 'none (no animus.toml here)');
  output.line();
  output.table(
    [
      { title: 'KEY', shrink: true },
      { title: 'VALUE', shrink: true },
      { title: 'FROM', shrink: true },
    ],
    settings.map(({ key, value, origin }) => [
      key,
      value === null ? styled('not set', 'dim') : String(value),
      origin === 'default' ? styled(origin, 'dim') : origin,
    ]),
  );
  return 0;
}

interface Setting {
  readonly key: string;
  readonly value: string | number | null;
  readonly origin: string;
}

function settingsOf(config: Config): Setting[] {
  const settings: (readonly [string, Setting['value']])[] = [
    ['home', config.home],
    ['database_url', config.databaseUrl === null ? 'embedded' : String(config.databaseUrl)],
    ['pgmq_schema', config.pgmqSchema],
    ['log_level', config.logLevel],
    ...shownSettings(config),
    ...[...config.providers.values()].flatMap(providerSettings),
  ];
  return settings.map(([key, value]) => ({ key, value, origin: originOf(key, config) }));
}

/** That of the key, else that of the table around it. */
function originOf(key: string, { origins }: Config): string {
  for (let at = key; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
    const origin = origins.get(at);
    if (origin !== undefined) return origin;
  }
  return 'default';
}

function providerSettings(provider: ProviderConfig): (readonly [string, Setting['value']])[] {
  const at = (key: string) => `providers.${provider.name}.${key}`;
  const kind = [at('kind'), provider.kind] as const;
  if (provider.kind === 'scripted') return [kind, [at('script'), provider.script]];
  return [kind, ...accessSettings(provider).map(({ key, value }) => [at(key), value] as const)];
}

/** The standard variables that the telemetry SDK reads itself. Headers are masked: they may hold API keys. */
function telemetryOf(env: Environment): Setting[] {
  const set = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[0].startsWith('OTEL_') && !!entry[1],
  );
  if (set.length === 0) return [{ key: 'telemetry', value: null, origin: 'default' }];
  return set.toSorted().map(([name, value]) => {
    const secret = /HEADERS|SECRET|TOKEN|PASSWORD|_API_KEY/.test(name) || /\/\/[^/]*@/.test(value);
    return { key: name, value: secret ? '***' : value.replace(/\?.*/, '?***'), origin: `environment ${name}` };
  });
}
