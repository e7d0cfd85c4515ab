/** The values that completion offers: faculties, providers, ids, schedules. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadReach } from '../../catalog/config/load-reach.ts';
import { within } from '../../core/lifecycle/within.ts';
import type { WorkState } from '../../core/work/work.ts';
import { listConversations } from '../../features/conversations/store/read-conversations.ts';
import { loadSections } from '../../features/features.ts';
import { listSchedules } from '../../features/schedules/store.ts';
import { listWork } from '../../operations/read-work.ts';
import type { Database } from '../../store/sql/database.ts';
import type { CommonOptions, Invocation } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { facultiesDirectory } from '../../terminal/command/faculties-directory.ts';
import { SHIPPED_FACULTIES } from '../../terminal/command/shipped.ts';
import { skillsDirectories } from '../../terminal/command/skills-directories.ts';
import { shortId } from '../../terminal/view/quantities.ts';
import type { WordSources } from './completion-words.ts';

/** How long completion waits for the database after Tab was pressed. */
const PATIENCE_MS = 700;

/** Reads them for a shell that waits: for at most 0.7 s, and without printing anything. */
export function wordSources(given: Invocation, options: CommonOptions): WordSources {
  const invocation = hurried(given, options);
  return {
    faculties: () => orNone(async () => facultiesIn(await facultiesDirectory(invocation, undefined))),
    shipped: () => orNone(() => facultiesIn(SHIPPED_FACULTIES)),
    skills: () =>
      orNone(async () => {
        const { loadSkills } = await import('../../catalog/skills/load-skills.ts');
        return [...loadSkills(await skillsDirectories(invocation, undefined)).skills.keys()];
      }),
    providers: () => orNone(async () => [...(await invocation.config()).providers.keys()]),
    ids: (command) =>
      ask(invocation, async (db) => {
        const lists = await Promise.all(statesFor(command).map((state) => listWork(db, { state, limit: 50 })));
        return lists.flat().map(({ id }) => shortId(id));
      }),
    conversations: () => ask(invocation, async (db) => (await listConversations(db, 50)).map(({ id }) => shortId(id))),
    schedules: () => ask(invocation, async (db) => (await listSchedules(db)).map(({ name }) => name)),
  };
}

async function facultiesIn(directory: string): Promise<readonly string[]> {
  return (await import('../../terminal/command/faculty-names.ts')).facultyNames(directory);
}

/** With a time limit, and without the note about a broken configuration. */
function hurried(invocation: Invocation, { config }: CommonOptions): Invocation {
  const { context } = invocation;
  const { env, cwd } = context;
  const drain = within(PATIENCE_MS, context.signals.drain);
  return {
    ...invocation,
    context: { ...context, signals: { ...context.signals, drain } },
    reach: () => loadReach({ env, cwd, configFile: config }, loadSections),
  };
}

/** The states of work to which a command applies; undefined: all. */
function statesFor(command: string): readonly (WorkState | undefined)[] {
  if (command === 'retry') return ['dead', 'cancelled'];
  if (command === 'approve' || command === 'deny' || command === 'answer') return ['waiting', 'running'];
  if (command === 'cancel') return ['running', 'claimed', 'waiting', 'queued', 'scheduled'];
  return [undefined];
}

async function orNone<Value>(read: () => Promise<readonly Value[]>): Promise<readonly Value[]> {
  try {
    return await read();
  } catch {
    // The command itself reports a configuration that cannot be read.
    return [];
  }
}

/** Does not open an embedded database that no daemon has open: opening it takes a second. */
function ask(invocation: Invocation, query: (db: Database) => Promise<readonly string[]>): Promise<readonly string[]> {
  return orNone(async () => {
    const { databaseUrl, home } = await invocation.reach();
    if (databaseUrl === null && !existsSync(join(home, 'embedded.json'))) return [];
    return withDatabase(invocation, query);
  });
}
