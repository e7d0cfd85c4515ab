/** Turns of the engage loop: a process that does nothing else, a model that counts between two of its requests. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { sharedCompileCache } from '../../support/compile-cache.ts';
import { anthropicEvents, sse, text, toolUse } from '../../support/model-server/anthropic.ts';
import { type RecordedRequest, startServer } from '../../support/model-server/server.ts';
import { type Cost, DISTURBANCES, difference, least, type Meter } from '../meter.ts';

/** The turns between whose requests is counted, and the last one. */
const [FROM, TO, LAST] = [4, 12, 13];

/** Foci of each kind of turn. */
const FOCI = 5;

type Json = Record<string, unknown>;
type Call = readonly [tool: string, input: Json];

/** What the model asks for in each turn. Calls of one turn that end at different moments would be recorded by more or fewer statements. */
const KINDS: Readonly<Record<string, (turn: number) => readonly Call[]>> = {
  'no call that changes anything: one read of a file': (turn) => [['read_file', { path: 'notes.txt', offset: turn }]],
  'one call: a write of a file': (turn) => [['write_file', { path: `${turn}.txt`, content: `It is ${turn}.` }]],
  'eight calls that end at once': (turn) => EIGHT.map((n) => ['act', { turn, n }]),
};

const EIGHT = [1, 2, 3, 4, 5, 6, 7, 8];

/** What a turn of each kind costs. */
export async function countTurns(url: string, meter: Meter): Promise<Record<string, Cost>> {
  let kind = '';
  let before: Cost = {};
  const turns: Cost[] = [];
  const read = async (message: 'read' | 'collect') => ({ ...(await loop.read(message)), ...(await meter.read()) });
  const model = await startServer(async (request) => {
    const turn = turnOf(request);
    if (turn === FROM) before = await read('collect');
    if (turn > FROM && turn <= TO) {
      const now = await read('read');
      turns.push(difference(now, before));
      before = now;
    }
    const calls = KINDS[kind]!(turn).map(([tool, input], n) => toolUse(`toolu_${turn}_${n}`, tool, input));
    return answerOf(turn === LAST ? [text('All is done.')] : calls);
  });
  const loop = await startLoop(meter.through(url), model.url);
  const rows: Record<string, Cost> = {};
  try {
    for (kind of Object.keys(KINDS)) {
      await loop.run('Warm up.');
      rows[`turn with ${kind}`] = await least(FOCI, async () => {
        turns.length = 0;
        await loop.run('Do it.');
        return perTurn(turns);
      });
    }
    return rows;
  } finally {
    loop.stop();
    await model.close();
  }
}

function turnOf({ json }: RecordedRequest): number {
  const messages = json!['messages'] as readonly { readonly role: string }[];
  return messages.filter(({ role }) => role === 'assistant').length + 1;
}

function answerOf(content: readonly Json[]) {
  const calls = content.some((block) => block['type'] === 'tool_use');
  const message = {
    id: 'msg_mock',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content,
    stop_reason: calls ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 10 },
  };
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'request-id': 'req_mock' };
  return { status: 200, headers, parts: anthropicEvents(message).map(sse) };
}

const PROBE = join(import.meta.dirname, '../probe.ts');
/** So much room that nothing is collected during a focus. */
const HEAP = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'];

async function startLoop(databaseUrl: string, modelUrl: string) {
  const argv = [...HEAP, '--import', PROBE, join(import.meta.dirname, 'loop-process.ts')];
  const env = { ...process.env, ...sharedCompileCache(), DATABASE_URL: databaseUrl, MODEL_URL: modelUrl };
  const child = spawn(process.execPath, argv, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const over = new Promise<never>((_, fail) => {
    child.once('exit', (code) => fail(new Error(`the process of the loop ended with ${code}`)));
  });
  over.catch(() => {}); // whoever waits for an answer gets it
  const answer = <T>(is: (message: unknown) => boolean): Promise<T> => {
    const told = new Promise<T>((resolve) => {
      child.on('message', function look(message) {
        if (!is(message)) return;
        child.off('message', look);
        resolve(message as T);
      });
    });
    return Promise.race([told, over]);
  };
  await answer((message) => message === 'ready');
  return {
    read(message: 'read' | 'collect') {
      const counted = answer<Cost>((said) => typeof said === 'object' && 'fileCalls' in said!);
      child.send(message);
      return counted;
    },
    async run(orient: string) {
      const ended = answer<{ readonly ended: object & { readonly kind: string } }>(
        (said) => typeof said === 'object' && 'ended' in said!,
      );
      child.send({ orient });
      const end = await ended;
      if (end.ended.kind !== 'done') throw new Error(`the focus ended as ${JSON.stringify(end.ended)}`);
    },
    stop: () => child.disconnect(),
  };
}

/**
 * The least of the turns of a focus, since a call that outlasts the record of its answer costs a statement more; the median of what one turn
 * allocates, which is known only roughly; all disturbances.
 */
function perTurn(turns: readonly Cost[]): Cost {
  const costOf = (measure: string) => {
    const all = turns.map((turn) => turn[measure]!).toSorted((one, other) => one - other);
    if (DISTURBANCES.includes(measure)) return all.reduce((sum, cost) => sum + cost, 0);
    return measure === 'allocatedKB' ? Math.round(all[all.length >> 1]!) : all[0]!;
  };
  return Object.fromEntries(Object.keys(turns[0]!).map((measure) => [measure, costOf(measure)]));
}
