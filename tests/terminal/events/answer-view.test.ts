import { describe, expect, it } from 'vitest';
import { type AnswerView, createAnswerView } from '../../../src/terminal/events/answer-view.ts';
import { createOutput } from '../../../src/terminal/view/output.ts';

describe('an answer on the screen', () => {
  it('is printed while it streams on a terminal, and not again afterwards', () => {
    const { view, output, printed } = screen(true);
    view.take({ type: 'text', live: true, turn: 1, text: '\nI look' });
    expect(printed()).toBe('turn 1  I look');
    view.take({ type: 'text', live: true, turn: 1, text: ' at\u001b[2J it.\nGood.' });
    record(view, 'I look at\u001b[2J it.\nGood.');
    output.line('next');
    expect(printed()).toBe('turn 1  I look at\\x1b[2J it.\nGood.\nnext\n');
  });

  it('is one line when it is recorded, without a terminal', () => {
    const { view, printed } = screen(false);
    view.take({ type: 'text', live: true, turn: 1, text: 'I look' });
    record(view, 'I look\nat it.');
    expect(printed()).toBe('turn 1  I look at it.\n');
  });

  it('is printed in full if pieces were lost or it was restarted', () => {
    const lost = screen(true);
    lost.view.take({ type: 'text', live: true, turn: 1, text: 'I lo' });
    record(lost.view, 'I look.');
    expect(lost.printed()).toBe('turn 1  I lo\nturn 1  I look.\n');
    const anew = screen(true);
    anew.view.take({ type: 'text', live: true, turn: 1, text: 'I lo' });
    anew.view.take({ type: 'withdrawn' });
    anew.view.take({ type: 'text', live: true, turn: 1, text: 'Good.' });
    record(anew.view, 'Good.');
    anew.output.line('next');
    expect(anew.printed()).toBe('turn 1  I lo\n  … the answer starts again:\nturn 1  Good.\nnext\n');
  });
});

/** An answer in two blocks. */
function record(view: AnswerView, text: string): void {
  view.take({ type: 'turn', turn: 1 });
  view.take({ type: 'text', turn: 1, text: text.slice(0, 4) });
  view.take({ type: 'text', turn: 1, text: text.slice(4) });
  view.settle();
}

function screen(terminal: boolean) {
  let printed = '';
  const stdout = { write: (text: string) => (printed += text), ...(terminal && { isTTY: true, columns: 80 }) };
  const output = createOutput({ stdout, stderr: { write: () => undefined }, env: { NO_COLOR: '1' }, json: false });
  return { output, view: createAnswerView(output, (turn) => [`turn ${turn}  `]), printed: () => printed };
}
