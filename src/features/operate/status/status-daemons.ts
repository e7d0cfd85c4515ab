/** The part of `animus status` about daemons. */
import { type Output, styled } from '../../../terminal/view/output.ts';
import type { Part } from '../../../terminal/view/part.ts';
import { age, counted, duration } from '../../../terminal/view/quantities.ts';
import { cut, right, showTable, spare } from '../../../terminal/view/table.ts';
import type { Status } from './status.ts';

type DaemonStatus = Status['daemons'][number];

/**
 * The daemons that have not stopped, with their problems; those that are silent with the time since when. Lost ones come last; those without
 * work need no attention, and are one line.
 */
export function showDaemons(output: Output, { daemons, at }: Pick<Status, 'daemons' | 'at'>): void {
  const now = Date.parse(at);
  if (!daemons.some((daemon) => daemon.alive)) {
    output.line(styled('Daemons   ', 'bold'), styled('none is running', 'yellow'), '; start one with: animus serve');
  }
  const stopped = daemons.filter((daemon) => daemon.stopped_at !== null).length;
  const left = daemons.filter((daemon) => daemon.stopped_at === null);
  const lost = left.filter(isGone);
  const shown = left.filter((daemon) => !isGone(daemon)).toSorted((a, b) => Number(b.alive) - Number(a.alive));
  if (stopped > 0) output.line(styled(`          ${counted(stopped, 'daemon')} stopped in the last hour`, 'dim'));
  if (lost.length > 0) {
    const last = lost.map(({ seen_at: seen }) => seen).toSorted((a, b) => Date.parse(b) - Date.parse(a))[0]!;
    output.line(
      styled(`          ${counted(lost.length, 'daemon')} lost without work, last seen ${age(last, now)}`, 'dim'),
    );
  }
  if (shown.length === 0) return;
  output.line();
  showTable(output, shown, [
    [cut('DAEMON'), nameOf],
    ['STATE', (daemon) => daemonState(daemon, now)],
    [spare(right('MAX')), (daemon) => String(daemon.max_concurrent)],
    [spare('SEEN'), (daemon) => age(daemon.seen_at, now)],
    [cut('FACULTIES'), (daemon) => daemon.faculties.join(' ')],
  ]);
  for (const daemon of shown) showProblems(output, daemon, now);
}

/** Lost, and no work waits for the end of its lease. */
function isGone({ alive, stopped_at: stopped, lease_until: until }: DaemonStatus): boolean {
  return !alive && stopped === null && !until;
}

/** A daemon reports every 30 s at least. One report may be late. */
const SILENT_MS = 45_000;

function isSilent({ seen_at: seen }: DaemonStatus, now: number): boolean {
  return now - Date.parse(seen) > SILENT_MS;
}

/** A killed daemon does not report its stop: it counts as lost when it was not seen for two minutes. */
function daemonState(daemon: DaemonStatus, now: number): Part {
  if (!daemon.alive) return styled('lost', 'red');
  if (isSilent(daemon, now)) return styled('silent', 'yellow');
  return styled(daemon.saturated ? 'full' : 'up', 'green');
}

/** What a silent daemon reported may be over by now, so it is not shown as a problem of today. */
function showProblems(output: Output, daemon: DaemonStatus, now: number): void {
  const problem = (text: string) => output.line(styled('problem  ', 'red'), text);
  const reported = [...daemon.problems.map(problemText), ...recentBlock(daemon, now)];
  if (!isSilent(daemon, now)) {
    for (const text of reported) problem(text);
    return;
  }
  const seen = Date.parse(daemon.seen_at);
  const since = `${duration(now - seen)}, since ${new Date(seen).toISOString().slice(0, 19)}Z`;
  problem(`${nameOf(daemon)} has not been seen for ${since}: ${itsWork(daemon, now)}`);
  for (const text of reported) output.line(styled(`         it reported before: ${text}`, 'dim'));
}

/** For an hour. */
const BLOCK_SHOWN_MS = 3_600_000;

function recentBlock(daemon: DaemonStatus, now: number): string[] {
  const { blocked_at: at, blocked_seconds: seconds, blocks = 0 } = daemon;
  if (typeof at !== 'string' || typeof seconds !== 'number' || now - Date.parse(at) > BLOCK_SHOWN_MS) return [];
  const often = blocks > 1 ? `, ${blocks} times since its start` : '';
  return [
    `the event loop of ${nameOf(daemon)} was blocked for ${duration(seconds * 1000)}, ${age(at, now)}${often}; its log says what ran`,
  ];
}

function itsWork({ alive, lease_until: until }: DaemonStatus, now: number): string {
  const gone = alive ? 'it was probably killed, or cannot reach the database' : 'it counts as lost';
  if (until === null || until === undefined) return `${gone}; it has no work`;
  const left = Date.parse(until) - now;
  if (left > 0) return `${gone}; the lease of its work runs out in ${duration(left)}, and other daemons go on with it`;
  return `${gone}; the lease of its work has run out, and other daemons go on with it`;
}

function nameOf({ host, pid }: DaemonStatus): string {
  return `${host}:${pid}`;
}

function problemText(problem: unknown): string {
  if (typeof problem === 'string') return problem;
  const { message } = (problem ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : JSON.stringify(problem);
}
