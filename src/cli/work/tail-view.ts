/** The output of `work tail`: text for people, or one JSON event per line for programs. */
import type { TimedEvent } from '../../engage/events/replay.ts';
import type { Output } from '../../terminal/view/output.ts';
import { styled } from '../../terminal/view/output.ts';
import type { Part } from '../../terminal/view/part.ts';
import { duration, shortId, stateLabel } from '../../terminal/view/quantities.ts';
import { createAnswerView } from '../events/answer-view.ts';

export type TailView = (event: TimedEvent) => void;

/** A view of the events of one item, in order. */
export function createTailView(output: Output, workItemId: string, faculty: string): TailView {
  let atMs = 0;
  const answers = createAnswerView(output, (turn) => [timeOf(atMs), styled(`turn ${turn}  `, 'cyan')]);
  return (event) => {
    atMs = event.atMs;
    const { atMs: _at, ...fields } = event;
    output.event({ at: new Date(atMs).toISOString(), work_item_id: workItemId, faculty, ...snakeCase(fields) });
    if (event.type === 'text' || event.type === 'restart') answers.coming(event);
    else if (event.type === 'turn_recorded') answers.recorded(event);
    else if (event.type === 'output') output.piece(event.text);
    else {
      const parts = describe(event, `${output.called} inbox ${shortId(workItemId)}`);
      if (parts !== null) output.line(timeOf(atMs), ...parts);
    }
  };
}

function timeOf(atMs: number): Part {
  return styled(`${new Date(atMs).toISOString().slice(11, 19)}  `, 'dim');
}

type Described = Exclude<TimedEvent, { readonly type: 'text' | 'restart' | 'turn_recorded' | 'output' }>;

/** The line of an event, or null for an event that only programs need. `inbox`: the command that shows what a person has to decide. */
function describe(event: Described, inbox: string): readonly Part[] | null {
  switch (event.type) {
    case 'focus_started':
      return [styled(`focus ${event.number} ${event.resumed ? 'resumed' : 'started'}`, 'bold')];
    case 'turn_started':
      return [styled(`turn ${event.turn}  `, 'cyan'), styled(`calling ${event.model}`, 'dim')];
    case 'tool_started':
      return [indentOf(event), styled(event.name, 'bold'), styled(`  ${JSON.stringify(event.input)}`, 'dim')];
    case 'tool_ended': {
      const mark: Part = event.isError ? styled('✗', 'red') : styled('✓', 'green');
      return [
        indentOf(event),
        mark,
        ` ${event.name}`,
        styled(`  ${duration(event.durationMs)}  ${event.output}`, 'dim'),
      ];
    }
    case 'waiting':
      return [
        '  ',
        styled('waiting', 'yellow'),
        ` ${event.kind}`,
        event.deadline === null ? '' : ` until ${event.deadline}`,
        event.kind === 'approval' || event.kind === 'human' ? `; see it and decide: ${inbox}` : '',
      ];
    case 'ledger':
      return ['  ', styled(`ledger ${event.seq}  ${event.entryType}  `, 'yellow'), event.content];
    case 'message':
      return [styled(`message ${event.messageId} of ${event.author}  `, 'yellow'), event.text];
    case 'message_delivered':
      return ['  ', styled(`message ${event.messageId} delivered with turn ${event.turn}`, 'dim')];
    case 'focus_ended':
      return [styled(`focus ${event.endedAs}`, 'bold'), event.reason === null ? '' : `: ${event.reason}`];
    case 'ended':
      return [stateLabel(event.state)];
    case 'phase':
      return null;
    default:
      return event satisfies never;
  }
}

/** Calls that code made stand below it. */
function indentOf({ parentCallId }: { readonly parentCallId?: string }): string {
  return parentCallId === undefined ? '  ' : '    ';
}

/** Converts field names to snake_case, as in all `--json` output. */
function snakeCase(event: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(event).map(([key, value]) => [
      key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}
