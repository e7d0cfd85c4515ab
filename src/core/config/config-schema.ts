/** The keys of animus.toml. docs/config.md lists the same keys, expectations and defaults; a test keeps the two equal. */
import { z } from 'zod';
import {
  count,
  flag,
  httpUrl,
  listenAddress,
  matching,
  oneOf,
  seconds,
  table,
  tableOf,
  text,
  textsMatching,
  usdPerMillion,
  webTargets,
} from '../toml/fields.ts';
import { applianceBudgetFields } from './budget.ts';
import { DEFAULT_HTTP, DEFAULT_SANDBOX_IMAGE, SANDBOX_TRANSPORTS, WEB_SEARCH_KINDS, WIRE_CHOICES } from './config.ts';
import { ENGINE_FORMS } from './engine-address.ts';
import { httpTable } from './http-config.ts';
import { modelKeys } from './model-keys.ts';
import { STRUCTURED_OUTPUTS } from './model-words.ts';
import { providerTable, variableName } from './provider-keys.ts';
import { webhooksTable } from './webhooks-config.ts';

/** The part of a model's name before the slash. */
const PROVIDER_NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** A reference to an image: name, tag, digest. */
const IMAGE_NAME = /^[a-zA-Z0-9][a-zA-Z0-9._/:@-]{0,254}$/;

/** One address, as it is in a commit; git needs no more of it. */
const COMMIT_EMAIL = /^[^\s<>@\p{Cc}]{1,64}@[^\s<>@\p{Cc}]{1,190}$/u;

const providerName = matching(PROVIDER_NAME, 'of 1 to 63 lower-case letters, digits, - and _');
const modelName = matching(/^[a-z0-9][a-z0-9_-]{0,62}\/\S+$/, 'of the form "provider/model"');

const daemon = table({
  max_concurrent: count(1, 1000).default(4),
  lease_seconds: seconds(5, 3600).default(60),
  /** 0.25 where the embedded database is used, which cannot notify across connections. */
  poll_seconds: seconds(0.1, 600).default(5),
  shutdown_grace_seconds: seconds(0, 3600).default(30),
  pool_size: count(2, 500).default(10),
  http: listenAddress().default(DEFAULT_HTTP),
  focus_host_grace_seconds: seconds(0, 86_400).default(120),
  focus_max_memory_mib: count(64, 16_777_216).default(2048),
  focus_max_processes: count(16, 1_000_000).default(1024),
  commit_email: matching(COMMIT_EMAIL, 'an e-mail address').default('animus@localhost'),
});

const retention = table({
  resolved_days: count(1, 36_500).default(90),
  pack_days: count(1, 36_500).optional(),
  artifacts_days: count(1, 36_500).default(30),
  worktree_days: count(1, 36_500).default(14),
  held_worktree_days: count(1, 36_500).optional(),
});

const hooks = table({
  directory: text('the path of a directory').optional(),
  environment: textsMatching(
    /^[A-Za-z_][A-Za-z0-9_]*\*?$/,
    'the name of an environment variable, or its start followed by *',
    'a list of names of environment variables',
    200,
  ).default([]),
});

const skills = table({
  stale_days: count(1, 3650).default(30),
  directories: textsMatching(/^(?=.*\S)[^\0]{1,4096}$/, 'the path of a directory', 'a list of directories', 50).default(
    [],
  ),
  propose: flag().default(true),
  propose_threshold: count(2, 1000).default(3),
  propose_window_days: count(1, 365).default(30),
  propose_interval_seconds: seconds(1, 86_400).default(600),
});

const batch = table({
  gather_seconds: seconds(0, 3600).default(10),
  poll_seconds: seconds(0.1, 3600).default(60),
  submit_timeout_seconds: seconds(1, 3600).default(120),
});

const webSearch = table({
  kind: oneOf([...WEB_SEARCH_KINDS]),
  url: httpUrl().optional(),
  api_key_env: variableName.optional(),
  timeout_seconds: seconds(1, 600).default(20),
});

const web = table({
  allow: webTargets().default([]),
  search: webSearch.optional(),
});

const embeddings = table({
  provider: providerName,
  model: text("the provider's name of a model"),
  // More cannot be indexed by pgvector.
  dimensions: count(1, 2000),
  batch_size: count(1, 2048).default(96),
  request_dimensions: flag().optional(),
});

const sandbox = table({
  endpoint: text(`the address of a Docker engine, ${ENGINE_FORMS}`).optional(),
  certificates: text('the path of a directory').optional(),
  image: matching(IMAGE_NAME, 'the name of an image').default(DEFAULT_SANDBOX_IMAGE),
  runtime: matching(/^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,127}$/, 'the name of a runtime').optional(),
  transport: oneOf([...SANDBOX_TRANSPORTS]).default('stdio'),
  network: matching(/^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,127}$/, 'the name of a network').default('animus-sandbox'),
  pool_size: count(0, 100).default(2),
  max_executions: count(1, 1000).default(8),
  max_processes: count(8, 100_000).default(128),
  work_mib: count(1, 65_536).default(64),
});

const model = table({
  context_window: count(1, 100_000_000).optional(),
  max_output: count(1, 100_000_000).optional(),
  wire: oneOf([...WIRE_CHOICES]).optional(),
  structured_outputs: oneOf([...STRUCTURED_OUTPUTS]).optional(),
  ...modelKeys,
  usd_per_million: table({
    input: usdPerMillion(),
    output: usdPerMillion(),
    cache_read: usdPerMillion().optional(),
    cache_write: usdPerMillion().optional(),
  }).optional(),
});

/** animus.toml, as written. */
export const configSchema = table({
  daemon: daemon.prefault({}),
  http: httpTable.prefault({}),
  providers: tableOf(providerName, providerTable).prefault({}),
  models: tableOf(modelName, model).prefault({}),
  retention: retention.prefault({}),
  hooks: hooks.prefault({}),
  skills: skills.prefault({}),
  batch: batch.prefault({}),
  web: web.prefault({}),
  webhooks: webhooksTable.prefault({}),
  budget: table(applianceBudgetFields()).prefault({}),
  embeddings: embeddings.optional(),
  sandbox: sandbox.prefault({}),
});

/** animus.toml with the defaults of the schema filled in. */
export type ConfigDocument = z.output<typeof configSchema>;
