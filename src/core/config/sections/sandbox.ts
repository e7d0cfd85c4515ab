/** `[sandbox]`, and the variables that say where the Docker engine is. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Place, problemAt, showValue } from '../../errors/problem.ts';
import { count, matching, oneOf, text } from '../../toml/fields.ts';
import { key } from '../../toml/keys.ts';
import { resolvePath, type SectionPlace, section } from '../source/section.ts';
import {
  DEFAULT_ENGINE,
  DEFAULT_SANDBOX_IMAGE,
  ENGINE_FORMS,
  type EngineAddress,
  parseEngineAddress,
} from './engine-address.ts';

/** A reference to an image: name, tag, digest. */
const IMAGE_NAME = /^[a-zA-Z0-9][a-zA-Z0-9._/:@-]{0,254}$/;
const DOCKER_NAME = /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,127}$/;

const ENGINE = `the address of a Docker engine, ${ENGINE_FORMS}`;

/** The variable that names the engine of the sandbox and takes precedence over animus.toml. */
const ENDPOINT_VARIABLE = 'AGENT_SANDBOX_ENDPOINT';

export const sandbox = section(
  'sandbox',
  // biome-ignore format: a key per line
  {
    endpoint: key(text(ENGINE).optional(), 'the engine that runs [containers](containers.md#the-engine); none: `DOCKER_HOST`, else `unix:///var/run/docker.sock`. `AGENT_SANDBOX_ENDPOINT` takes precedence'),
    certificates: key(text('the path of a directory').optional(), 'the directory with `ca.pem`, `cert.pem` and `key.pem`, for TLS with an engine at a TCP address; relative to this file. none: with `DOCKER_TLS_VERIFY`, `DOCKER_CERT_PATH` or `~/.docker`; otherwise no TLS'),
    image: key(matching(IMAGE_NAME, 'the name of an image').default(DEFAULT_SANDBOX_IMAGE), 'the image in which code runs whose faculty names none; `animus sandbox build` makes this one'),
    runtime: key(matching(DOCKER_NAME, 'the name of a runtime').optional(), "an OCI runtime that the engine knows, such as `runsc` (gVisor) or `kata`; none: the engine's default"),
    transport: key(oneOf(['stdio', 'http']).default('stdio'), 'how code talks to the daemon: over the standard input and output of its container, which then has no network, or over [HTTP](sandbox.md#http) on a network that reaches only the daemon'),
    network: key(matching(DOCKER_NAME, 'the name of a network').default('animus-sandbox'), 'for `transport = "http"`: the internal Docker network of the containers; created if it is missing'),
    pool_size: key(count(0, 100).default(2), 'idle containers kept ready per image and limits, once an image has been used; 0: each execution waits for its container to start'),
    max_executions: key(count(1, 1000).default(8), 'executions that one daemon runs at once; others wait'),
    max_processes: key(count(8, 100_000).default(128), 'processes and threads of a container'),
    work_mib: key(count(1, 65_536).default(64), 'size in MiB of its work directory, which is in memory and counts as memory, and of the largest file'),
  },
  {
    read({ certificates, ...settings }, place) {
      checkEndpoints(place);
      return { ...settings, endpoint: Object.freeze(engineOf(settings.endpoint, certificates, place)) };
    },
    shown: ({ endpoint }) => ({
      endpoint: endpoint.text,
      certificates: endpoint.kind === 'tcp' ? endpoint.certificates : null,
    }),
    variables: (_, place) => ({ endpoint: engineVariable(place) }),
  },
);

/** An address that animus was given for itself must be valid; DOCKER_HOST may be meant for others. */
function checkEndpoints({ document, env, problems }: SectionPlace): void {
  const check = (value: unknown, place: Place) => {
    if (typeof value !== 'string' || parseEngineAddress(value) !== null) return;
    problems.push(problemAt('config.invalid', place, { expected: ENGINE, value: showValue(value), hint: '' }));
  };
  check(env.text(ENDPOINT_VARIABLE), { file: 'environment', line: null, key: ENDPOINT_VARIABLE });
  check(document.given('sandbox', 'endpoint'), document.placeOf('sandbox', 'endpoint'));
}

function engineOf(endpoint: string | null, directory: string | null, place: SectionPlace): EngineAddress {
  const { env, sources } = place;
  const usual = env.text('DOCKER_CERT_PATH') ?? join(sources.userHome ?? homedir(), '.docker');
  const ofVariables = env.text('DOCKER_TLS_VERIFY') === null ? null : resolve(sources.cwd, usual);
  const certificates = directory === null ? ofVariables : resolvePath(place, directory);
  const address = env.text(ENDPOINT_VARIABLE) ?? endpoint ?? env.text('DOCKER_HOST') ?? DEFAULT_ENGINE;
  return parseEngineAddress(address, certificates) ?? { kind: 'unsupported', text: address };
}

function engineVariable({ document, env }: SectionPlace): string | null {
  if (env.text(ENDPOINT_VARIABLE) !== null) return ENDPOINT_VARIABLE;
  const isWritten = document.originOf('sandbox', 'endpoint') !== null;
  return isWritten || env.text('DOCKER_HOST') === null ? null : 'DOCKER_HOST';
}
