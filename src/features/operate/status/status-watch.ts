/** `animus status --watch`. */

import { AnimusError, isAnimusError } from '../../../core/errors/errors.ts';
import { systemClock } from '../../../core/lifecycle/clock.ts';
import type { Invocation } from '../../../terminal/command/command.ts';
import { createOutput, styled } from '../../../terminal/view/output.ts';
import type { Part } from '../../../terminal/view/part.ts';
import { age } from '../../../terminal/view/quantities.ts';
import { createRedraw } from '../../../terminal/view/redraw.ts';
import { reportJson, type StatusReport, showStatus } from './status-view.ts';

/** Without a daemon, each refresh opens the embedded directory, and `serve` must be able to open it in between. */
const ALONE_SECONDS = 10;

/** A refresh that failed after an earlier one had succeeded. */
interface Outage {
  readonly sinceMs: number;
  readonly error: AnimusError;
}

/**
 * Refreshes every `everySeconds` seconds until the process is signalled. Waits for a database that becomes unreachable;
 * one that is unreachable at the first refresh is an error. Each refresh has its own connection.
 */
export async function watchStatus(
  invocation: Invocation,
  look: () => Promise<StatusReport>,
  everySeconds: number,
): Promise<number> {
  const { drain } = invocation.context.signals;
  const show = watchView(invocation, everySeconds);
  let last: StatusReport | null = null;
  let outage: Outage | null = null;
  let lostAtMs: number | null = null;
  while (!drain.aborted) {
    try {
      last = await look();
      outage = lostAtMs = null;
    } catch (error) {
      if (isAnimusError(error, 'interrupted')) break;
      if (last === null || !isAnimusError(error) || !error.code.startsWith('db.')) throw error;
      outage = { sinceMs: (lostAtMs ??= Date.now()), error };
    }
    if (drain.aborted) break;
    show(last, outage);
    await systemClock.sleep(1000 * (isAlone(last) ? Math.max(ALONE_SECONDS, everySeconds) : everySeconds), drain);
  }
  // The terminal has echoed ^C at the beginning of a line.
  if (invocation.context.stdout.isTTY && !invocation.output.json) invocation.context.stdout.write('\n');
  invocation.output.note('stopped');
  return 130;
}

function isAlone({ kind, status }: StatusReport): boolean {
  return kind === 'embedded' && !status.daemons.some(({ alive }) => alive);
}

type View = (report: StatusReport, outage: Outage | null) => void;

function watchView({ context, output }: Invocation, everySeconds: number): View {
  if (output.json) return (report, outage) => output.event(outage === null ? reportJson(report) : outageJson(outage));
  if (context.stdout.isTTY) return terminalView(context, everySeconds);
  let said: Outage['error'] | null = null;
  return (report, outage) => {
    if (outage === null) {
      output.line(styled(report.status.at, 'dim'));
      showStatus(output, report);
      output.line();
    } else if (said?.message !== outage.error.message) output.note(`${outage.error.message}; trying again`);
    said = outage?.error ?? null;
  };
}

function terminalView({ stdout, stderr, env }: Invocation['context'], everySeconds: number): View {
  const redraw = createRedraw(stdout);
  return (report, outage) => {
    let frame = '';
    // Created for each frame: the width of the terminal may have changed.
    const sink = { write: (text: string) => (frame += text), isTTY: true, columns: stdout.columns };
    const output = createOutput({ stdout: sink, stderr, env, json: false });
    output.line(...headline(report, outage, everySeconds));
    showStatus(output, report);
    redraw(frame);
  };
}

function headline(report: StatusReport, outage: Outage | null, everySeconds: number): Part[] {
  const at = new Date(report.status.at).toLocaleTimeString('en-GB');
  if (outage === null) return [styled(`${at}, every ${everySeconds} s, Ctrl-C to stop`, 'dim')];
  return [
    styled(`as of ${at}: `, 'red'),
    `${outage.error.message}, since ${age(new Date(outage.sinceMs), Date.now())}`,
  ];
}

function outageJson({ sinceMs, error }: Outage) {
  return { since: new Date(sinceMs).toISOString(), error: { code: error.code, message: error.message } };
}
