/** `animus demo --week`: fills a database with a week of work, to look at without a model. */
import { AnimusError, usageError } from '../../core/errors/errors.ts';
import { Secret } from '../../core/secrets/secret.ts';
import { databaseHosts } from '../../core/text/addresses.ts';
import type { Database } from '../../store/sql/database.ts';
import type { CommonOptions, Invocation } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { shellWord } from '../../terminal/view/copied-command.ts';
import { showNext } from '../../terminal/view/next-commands.ts';
import { styled } from '../../terminal/view/output.ts';
import { counted, duration, usd } from '../../terminal/view/quantities.ts';
import { fillWeek } from './week/fill-week.ts';
import { FIRST_SCHEDULE } from './week/surroundings.ts';
import { countWeek, type WeekCounts } from './week/week-counts.ts';

export interface WeekOptions extends CommonOptions {
  readonly database?: string;
  readonly items?: number;
  readonly longTurns?: number;
  readonly seed?: number;
  readonly yes?: boolean;
}

export async function demoWeek(invocation: Invocation, options: WeekOptions): Promise<number> {
  const { output, context } = invocation;
  const { items = 1500, longTurns = 400, seed = 1, yes = false } = options;
  const startedMs = performance.now();
  const reach = await reachOf(invocation, options.database);
  const made = await withDatabase(
    { ...invocation, reach: async () => reach },
    async (db) => {
      await refuseOthers(db, { named: options.database !== undefined, yes });
      await fillWeek(db, {
        items,
        longTurns,
        seed,
        signal: context.signals.drain,
        onProgress: (share) => output.progress(`a week of ${counted(items, 'item')}: ${Math.floor(share * 100)} %`),
      });
      output.progress(null);
      const where = db.kind === 'embedded' ? reach.home : db.where;
      return { where, kind: db.kind, ...(await countWeek(db)) };
    },
    'what the demo has written last was taken back',
  );
  const { items: total, ...counts } = made;
  output.document({ ...counts, items: total, home: reach.databaseUrl === null ? reach.home : null, seed });
  show(invocation, made, performance.now() - startedMs);
  const prefix = commandPrefix(invocation, made.kind, reach.home);
  showNext(output, [
    { command: `${prefix} status`, does: 'the whole system on one screen' },
    { command: `${prefix} work list`, does: 'the newest work' },
    { command: `${prefix} inbox`, does: 'what waits for a person' },
    { command: `${prefix} spend`, does: 'what it has cost' },
  ]);
  return 0;
}

function show({ output }: Invocation, made: WeekCounts & { readonly where: string }, tookMs: number): void {
  output.line(styled('animus demo', 'bold'), `: a week of work at ${made.where}, in ${duration(tookMs)}`);
  output.line(
    `  ${counted(made.items, 'work item')} with ${counted(made.turns, 'turn')} and ${counted(made.calls, 'tool call')}, ${usd(made.cost_usd)} in all`,
  );
  output.line(
    `  ${counted(made.asks, 'request')} to a person, ${counted(made.dead, 'dead item')}, ${counted(made.open, 'open item')}`,
  );
  output.block(
    'Nothing of it will run: its faculties have names that begin with demo-, and no daemon serves these. Its people have addresses at example.com, and nobody knows their tokens.',
    '  ',
  );
}

/** Commands for the same database. A URL may contain a password, so it is left to the reader. */
function commandPrefix({ output, context }: Invocation, kind: Database['kind'], home: string): string {
  if (kind === 'postgres') return context.env['DATABASE_URL'] ? output.called : `DATABASE_URL=… ${output.called}`;
  return context.env['ANIMUS_HOME'] ? `ANIMUS_HOME=${shellWord(home)} ${output.called}` : output.called;
}

async function reachOf({ reach }: Invocation, url: string | undefined) {
  if (url === undefined) return reach();
  const hosts = databaseHosts(url);
  if (!('urls' in hosts)) throw usageError(`--database: expected ${hosts.expected}`);
  return { ...(await reach()), databaseUrl: new Secret(url) };
}

/** The demo goes where the person means it to go, and nowhere else. */
async function refuseOthers(
  db: Database,
  { named, yes }: { readonly named: boolean; readonly yes: boolean },
): Promise<void> {
  const [found] = await db.query<{ work: boolean; demo: boolean; daemon: string | null }>(
    `select exists (select from animus.work_items) as work, exists (select from animus.schedules where name = $1) as demo,
            (select format('%s:%s', d.host, d.pid) from animus.daemons d
              where d.stopped_at is null and d.seen_at > animus.now() - interval '2 minutes' limit 1) as daemon`,
    [FIRST_SCHEDULE],
  );
  const { work, demo, daemon } = found!;
  if (daemon !== null)
    throw refusal(
      `a daemon (${daemon}) runs on ${db.where}`,
      'stop it first: it could not work while the demo is written',
    );
  if (demo) throw refusal(`${db.where} contains a week already`, 'give the next one a database of its own');
  if (yes) return;
  if (work) {
    const elsewhere =
      'give the demo a database of its own (ANIMUS_HOME=./demo animus demo --week), or add it to this one with --yes';
    throw refusal(`${db.where} contains work`, elsewhere);
  }
  if (db.kind === 'postgres' && !named) {
    throw refusal(
      `${db.where} is the server of your configuration`,
      'name it with --database if the demo is meant for it, or unset DATABASE_URL',
    );
  }
}

function refusal(detail: string, hint: string): AnimusError {
  return new AnimusError('work.state', { detail, hint: `; ${hint}` });
}
