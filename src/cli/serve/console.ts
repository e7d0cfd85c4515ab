/** `animus console`: opens the web page, logged in, and starts what is missing for it. */
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { Config } from '../../core/config/config.ts';
import { isAnimusError, usageError } from '../../core/errors/errors.ts';
import type { Database } from '../../store/sql/database.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from '../../terminal/command/command.ts';
import { refuseInsideWork, withDatabase } from '../../terminal/command/database.ts';
import { FACULTIES_OPTION, facultiesDirectory } from '../../terminal/command/faculties-directory.ts';
import { SKILLS_OPTION } from '../../terminal/command/skills-directories.ts';
import { consoleAddress, findConsole } from './find-console.ts';
import { listenAt, serveHttp } from './http.ts';
import { closeInTime, type LoginOptions, showLogin } from './login-link.ts';
import { requireFaculties, serveDaemon } from './serve.ts';

interface ConsoleOptions extends CommonOptions, LoginOptions {
  readonly url?: string;
  readonly faculties?: string;
  readonly skills?: string;
}

/** How long a browser may take to read its page: where this command serves, and where it has nothing else to do. */
const READ_SECONDS = { serving: 60, leaving: 15 } as const;

/** Adds `animus console`. */
export function addConsoleCommand(program: Command, run: RunCommand): void {
  addCommand(program, 'console', {
    summary:
      'open the console in a browser, logged in; without a daemon of this home that serves it, starts one, until SIGINT or SIGTERM',
    examples: [
      'animus console',
      'animus console --person alice --no-open',
      'animus console --url https://ops.example.com/animus/',
    ],
  })
    .option('--person <name>', 'who logs in (default: your user name); a person who is not listed becomes an operator')
    .option('--no-open', 'only print the link, which works once within 60 s')
    .option('--url <address>', 'only make a link, for a console that is reached at this address', address)
    .option(...FACULTIES_OPTION)
    .option(...SKILLS_OPTION)
    .action(run(consoleCommand));
}

async function consoleCommand(invocation: Invocation, options: ConsoleOptions): Promise<number> {
  const { drain } = invocation.context.signals;
  await refuseInsideWork(invocation);
  const config = await invocation.config();
  const there = options.url ?? (await findConsole(config, drain));
  if (there === null) return serve(invocation, options, withConsole(config));
  const opened = await withDatabase(invocation, (db) => showLogin(invocation, db, there, options));
  await closeInTime(opened, READ_SECONDS.leaving, drain);
  return 0;
}

/** The configuration of a process that is started for the console. Errors: `usage.invalid`, with what to change. */
function withConsole(config: Config): Config {
  if (!config.http.console) {
    throw usageError(`http.console is false: remove it from ${config.file ?? 'animus.toml'} to open the console`);
  }
  listenAt(config);
  return withApi(config);
}

function withApi(config: Config): Config {
  return { ...config, http: { ...config.http, api: true } };
}

/** On the embedded database, a daemon. On a server, only the API: somebody who opens the console may not want to run work on this machine. */
async function serve(invocation: Invocation, options: ConsoleOptions, config: Config): Promise<number> {
  const { drain } = invocation.context.signals;
  const ended = new AbortController();
  const over = AbortSignal.any([drain, ended.signal]);
  let closing: Promise<void> = Promise.resolve();
  const logIn = async (db: Database, address: string) => {
    closing = closeInTime(await showLogin(invocation, db, address, options), READ_SECONDS.serving, over);
  };
  try {
    if (config.databaseUrl === null && (await hasFaculties(invocation, options))) {
      return await serveDaemon(invocation, options, withApi, ({ db, address }) => logIn(db, consoleAddress(address!)));
    }
    return await serveHttp(invocation, config, listenAt(config), ({ db, address }) =>
      logIn(db, consoleAddress(address)),
    );
  } finally {
    ended.abort();
    await closing;
  }
}

async function hasFaculties(invocation: Invocation, { faculties }: ConsoleOptions): Promise<boolean> {
  const directory = await facultiesDirectory(invocation, faculties);
  try {
    requireFaculties(directory);
    return true;
  } catch (error) {
    if (faculties !== undefined || !isAnimusError(error, 'faculty.none')) throw error;
    invocation.output.note(`nothing here runs work: ${directory} has no faculties (to copy some: animus faculty add)`);
    return false;
  }
}

/** Ends with `/`. */
function address(value: string): string {
  const url = URL.parse(value);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '' && url.hash === '')
    return url.href.endsWith('/') ? url.href : `${url.href}/`;
  throw new InvalidArgumentError('Expected an address such as https://ops.example.com/animus/.');
}
