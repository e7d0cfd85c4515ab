import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { makeSite, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type AnthropicAnswer, text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, startModelServer, WIRE } from '../support/model-server/either-wire.ts';

const FACULTY = (name: string, more = '') => `
[faculty]
name = "${name}"
${more}
[faculty.engage]
model = "${MODEL}"
system_prompt = "You err."
tools = ["bash", "read_file"]
max_turns = 8
tool_timeout_seconds = 1
[faculty.recover]
max_attempts = 1
`;

/** The model's answers to each piece of work, by the number of the request. */
const COURSES: Readonly<Record<string, (asked: number) => AnthropicAnswer>> = {
  circles: (asked) => ({ content: [toolUse(`c${asked}`, 'read_file', { path: 'missing' })] }),
  invents: (asked) => ({ content: [toolUse(`c${asked}`, 'telepathy', { to: 'you' })] }),
  misfits: (asked) =>
    asked === 1 ? { content: [toolUse('c', 'read_file', { path: 42 })] } : { content: [text('so it is a text')] },
  refuses: () => ({ content: [text('I will not.')], stop_reason: 'refusal' }),
  silent: () => ({ content: [text('')] }),
  endless: (asked) => ({ content: [toolUse(`c${asked}`, 'bash', { command: `echo ${asked}` })] }),
  pauses: (asked) => {
    if (asked > 2) return { content: [text('whole')] };
    // Chat Completions has no such stop reason; there the answer is cut instead.
    return { content: [text(`part ${asked}`)], stop_reason: WIRE === 'anthropic' ? 'pause_turn' : 'max_tokens' };
  },
  hangs: (asked) =>
    asked === 1 ? { content: [toolUse('c', 'bash', { command: 'sleep 600' })] } : { content: [text('it hung')] },
  cut: () => ({ content: [text('I was about to')], stop_reason: 'max_tokens' }),
  full: () => ({ content: [text('there is no')], stop_reason: 'model_context_window_exceeded' }),
  late: (asked) => ({ content: [toolUse(`c${asked}`, 'bash', { command: `sleep 0.4; echo ${asked}` })] }),
};

describe('a run that goes wrong ends with a reason on the item and its focus', () => {
  const pg = testDatabase();
  const ids: Record<string, string> = {};

  async function endOf(course: string) {
    return eventually(
      `${course} ends`,
      async () => {
        const [row] = await pg.database.query<{ state: string; error: Problem; outcome: unknown; turns: number }>(
          'select state, error, outcome, turns from animus.work_items where id = $1 and resolved_at is not null',
          [ids[course]],
        );
        if (!row) return null;
        const [focus] = await pg.database.query<{ error: Problem }>(
          'select error from animus.foci where work_item_id = $1',
          [ids[course]],
        );
        expect(focus!.error).toEqual(row.error);
        return row;
      },
      60,
    );
  }

  /** The result of the first call of the course: an error that says what was wrong. */
  async function outputOf(course: string): Promise<string> {
    const [call] = await pg.database.query<{ output: string }>(
      `select c.output from animus.tool_calls c join animus.foci f on f.id = c.focus_id
        where f.work_item_id = $1 and c.state = 'failed' order by c.turn limit 1`,
      [ids[course]],
    );
    return call!.output;
  }

  beforeAll(async () => {
    for (const course of Object.keys(COURSES)) {
      const faculty = course === 'late' ? 'late' : 'erring';
      const [row] = await pg.database.query<{ id: string }>(
        'insert into animus.work_items (faculty, description) values ($1, $2) returning id',
        [faculty, `course=${course}`],
      );
      ids[course] = row!.id;
    }
  });

  it('and the daemon continues in every case', async () => {
    const asked: Record<string, number> = {};
    const server = await startModelServer((body) => {
      const course = /course=(\w+)/.exec(JSON.stringify(body['messages']))![1]!;
      asked[course] = (asked[course] ?? 0) + 1;
      return COURSES[course]!(asked[course]);
    });
    onTestFinished(() => server.close());
    const faculties = { erring: FACULTY('erring'), late: FACULTY('late', 'run_deadline_seconds = 1') };
    await startDaemon(makeSite({ modelUrl: server.url, databaseUrl: pg.connectionString, faculties }));

    expect(await endOf('circles')).toMatchObject({ state: 'dead', turns: 5, error: { code: 'engage.repeated_call' } });
    expect(await endOf('invents')).toMatchObject({ state: 'dead', turns: 5, error: { code: 'engage.repeated_call' } });
    expect(await outputOf('invents')).toContain('no tool named "telepathy"');
    expect(await endOf('misfits')).toMatchObject({ state: 'completed', outcome: { text: 'so it is a text' } });
    expect(await outputOf('misfits')).toMatch(/expected string, received number[^]*at path/);
    expect(await endOf('refuses')).toMatchObject({
      state: 'dead',
      error: { code: 'engage.refused', message: 'the model refused: I will not.', phase: 'engage' },
    });
    expect(await endOf('silent')).toMatchObject({ state: 'dead', turns: 2, error: { code: 'engage.empty_answer' } });
    expect(await endOf('endless')).toMatchObject({
      state: 'dead',
      turns: 8,
      error: { code: 'engage.max_turns', message: 'not done after 8 turns (max_turns)' },
    });
    expect(await endOf('cut')).toMatchObject({ state: 'dead', turns: 3, error: { code: 'engage.cut_answers' } });
    expect(await endOf('full')).toMatchObject({ state: 'dead', turns: 2, error: { code: 'engage.context_overflow' } });
    expect(await endOf('late')).toMatchObject({
      state: 'dead',
      error: { code: 'focus.deadline', message: expect.stringContaining('run_deadline_seconds (1 s)') },
    });
    expect(await endOf('pauses')).toMatchObject({ state: 'completed', turns: 3 });
    expect(await endOf('hangs')).toMatchObject({ state: 'completed', outcome: { text: 'it hung' } });
    expect(await outputOf('hangs')).toMatch(/timed out|did not finish within/);
    expect(server.requests.filter((request) => request.refused !== null)).toEqual([]);
  }, 180_000);
});

interface Problem {
  readonly code: string;
  readonly message: string;
}
