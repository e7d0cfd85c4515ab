/** Shows tool calls: a row below the output for each that runs, one line for each that has ended, and the output of code meanwhile. */
import type { Clock } from '../../../core/lifecycle/clock.ts';
import type { WorkEvent } from '../../../store/events/event.ts';
import { callKey, type ShownOutput } from '../../../terminal/events/shown-output.ts';
import { styled } from '../../../terminal/view/output.ts';
import type { Part } from '../../../terminal/view/part.ts';
import { counted, duration } from '../../../terminal/view/quantities.ts';
import type { Console } from '../console/console.ts';
import { inputGist, outputGist } from './call-lines.ts';
import { type ComingLines, createComingLines } from './coming-lines.ts';

type EventOf<Type extends WorkEvent['type']> = Extract<WorkEvent, { readonly type: Type }>;

export interface CallsView {
  begun(event: EventOf<'call'>): void;
  ended(event: EventOf<'observation'>): void;
  printed(output: ShownOutput): void;
  /** The call waits for a person or something else, or does not any more. */
  waits(callId: string | null, waiting: boolean): void;
  /** Shows how long the calls have been running. */
  refresh(): void;
  /** Calls that have not ended will not: another turn began, or the answer ended. */
  over(): void;
}

interface Call {
  readonly event: EventOf<'call'>;
  readonly streams: Readonly<Record<ShownOutput['stream'], ComingLines>>;
  lines: number;
  /** Its own line was printed, because lines that belong to it follow. */
  opened: boolean;
  waiting: boolean;
}

/** Lines of a call's output that are printed while it runs. The row of the call shows the newest one after that. */
const MAX_LINES = 40;

export function createCallsView(console: Console, clock: Pick<Clock, 'nowMs'>): CallsView {
  const running = new Map<string, Call>();
  /** Whose output was printed last. */
  let printing: Call | null = null;

  function row({ event, streams, lines, waiting }: Call): string {
    const seconds = Math.floor(Math.max(0, clock.nowMs() - event.atMs) / 1000);
    const time = waiting ? 'waits' : seconds > 0 ? duration(seconds * 1000).replace('.0 ', ' ') : '';
    const many = lines > MAX_LINES ? counted(lines, 'line') : '';
    const newest = (streams.stdout.rest || streams.stderr.rest).trim();
    const parts = [event.name, inputGist(event.input, console.output.width), time, many, newest];
    return `${indent(event)}→ ${parts.filter((part) => part !== '').join('  ')}`;
  }
  const refresh = () => console.running([...running.values()].map(row));

  function open(call: Call | undefined): void {
    if (call === undefined || call.opened) return;
    call.opened = true;
    const { event } = call;
    if (event.parentCallId !== null) open(running.get(callKey(event, event.parentCallId)));
    console.output.line(
      indent(event),
      styled(`→ ${event.name}`, 'cyan'),
      styled(`  ${inputGist(event.input, console.output.width)}`, 'dim'),
    );
  }

  function printLine(call: Call, line: string, stream: ShownOutput['stream']): void {
    call.lines += 1;
    if (call.lines > MAX_LINES) return;
    const { output } = console;
    const isOther = printing !== null && printing !== call && running.size > 1;
    if (!call.opened) open(call);
    else if (isOther)
      output.line(
        indent(call.event),
        styled(`⋮ ${call.event.name}  ${inputGist(call.event.input, output.width)}`, 'dim'),
      );
    printing = call;
    output.line(
      indent(call.event),
      styled(stream === 'stderr' ? '  ┆ ' : '  │ ', stream === 'stderr' ? 'yellow' : 'dim'),
      line,
    );
  }

  function endStreams(call: Call): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      const { rest } = call.streams[stream];
      if (rest !== '') printLine(call, rest, stream);
    }
    if (printing === call) printing = null;
  }

  return {
    refresh,
    begun(event) {
      const streams = { stdout: createComingLines(), stderr: createComingLines() };
      running.set(callKey(event, event.callId), { event, streams, lines: 0, opened: false, waiting: false });
      refresh();
    },
    ended(event) {
      const key = callKey(event, event.callId);
      const call = running.get(key);
      if (event.parentCallId !== null) open(running.get(callKey(event, event.parentCallId)));
      if (call !== undefined) endStreams(call);
      running.delete(key);
      const input = event.input ?? call?.event.input;
      console.output.line(
        ...endLine(event, call?.opened || input === undefined ? '' : inputGist(input, console.output.width)),
      );
      refresh();
    },
    printed({ key, stream, text, gap }) {
      const call = running.get(key);
      if (call === undefined) return;
      if (gap) printLine(call, '… some output is missing here', stream);
      for (const line of call.streams[stream].feed(text)) printLine(call, line, stream);
      refresh();
    },
    waits(callId, waiting) {
      for (const call of running.values()) if (call.event.callId === callId) call.waiting = waiting;
      refresh();
    },
    over() {
      for (const call of running.values())
        console.output.line(indent(call.event), styled(`– ${call.event.name}  did not end`, 'dim'));
      running.clear();
      printing = null;
      refresh();
    },
  };
}

function endLine(event: EventOf<'observation'>, input: string): Part[] {
  const { isError, name, durationMs, output } = event;
  const what = [input, durationMs === null ? '' : duration(durationMs), outputGist(output)].filter(
    (part) => part !== '',
  );
  return [
    indent(event),
    isError ? styled('✗', 'red') : styled('✓', 'green'),
    ` ${name}`,
    styled(`  ${what.join('  ')}`, 'dim'),
  ];
}

/** Calls that code made stand below it. */
function indent({ parentCallId }: { readonly parentCallId: string | null }): string {
  return parentCallId === null ? '  ' : '    ';
}
