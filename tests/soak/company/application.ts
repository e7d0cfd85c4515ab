/** The mixed load of a company's application and of the people who look at animus, until `ending`. */
import type { Database } from '../../../src/store/sql/database.ts';
import type { Site } from '../../support/daemon-process.ts';
import { pause } from '../trouble.ts';
import { ACTS, SUBMITTING } from './acts.ts';
import { askCommand, COMMANDS } from './commands.ts';
import type { Company } from './company-server.ts';
import { decide } from './decide.ts';
import { AppSession } from './session.ts';
import { type Application, UNITS } from './units.ts';

/** How many programs submit at a time, each with sessions of its own. */
const PROGRAMS = 4;
/** Open items from which on nothing more is submitted. */
const ENOUGH = 90;

export interface Load {
  readonly app: Omit<Application, 'shop' | 'boss' | 'viewer'>;
  /** Submits nothing more. */
  end(): Promise<void>;
  /** Decides nothing more. */
  close(): Promise<void>;
}

export async function startApplication(company: Company, db: Database, site: Site): Promise<Load> {
  const [clock] = await db.query<{ now: number }>('select extract(epoch from now())::float8 as now');
  const tally = { again: new Map<string, number>(), wrong: [] as string[], done: new Map<string, number>() };
  const app = { tally, undone: [] as string[], recent: [] as string[], made: [] as string[], beganAt: clock!.now };
  const means = { ending: false, closed: false, open: 0 };
  const deciding = decide(new AppSession(company.urls.boss, tally), tally, means);
  const running = [
    watch(db, means),
    ...Array.from({ length: PROGRAMS }, () => program(company, app, means)),
    commands(site, app, means),
  ];
  return {
    app,
    async end() {
      means.ending = true;
      await Promise.all(running);
    },
    async close() {
      means.closed = true;
      await deciding;
    },
  };
}

async function watch(db: Database, means: { readonly ending: boolean; open: number }): Promise<void> {
  while (!means.ending) {
    const [row] = await db
      .query<{ n: number }>('select count(*)::int as n from animus.work_items where resolved_at is null')
      .catch(() => []);
    means.open = row?.n ?? means.open;
    await pause(500);
  }
}

async function program(
  company: Company,
  shared: Load['app'],
  means: { readonly ending: boolean; readonly open: number },
): Promise<void> {
  const open = (login: 'shop' | 'boss' | 'viewer') => new AppSession(company.urls[login], shared.tally);
  const app: Application = { ...shared, shop: open('shop'), boss: open('boss'), viewer: open('viewer') };
  while (!means.ending) {
    const acts = Object.entries({ ...ACTS, ...(means.open < ENOUGH && { ...UNITS, ...SUBMITTING }) });
    const [name, act] = acts[Math.floor(Math.random() * acts.length)]!;
    try {
      await act(app);
      shared.tally.done.set(name, (shared.tally.done.get(name) ?? 0) + 1);
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      shared.tally.wrong.push(`${name}: ${code ?? ''} ${message}`);
    }
    await pause(100 + Math.random() * 500);
  }
  for (const session of [app.shop, app.boss, app.viewer]) await session.close();
}

async function commands(site: Site, app: Load['app'], means: { readonly ending: boolean }): Promise<void> {
  for (let n = 0; !means.ending; n++) {
    const command = COMMANDS[n % COMMANDS.length]!;
    app.tally.wrong.push(...(await askCommand(site, command)));
    app.tally.done.set(command.join(' '), (app.tally.done.get(command.join(' ')) ?? 0) + 1);
    for (let waited = 0; waited < 10 && !means.ending; waited++) await pause(1000);
  }
}
