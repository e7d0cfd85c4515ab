/** `animus http`: the API without a daemon. */
import { type Command, InvalidArgumentError } from 'commander';
import type { Config } from '../../core/config/config.ts';
import { isLoopback, unencrypted } from '../../core/config/sections/http.ts';
import { AnimusError, messageOf, usageError } from '../../core/errors/errors.ts';
import { aborted } from '../../core/lifecycle/aborted.ts';
import { systemClock } from '../../core/lifecycle/clock.ts';
import { type HttpAddress, type Readiness, showAddress } from '../../core/lifecycle/health.ts';
import { parseListenAddress } from '../../core/text/addresses.ts';
import { modelNames } from '../../daemon/models/model-names.ts';
import { listModels } from '../../llm/models/list-models.ts';
import { checkCompatible } from '../../store/migrations/compatibility.ts';
import { migrate } from '../../store/migrations/migrate.ts';
import { hasFunctions } from '../../store/migrations/schema-version.ts';
import { openConfiguredDatabase } from '../../store/open/open-database.ts';
import type { Database } from '../../store/sql/database.ts';
import { openLog } from '../../telemetry/log.ts';
import { startTelemetry } from '../../telemetry/setup.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from '../../terminal/command/command.ts';
import { refuseInsideWork } from '../../terminal/command/database.ts';
import { version } from '../../terminal/command/version.ts';
import { openSearchModel } from './search-model.ts';

interface HttpOptions extends CommonOptions {
  readonly listen?: HttpAddress;
}

/** Adds `animus http`. */
export function addHttpCommand(program: Command, run: RunCommand): void {
  addCommand(program, 'http', {
    summary: 'serve the HTTP API without a daemon, until SIGINT or SIGTERM',
    examples: ['animus http', 'DATABASE_URL=postgres://gate@db/work animus http --listen 127.0.0.1:8080'],
  })
    .option('--listen <address>', 'HOST:PORT (default: daemon.http)', listenAddress)
    .action(run(httpCommand));
}

async function httpCommand(invocation: Invocation, { listen }: HttpOptions): Promise<number> {
  const { output } = invocation;
  await refuseInsideWork(invocation);
  const config = await invocation.config();
  return serveHttp(invocation, config, listenAt(config, listen), async ({ db, address }) => {
    output.document({ url: apiAt(address), database: { kind: db.kind, where: db.where } });
  });
}

/** What serves the API of a process. */
export interface ServedHttp {
  readonly db: Database;
  readonly address: HttpAddress;
}

/** Serves the API until the command is ended by a signal; returns the exit code. `onReady`: before it is said. */
export async function serveHttp(
  { context, output }: Invocation,
  config: Config,
  address: HttpAddress,
  onReady: (served: ServedHttp) => Promise<void>,
): Promise<number> {
  const { loadHealth, openApi } = context;
  if (!loadHealth || !openApi) throw new AnimusError('internal.bug', { detail: 'nothing here serves HTTP' });
  await using closing = new AsyncDisposableStack();
  const log = openLog({ level: config.logLevel });
  let served = false;
  // The first step is the last to end.
  closing.defer(() => {
    if (served) log.info({}, 'the API has stopped; daemons and their work go on');
  });
  const telemetry = await startTelemetry({ version: version(), log });
  closing.defer(() => telemetry.shutdown());
  const { poolSize } = config.daemon;
  const db = await openConfiguredDatabase(config, { role: 'command', log, poolSize });
  closing.defer(() => db.close());
  // Only animus uses an embedded database, so the first command creates it.
  if (db.kind === 'embedded' && !(await hasFunctions(db))) await migrate(db);
  await checkCompatible(db);

  const models = () => listModels(modelNames(config).models);
  const parts = { db, log, clock: systemClock, version: version(), settings: config.http, models, config };
  const api = await openApi({ ...parts, embeddings: await openSearchModel(config, closing) });
  const openHealth = await loadHealth();
  const server = openHealth(address, () => lookAt(db), config.http);
  server.serveApi(api);
  await server.start();
  closing.defer(() => server.stop());
  // A second signal does not wait for the requests under way.
  closing.defer(() => Promise.race([api.stop(), aborted(context.signals.abort)]));
  served = true;
  await onReady({ db, address: server.address() });
  output.block(
    `serving the API at ${apiAt(server.address())} on the ${db.kind} database at ${db.where}; Ctrl-C stops it`,
  );
  await aborted(context.signals.drain);
  context.signals.endedAsAsked();
  return 0;
}

function apiAt(address: HttpAddress): string {
  return `http://${showAddress(address)}/api/v1`;
}

function listenAddress(value: string): HttpAddress {
  const address = parseListenAddress(value);
  if (address === null) throw new InvalidArgumentError('Expected HOST:PORT with a port from 0 (a free one) to 65535.');
  return address;
}

/** Where to listen. Errors: `usage.invalid` for an address at which tokens would be sent unencrypted. */
export function listenAt({ daemon, http }: Pick<Config, 'daemon' | 'http'>, given?: HttpAddress): HttpAddress {
  const address = given ?? daemon.http;
  if (address !== null && (http.behindTls || isLoopback(address.host))) return address;
  const off = 'daemon.http is "off": say where to listen with --listen HOST:PORT';
  throw usageError(address === null ? off : unencrypted(showAddress(address)));
}

/** This process takes no work: `/readyz` says whether it can answer requests. */
async function lookAt(db: Database): Promise<Readiness> {
  const problem = await checkCompatible(db).then(() => 'ok', messageOf);
  const checks = { database: problem, schema: problem, listening: 'ok' };
  return { ready: problem === 'ok', phase: 'serving', version: version(), daemon_id: null, checks };
}
