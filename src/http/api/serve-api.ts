/** Opens the API in a process that has the database open: the daemon, or `animus http`. */
import type { HttpApi } from '../../core/lifecycle/health.ts';
import type { ApiParts } from '../../daemon/daemon-options.ts';
import { gatewayGrant, readVoucher } from '../../store/people/may-vouch.ts';
import { openPostgres } from '../../store/postgres/postgres.ts';
import type { Database } from '../../store/sql/database.ts';
import { builtConsole } from '../console/built-console.ts';
import { readConsoleFiles } from '../console/console-files.ts';
import { type AnswerPage, serveConsole } from '../console/serve-console.ts';
import { openApi } from './api.ts';

/** Connections of a login of its own. */
const POOL_SIZE = 5;

/** The API with all its routes, until it is stopped. With `http.database_url_env` it has a login of its own. */
export async function serveApi({ db, ...parts }: ApiParts): Promise<HttpApi> {
  const { settings, log } = parts;
  const own = settings.databaseUrl && openOwn(settings.databaseUrl.reveal(), log);
  await warnOfLogin(own ?? db, log);
  const api = openApi({ db: own ?? db, ...parts });
  const ending = new AbortController();
  return {
    ...api,
    ...(settings.console && { page: openConsole(parts, ending.signal) }),
    async stop() {
      ending.abort();
      await api.stop();
      await own?.close();
    },
  };
}

function openConsole({ settings, log, config }: Omit<ApiParts, 'db'>, signal: AbortSignal): AnswerPage {
  const load = async () => readConsoleFiles(await builtConsole({ home: config.home, log, signal }));
  return serveConsole({ settings, load, log });
}

function openOwn(url: string, log: ApiParts['log']): ReturnType<typeof openPostgres> {
  return openPostgres(url, { poolSize: POOL_SIZE, applicationName: 'animus http', prepare: true, log });
}

/** A login that may act for nobody would answer each request with 403. */
async function warnOfLogin(db: Database, log: ApiParts['log']): Promise<void> {
  const voucher = await readVoucher(db);
  if (voucher.mayVouch) return;
  log.warn(
    { login: voucher.login, remedy: `run as a superuser: ${gatewayGrant(voucher)}` },
    'the API refuses every request: its database login may not act for people',
  );
}
