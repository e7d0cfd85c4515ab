/** `[sandbox]` of animus.toml, and the variables that say where the Docker engine is. */
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { type Problem, problemAt, showValue } from '../errors/problem.ts';
import type { StrictDocument } from '../toml/strict-toml.ts';
import type { SandboxConfig } from './config.ts';
import type { ConfigDocument } from './config-schema.ts';
import type { ConfigSources } from './config-sources.ts';
import { DEFAULT_ENGINE, ENGINE_FORMS, type EngineAddress, parseEngineAddress } from './engine-address.ts';
import type { EnvironmentReader } from './environment.ts';

/** The variable that names the engine of the sandbox and takes precedence over animus.toml. */
const ENDPOINT_VARIABLE = 'AGENT_SANDBOX_ENDPOINT';

/** The settings of the sandbox. An address that animus was given for itself must be valid; DOCKER_HOST may be meant for others. */
export function sandboxOf({ sandbox }: ConfigDocument, env: EnvironmentReader, sources: ConfigSources): SandboxConfig {
  return Object.freeze({
    endpoint: Object.freeze(engineOf(sandbox, env, sources)),
    image: sandbox.image,
    runtime: sandbox.runtime ?? null,
    transport: sandbox.transport,
    network: sandbox.network,
    poolSize: sandbox.pool_size,
    maxExecutions: sandbox.max_executions,
    maxProcesses: sandbox.max_processes,
    workMib: sandbox.work_mib,
  });
}

/** The problems of an address that animus was given for itself. */
export function endpointProblems(document: StrictDocument<ConfigDocument>, env: EnvironmentReader): Problem[] {
  const expected = `the address of a Docker engine, ${ENGINE_FORMS}`;
  const check = (value: unknown, place: Parameters<typeof problemAt>[1]): Problem[] =>
    typeof value !== 'string' || parseEngineAddress(value) !== null
      ? []
      : [problemAt('config.invalid', place, { expected, value: showValue(value), hint: '' })];
  return [
    ...check(env.text(ENDPOINT_VARIABLE) ?? undefined, { file: 'environment', line: null, key: ENDPOINT_VARIABLE }),
    ...check(document.given('sandbox', 'endpoint'), document.placeOf('sandbox', 'endpoint')),
  ];
}

function engineOf(sandbox: ConfigDocument['sandbox'], env: EnvironmentReader, sources: ConfigSources): EngineAddress {
  const base = sources.toml === null ? sources.cwd : dirname(sources.toml.path);
  const usual = env.text('DOCKER_CERT_PATH') ?? join(sources.userHome ?? homedir(), '.docker');
  const ofVariables = env.text('DOCKER_TLS_VERIFY') === null ? null : resolve(sources.cwd, usual);
  const certificates = sandbox.certificates === undefined ? ofVariables : resolve(base, sandbox.certificates);
  const text = env.text(ENDPOINT_VARIABLE) ?? sandbox.endpoint ?? env.text('DOCKER_HOST') ?? DEFAULT_ENGINE;
  return parseEngineAddress(text, certificates) ?? { kind: 'unsupported', text };
}

/** Where the address comes from, for `animus config`. */
export function engineOrigin(document: StrictDocument<ConfigDocument>, env: EnvironmentReader): string {
  if (env.text(ENDPOINT_VARIABLE) !== null) return `environment ${ENDPOINT_VARIABLE}`;
  const written = document.originOf('sandbox', 'endpoint');
  return written ?? (env.text('DOCKER_HOST') === null ? 'default' : 'environment DOCKER_HOST');
}
