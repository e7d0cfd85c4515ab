import { expect, test } from 'vitest';
import { showFocus } from '../../../../src/features/work/terminal/show-focus.ts';
import { createOutput } from '../../../../src/terminal/view/output.ts';

test('a turn says why the model stopped, in red where it refused, and that a cost is unknown', () => {
  let text = '';
  const stream = { isTTY: true, columns: 120, write: (more: string) => void (text += more) };
  const output = createOutput({ stdout: stream, stderr: stream, env: { TERM: 'xterm' }, json: false });
  const turn = (number: number, more: object) => ({
    turn: number,
    cut_off: null,
    recorded_at: new Date(),
    stop_reason: 'end_turn',
    model: 'm',
    input_tokens: 1000,
    output_tokens: 20,
    cache_read_tokens: 250,
    cost_usd: 0.5,
    estimated: false,
    duration_ms: 1500,
    lost_requests: 0,
    lost_usd: 0,
    text: 'Done.',
    tool_calls: [],
    ...more,
  });
  const focus = {
    number: 1,
    started_at: new Date(0),
    ended_at: new Date(3000),
    resumes: 0,
    ended_as: 'completed',
    host: 'h',
    directory: null,
    branch: null,
    messages: [],
    error: null,
    turns: [turn(1, {}), turn(2, { stop_reason: 'refusal', cost_usd: null, input_tokens: null })],
  };
  showFocus(output, focus as never, { full: false, state: 'completed' });
  expect(text).toContain('turn 1  end_turn');
  expect(text).toContain('m  1,000 in (25 % cached), 20 out  $0.5000  1.5 s');
  expect(text).toContain('\u001b[31mrefusal\u001b[0m');
  expect(text).toContain('m  tokens unknown  cost unknown');
});
