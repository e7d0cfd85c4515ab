/** `animus config`: the effective settings and where each comes from. */
import type { Command } from 'commander';
import { APPLIANCE_LIMITS, limitOf } from '../../core/config/budget.ts';
import type { Config, ModelConfig } from '../../core/config/config.ts';
import type { Environment } from '../../core/config/environment.ts';
import { showAddress } from '../../core/lifecycle/health.ts';
import { addCommand, type Invocation, type RunCommand } from '../../terminal/command/command.ts';
import { styled } from '../../terminal/view/output.ts';
import { accessSettings } from './access-settings.ts';
import { oidcSettings } from './oidc-settings.ts';

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
  const settings: Setting[] = [];
  const add = (key: string, value: string | number | null, originKey = key) =>
    settings.push({ key, value, origin: config.origins.get(originKey) ?? 'default' });
  add('home', config.home);
  add('database_url', config.databaseUrl === null ? 'embedded' : String(config.databaseUrl));
  add('pgmq_schema', config.pgmqSchema);
  add('log_level', config.logLevel);
  add('daemon.max_concurrent', config.daemon.maxConcurrent);
  add('daemon.lease_seconds', config.daemon.leaseSeconds);
  add('daemon.poll_seconds', config.daemon.pollSeconds);
  add('daemon.shutdown_grace_seconds', config.daemon.shutdownGraceSeconds);
  add('daemon.focus_host_grace_seconds', config.daemon.focusHostGraceSeconds);
  add('daemon.focus_max_memory_mib', config.daemon.focusMaxMemoryMib);
  add('daemon.focus_max_processes', config.daemon.focusMaxProcesses);
  add('daemon.commit_email', config.daemon.commitEmail);
  add('daemon.pool_size', config.daemon.poolSize);
  add('daemon.http', config.daemon.http === null ? 'off' : showAddress(config.daemon.http));
  const { http } = config;
  add('http.api', String(http.api));
  add('http.behind_tls', String(http.behindTls));
  add('http.allowed_hosts', http.allowedHosts.join(', ') || null);
  add('http.allowed_origins', http.allowedOrigins.join(', ') || null);
  add('http.trusted_proxies', http.trustedProxies.join(', ') || null);
  add('http.max_connections', http.maxConnections);
  add('http.requests_per_minute', http.requestsPerMinute);
  add('http.database_url_env', http.databaseUrl === null ? null : String(http.databaseUrl));
  for (const [key, value] of oidcSettings(http.oidc)) add(`http.oidc.${key}`, value);
  add('retention.resolved_days', config.retention.resolvedDays);
  add('retention.pack_days', config.retention.packDays);
  add('retention.artifacts_days', config.retention.artifactsDays);
  add('retention.worktree_days', config.retention.worktreeDays);
  add('retention.held_worktree_days', config.retention.heldWorktreeDays);
  add('retention.directories_days', config.retention.directoriesDays);
  add('batch.gather_seconds', config.batch.gatherSeconds);
  add('batch.poll_seconds', config.batch.pollSeconds);
  add('batch.submit_timeout_seconds', config.batch.submitTimeoutSeconds);
  add('skills.stale_days', config.skills.staleDays);
  add('skills.propose', String(config.skills.propose));
  add('skills.propose_threshold', config.skills.proposeThreshold);
  add('skills.propose_window_days', config.skills.proposeWindowDays);
  add('skills.propose_interval_seconds', config.skills.proposeIntervalSeconds);
  for (const key of APPLIANCE_LIMITS) add(`budget.${key}`, limitOf(config.budget, key));
  add('budget.on_exceeded', config.budget.onExceeded);
  add('hooks.directory', config.hooks.directory);
  add('hooks.environment', config.hooks.environment.join(', ') || null);
  add('skills.directories', config.skills.directories.join(', ') || null);
  add('web.allow', config.web.allow.join(', ') || null);
  add('webhooks.key_env', config.webhooks.key === null ? null : String(config.webhooks.key));
  add('webhooks.old_key_env', config.webhooks.oldKey === null ? null : String(config.webhooks.oldKey));
  add('webhooks.allow', config.webhooks.allow.join(', ') || null);
  add('sandbox.endpoint', config.sandbox.endpoint.text);
  const { endpoint } = config.sandbox;
  add('sandbox.certificates', endpoint.kind === 'tcp' ? endpoint.certificates : null);
  add('sandbox.image', config.sandbox.image);
  add('sandbox.runtime', config.sandbox.runtime);
  add('sandbox.transport', config.sandbox.transport);
  add('sandbox.network', config.sandbox.network);
  add('sandbox.pool_size', config.sandbox.poolSize);
  add('sandbox.max_executions', config.sandbox.maxExecutions);
  add('sandbox.max_processes', config.sandbox.maxProcesses);
  add('sandbox.work_mib', config.sandbox.workMib);
  const { search } = config.web;
  add('web.search.kind', search && search.kind);
  add('web.search.url', search && search.url);
  add('web.search.api_key_env', search && search.apiKeyEnv);
  add('web.search.api_key', search?.apiKey ? String(search.apiKey) : null);
  add('web.search.timeout_seconds', search && search.timeoutSeconds);
  const { embeddings } = config;
  add('embeddings.provider', embeddings && embeddings.provider);
  add('embeddings.model', embeddings && embeddings.model);
  add('embeddings.dimensions', embeddings && embeddings.dimensions);
  add('embeddings.batch_size', embeddings && embeddings.batchSize);
  add('embeddings.request_dimensions', embeddings && String(embeddings.requestDimensions ?? 'as the model needs'));
  for (const provider of config.providers.values()) {
    const at = `providers.${provider.name}`;
    add(`${at}.kind`, provider.kind, at);
    if (provider.kind === 'scripted') {
      add(`${at}.script`, provider.script, at);
      continue;
    }
    for (const { key, value } of accessSettings(provider)) {
      const from = key.split('.')[0] ?? key;
      add(`${at}.${key}`, value, config.origins.has(`${at}.${from}`) ? `${at}.${from}` : at);
    }
  }
  for (const [name, model] of config.models) {
    const at = `models."${name}"`;
    for (const [key, value] of Object.entries(modelSettings(model))) {
      if (value === undefined) continue;
      const from = `${at}.${key.split('.')[0]}`;
      add(
        `${at}.${key}`,
        typeof value === 'object' ? JSON.stringify(value) : String(value),
        config.origins.has(from) ? from : at,
      );
    }
  }
  return settings;
}

function modelSettings({
  contextWindow,
  maxOutput,
  usdPerMillion: price,
  abilities,
  wire,
  structuredOutputs,
}: ModelConfig) {
  return {
    context_window: contextWindow,
    max_output: maxOutput,
    wire,
    like: abilities.like,
    structured_outputs: structuredOutputs,
    images: abilities.images,
    documents: abilities.documents,
    thinking: abilities.thinking,
    effort: abilities.effort,
    efforts: abilities.efforts,
    effort_with_tools: abilities.effortWithTools,
    parallel_tools: abilities.parallelTools,
    user_after_tools: abilities.userAfterTools,
    temperature: abilities.temperature,
    strict_tools: abilities.strictTools,
    service_tiers: abilities.serviceTiers,
    cache_ttls: abilities.cacheTtls,
    headers: abilities.headers,
    options: abilities.options,
    'usd_per_million.input': price.input,
    'usd_per_million.output': price.output,
    'usd_per_million.cache_read': price.cacheRead,
    'usd_per_million.cache_write': price.cacheWrite,
  };
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
