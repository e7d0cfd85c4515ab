/** The demo as a person sees it: each thing when it happens. */
import type { FocusEvent } from '../engage/events.ts';
import type { Database } from '../store/database.ts';
import { DEMO_INSERT } from '../store/demo-work.ts';
import type { LedgerEntry } from '../store/ledger.ts';
import type { WorkDetail } from '../store/work-views.ts';
import { type Output, type Part, styled } from './output.ts';
import { counted, duration, shortId } from './quantities.ts';

export interface DemoView {
  intro(): void;
  ready(db: Database): void;
  inserted(id: string): void;
  event(event: FocusEvent): void;
  conclude(item: WorkDetail, ledger: readonly LedgerEntry[]): void;
}

interface DemoSetting {
  readonly home: string;
  readonly workspace: string;
  readonly model?: string;
  readonly keep?: boolean;
}

/** Prints the demo's course to the output; with --json only its result. */
export function createDemoView(output: Output, setting: DemoSetting): DemoView {
  const startedMs = performance.now();
  return {
    intro: () => intro(output, setting),
    ready(db) {
      output.line(styled('Database   ', 'bold'), `embedded Postgres at ${db.where}, made just now`);
      output.line();
    },
    inserted(id) {
      output.line(styled('SQL', 'bold'));
      output.block(DEMO_INSERT, '  ');
      output.line('  → work item ', styled(shortId(id), 'cyan'), ', queued in the same transaction');
    },
    event: (event) => showEvent(output, event),
    conclude(item, ledger) {
      output.document({ item, ledger, workspace: setting.keep ? setting.workspace : null });
      conclude(output, item, ledger, performance.now() - startedMs);
      whatNext(output, setting);
    },
  };
}

function intro(output: Output, { workspace, model }: DemoSetting): void {
  output.line(
    styled('animus demo', 'bold'),
    ': an agent fixes a failing test, from an SQL insert to a verified outcome.',
  );
  output.line();
  output.line(styled('Workspace  ', 'bold'), `${workspace}: a small calendar program, two of its three tests fail`);
  output.line(
    styled('Model      ', 'bold'),
    model ?? 'a script, no model: only the words are written beforehand, all they cause is real',
  );
}

function showEvent(output: Output, event: FocusEvent): void {
  switch (event.type) {
    case 'focus_started':
      output.line(`  → claimed by the daemon, focus ${event.number} of faculty `, styled(event.faculty, 'cyan'));
      return;
    case 'phase':
      output.line();
      output.line(styled(event.phase, 'bold'), styled(`  ${PHASES[event.phase]}`, 'dim'));
      return;
    case 'turn_recorded':
      output.line(styled(`turn ${event.turn}  `, 'cyan'), event.text);
      if (event.calls > 1) output.line(styled(`  ${counted(event.calls, 'call')} at once`, 'dim'));
      return;
    case 'tool_ended':
      showCall(output, event);
      return;
    case 'ledger':
      output.line('  ', styled(`ledger ${event.seq}  ${event.entryType}  `, 'yellow'), event.content);
      return;
    case 'ended':
      if (event.reason !== null) output.line(styled(`  ${event.state}: ${event.reason}`, 'red'));
      return;
    case 'waiting':
      output.line('  ', styled(`waiting  ${event.kind}  ${event.deadline ?? ''}`, 'yellow'));
      return;
    case 'focus_ended':
    case 'turn_started':
    case 'tool_started':
    case 'text':
    case 'restart':
      return;
    default:
      return event satisfies never;
  }
}

const PHASES = {
  orient: 'the hook lists the files and remembers how they looked',
  engage: 'the model and its tools, until the work is done',
  consolidate: 'the hook runs the tests and checks which files changed',
  recover: 'what to do after a failure',
} as const;

function showCall(output: Output, event: Extract<FocusEvent, { type: 'tool_ended' }>): void {
  if (event.name === 'ledger_append' && !event.isError) return;
  const mark: Part = event.isError ? styled('✗', 'red') : styled('✓', 'green');
  output.line('  ', mark, ` ${event.name}  `, styled(`${duration(event.durationMs)}  ${gist(event)}`, 'dim'));
}

/** The line of an output that says most: an exit code with its test counts, else the first. */
function gist({ name, output }: Extract<FocusEvent, { type: 'tool_ended' }>): string {
  const lines = output.split('\n');
  const first = lines[0] ?? '';
  if (name !== 'bash') return lines.length > 1 ? `${first}  … ${counted(lines.length, 'line')}` : first;
  const counts = lines.filter((line) => /^(ℹ|#) (pass|fail) \d+/.test(line)).map((line) => line.slice(2));
  return [first, ...counts].join(', ');
}

function conclude(output: Output, item: WorkDetail, ledger: readonly LedgerEntry[], tookMs: number): void {
  output.line();
  output.line(styled('Ledger', 'bold'), styled('  what the agent keeps, and what others read', 'dim'));
  for (const entry of ledger) output.block(`${entry.seq}. [${entry.type}] ${entry.content}`, '  ');
  output.line();
  output.line(styled('Outcome', 'bold'), '  ', styled(item.state, item.state === 'completed' ? 'green' : 'red'));
  const { text, changed_files: changed, tests } = (item.outcome ?? {}) as Record<string, unknown>;
  if (typeof text === 'string') output.block(text, '  ');
  if (Array.isArray(changed)) output.line('  changed   ', changed.join(', ') || 'nothing');
  if (typeof tests === 'string') output.line('  verified  ', tests);
  output.line(styled(`  ${counted(item.turns, 'turn')}, ${duration(tookMs)} in all`, 'dim'));
}

function whatNext(output: Output, { home, workspace, keep }: DemoSetting): void {
  output.line();
  output.line(styled('Try next', 'bold'));
  if (keep) {
    output.line(
      `  ANIMUS_HOME=${quoted(home)} npx animus work list`,
      styled('   the work item as the database keeps it', 'dim'),
    );
    output.line(
      `  ANIMUS_HOME=${quoted(home)} npx animus status`,
      styled('      the whole system on one screen', 'dim'),
    );
    output.line(`  cat ${quoted(workspace)}/src/calendar.js`, styled('   what the agent changed', 'dim'));
    return;
  }
  output.line(
    '  npx animus demo --keep',
    styled('         the same, and database and workspace stay for a look', 'dim'),
  );
  output.line('  npx animus faculty check', styled('       the agents that come with animus, as files to copy', 'dim'));
  output.line(
    '  npx animus serve --help',
    styled('        a daemon of your own, on your Postgres and your model', 'dim'),
  );
}

function quoted(path: string): string {
  return /\s/.test(path) ? `'${path}'` : path;
}
