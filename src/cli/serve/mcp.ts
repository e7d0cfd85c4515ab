/** `animus mcp`: what a person may do here, as tools for an MCP client that starts this command. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readSecretFile } from '../../catalog/config/config-files.ts';
import { environmentReader } from '../../core/config/source/environment.ts';
import { AnimusError, usageError } from '../../core/errors/errors.ts';
import { listProblems } from '../../core/errors/problem.ts';
import { systemClock } from '../../core/lifecycle/clock.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import { checkCompatible } from '../../store/migrations/compatibility.ts';
import { openConfiguredDatabase } from '../../store/open/open-database.ts';
import { openLog } from '../../telemetry/log.ts';
import {
  addCommand,
  type CliContext,
  type CommonOptions,
  type Invocation,
  type RunCommand,
} from '../../terminal/command/command.ts';
import { refuseInsideWork } from '../../terminal/command/database.ts';
import { version } from '../../terminal/command/version.ts';
import { openSearchModel } from './search-model.ts';

/** A secret of the client's configuration. */
const VARIABLE = 'ANIMUS_TOKEN';

interface McpOptions extends CommonOptions {
  readonly tokenFile?: string;
}

/** Adds `animus mcp`. */
export function addMcpCommand(program: Command, run: RunCommand): void {
  addCommand(program, 'mcp', {
    summary: 'serve tools for an MCP client on standard input and output, with the rights of a token, until it closes',
    examples: ['ANIMUS_TOKEN=animus_… animus mcp', 'animus mcp --token-file ~/.animus/token'],
  })
    .option(
      '--token-file <file>',
      'a file that contains the token and that only its owner can read (default: the variable ANIMUS_TOKEN)',
    )
    .action(run(mcpCommand));
}

/** Standard output carries the protocol: everything else goes to standard error. */
async function mcpCommand(invocation: Invocation, { tokenFile }: McpOptions): Promise<number> {
  const { context } = invocation;
  await refuseInsideWork(invocation);
  const token = readToken(context, tokenFile);
  const config = await invocation.config();
  const { home, databaseUrl, http, logLevel } = config;
  if (!context.serveMcp) throw new AnimusError('internal.bug', { detail: 'nothing here serves MCP' });
  await using closing = new AsyncDisposableStack();
  const log = openLog({ level: logLevel });
  const source = { home, databaseUrl: http.databaseUrl ?? databaseUrl };
  const db = await openConfiguredDatabase(source, { role: 'command', log, poolSize: 4 });
  closing.defer(() => db.close());
  await checkCompatible(db);
  const embeddings = await openSearchModel(config, closing);
  const parts = { db, log, clock: systemClock, version: version(), config, embeddings, token, oidc: http.oidc };
  await context.serveMcp({ ...parts, signal: context.signals.drain });
  context.signals.endedAsAsked();
  return 0;
}

/** Errors: `usage.invalid` without a token, and for a file that cannot be read, or not by its owner alone. */
function readToken({ env, cwd }: CliContext, file: string | undefined): Secret {
  const from = file === undefined ? env : { [`${VARIABLE}_FILE`]: file };
  const reader = environmentReader(from, (path) => readSecretFile(resolve(cwd, path)));
  const token = reader.secret(VARIABLE);
  const { problems } = reader;
  if (problems.length > 0) throw usageError(listProblems(problems));
  if (token !== null) return token;
  const detail = `animus mcp needs a token, which says who you are: set ${VARIABLE}, or give --token-file FILE; to make one: animus token create NAME`;
  throw usageError(detail);
}
