/** The output of the demo: each event as it happens. */
import { join } from 'node:path';
import type { LedgerEntry } from '../../operations/ledger.ts';
import type { WorkDetail } from '../../operations/read-work.ts';
import type { Database } from '../../store/sql/database.ts';
import { DEMO_INSERT } from '../../store/work/demo-work.ts';
import { createFocusView } from '../../terminal/events/focus-events.ts';
import { shellWord } from '../../terminal/view/copied-command.ts';
import { type NextCommand, showNext } from '../../terminal/view/next-commands.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import { counted, duration, shortId } from '../../terminal/view/quantities.ts';
import { heading } from '../../terminal/view/show-outcome.ts';

export type DemoView = ReturnType<typeof createDemoView>;

interface DemoSetting {
  /** How animus was called: `npx animus`. */
  readonly animus: string;
  readonly home: string;
  readonly workspace: string;
  readonly model?: string;
  readonly keep?: boolean;
}

/** Prints the events of the demo; with --json only its result. */
export function createDemoView(output: Output, setting: DemoSetting) {
  const startedMs = performance.now();
  return {
    intro: () => intro(output, setting),
    ready(db: Database): void {
      output.line(styled('Database   ', 'bold'), `embedded Postgres at ${db.where}, created for this demo`);
      output.line();
    },
    inserted(id: string): void {
      output.line(styled('SQL', 'bold'));
      output.block(DEMO_INSERT, '  ');
      output.line('  → work item ', styled(shortId(id), 'cyan'), ', queued in the same transaction');
    },
    event: createFocusView(output, { captions: PHASES }),
    conclude(item: WorkDetail, ledger: readonly LedgerEntry[]): void {
      output.document({ item, ledger, workspace: setting.keep ? setting.workspace : null });
      conclude(output, item, ledger, performance.now() - startedMs);
      showNext(output, nextCommands(setting), 'Try next');
    },
  };
}

function intro(output: Output, { workspace, model }: DemoSetting): void {
  output.line(styled('animus demo', 'bold'), ABOUT);
  heading(output, 'Workspace  ', `${workspace}: a small calendar program; two of its three tests fail`);
  output.line(styled('Model      ', 'bold'), model ?? SCRIPTED);
}

const ABOUT = ': from an SQL insert to a verified outcome, an agent fixes a failing test.';
const SCRIPTED = 'a script, not a model: its answers are fixed, but everything they cause is real';

const PHASES = {
  orient: 'a hook lists the files and records their state',
  engage: 'the model calls tools until the work is done',
  consolidate: 'a hook runs the tests and lists the files that changed',
  recover: 'decide what happens after a failure',
} as const;

function conclude(output: Output, item: WorkDetail, ledger: readonly LedgerEntry[], tookMs: number): void {
  heading(output, 'Ledger', styled('  the notes of the agent, which people and other agents can read', 'dim'));
  for (const entry of ledger) output.block(`${entry.seq}. [${entry.type}] ${entry.content}`, '  ');
  heading(output, 'Outcome', '  ', styled(item.state, item.state === 'completed' ? 'green' : 'red'));
  const { text, changed_files: changed, tests } = (item.outcome ?? {}) as Record<string, unknown>;
  if (typeof text === 'string') output.block(text, '  ');
  if (Array.isArray(changed)) output.line('  changed   ', changed.join(', ') || 'nothing');
  if (typeof tests === 'string') output.line('  verified  ', tests);
  output.line(styled(`  ${counted(item.turns, 'turn')}, ${duration(tookMs)} in all`, 'dim'));
}

/** They work in a clone and where the package is installed; a test runs each of them in both. */
function nextCommands({ animus, home, workspace, keep }: DemoSetting): readonly NextCommand[] {
  if (keep) {
    const here = `ANIMUS_HOME=${shellWord(home)} ${animus}`;
    return [
      { command: `${here} work list`, does: 'the work item in the database' },
      { command: `${here} status`, does: 'the whole system on one screen' },
      { command: `cat ${shellWord(join(workspace, 'src/calendar.js'))}`, does: 'what the agent changed' },
      { command: `rm -r ${shellWord(home)}`, does: 'delete both' },
    ];
  }
  return [
    { command: `${animus} demo --keep`, does: 'run it again, and keep the database and the workspace' },
    { command: `${animus} faculty add`, does: 'the agents that come with animus' },
    {
      command: `${animus} init my-agents`,
      does: 'write an agent of your own in a new directory; it needs no key at first',
    },
    { command: `${animus} serve --help`, does: 'run a daemon on your Postgres with your model' },
  ];
}
