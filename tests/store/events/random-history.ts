/** Random lives of a work item, through the SQL functions that daemons and operators call, with crashes, retries and a clock that jumps. */
import type { Queryable } from '../../../src/store/sql/database.ts';
import { askPerson } from '../../../src/store/transcript/approvals.ts';
import { finishToolCalls, startCall } from '../../../src/store/transcript/calls.ts';
import { recordCodeCalls } from '../../../src/store/transcript/code-calls.ts';
import { appendLedger } from '../../../src/store/transcript/ledger.ts';
import { openWait, parkWork, resolveWait } from '../../../src/store/transcript/waits.ts';
import { cancelWork, retryWork } from '../../../src/store/work/operate.ts';
import { sayWork } from '../../../src/store/work/say-work.ts';
import { completeWork, endCancelled, failWork, releaseWork } from '../../../src/store/work/work.ts';
import { askOf } from '../../support/ask-of.ts';
import { beginFocus, type FocusedWork } from '../../support/begun-focus.ts';

/** A generator of numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

interface Call {
  readonly id: string;
  state: 'started' | 'waiting' | 'asked' | 'decided';
  code: number;
}

/** Lives one item: each `step` does one thing that is possible now. `claim` claims it and begins its focus. */
export function randomHistory(
  db: Queryable,
  id: string,
  random: () => number,
  claim: () => Promise<FocusedWork> = () => beginFocus(db, { id }),
) {
  let work: FocusedWork | null = null;
  let state: 'queued' | 'running' | 'waiting' | 'over' | 'completed' = 'queued';
  let turn = 0;
  let calls: Call[] = [];
  const any = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  const only = (...states: Call['state'][]) => calls.filter((call) => states.includes(call.state));

  async function begin(): Promise<void> {
    work = await claim();
    state = 'running';
    const [row] = await db.query<{ fresh: boolean; before: number }>(
      `select not exists (select from animus.turns t where t.focus_id = f.id and t.recorded_at is not null) as fresh,
              coalesce(f.turns_before, 0) as before from animus.foci f where f.id = $1`,
      [work.key.focusId],
    );
    if (row!.fresh) {
      turn = row!.before;
      calls = [];
    }
  }

  async function answer(): Promise<void> {
    const { focusId, leaseToken } = work!.key;
    turn++;
    for (let permit = 'mail'; permit === 'mail'; ) {
      const [row] = await db.query<{ permit: string }>(`select animus.begin_turn($1, $2, $3) ->> 'permit' as permit`, [
        focusId,
        leaseToken,
        turn,
      ]);
      permit = row!.permit;
      if (permit === 'cancelled') {
        turn--;
        return;
      }
    }
    // Ids repeat, as those of some providers do.
    calls = Array.from({ length: Math.floor(random() * 4) }, (_, n) => ({
      id: `call_${n}`,
      state: 'started',
      code: 0,
    }));
    const content = [
      ...(random() < 0.5 ? [{ type: 'thinking', text: `I think ${turn}` }] : []),
      ...(random() < 0.7 ? [{ type: 'text', text: `I say ${turn}` }] : []),
      ...calls.map((call) => ({ type: 'tool_call', id: call.id, name: 'look', input: {} })),
    ];
    const recorded = { provider: 'p', model: 'm', content, stop_reason: 'tool_use', usage: { input: 5, output: 3 } };
    const rows = calls.map((call) => ({ call_id: call.id, name: 'look', input: { turn }, state: 'started' }));
    await db.query('select animus.record_turn($1, $2, $3, $4::json, $5::json)', [
      focusId,
      leaseToken,
      turn,
      JSON.stringify(recorded),
      JSON.stringify(rows),
    ]);
  }

  async function end(call: Call): Promise<void> {
    if (call.state === 'decided') await startCall(db, work!.key, turn, call.id, null).catch(() => {});
    const result = { turn, callId: call.id, state: 'done' as const, output: `saw ${call.id}`, isError: false };
    await finishToolCalls(db, work!.key, [{ ...result, details: null, durationMs: 1 }]);
    calls = calls.filter((other) => other !== call);
  }

  async function runCode(call: Call): Promise<void> {
    const n = ++call.code;
    const row = { name: 'look', input: { n }, finalInput: null, isError: false, details: null, durationMs: 1 };
    const begun = { ...row, n, state: 'started' as const, output: null, outputBytes: null };
    const ended = { ...row, state: 'done' as const, output: 'seen', outputBytes: 4 };
    // The newest begins; an earlier one ends, perhaps one that was never recorded as begun.
    const rows = random() < 0.5 ? [begun] : [{ ...ended, n: 1 + Math.floor(random() * n) }, begun];
    await recordCodeCalls(
      db,
      work!.key,
      turn,
      call.id,
      rows.filter((one, i) => i === 0 || one.n !== rows[0]!.n),
    );
  }

  async function wait(call: Call): Promise<void> {
    if (random() < 0.5) {
      await openWait(db, work!.key, turn, call.id, { kind: 'timer', deadline: new Date(Date.now() + 3_600_000) });
      call.state = 'waiting';
    } else {
      const asks = { subject: 'tool_call', request: { reason: 'may I' }, seconds: 3600 } as const;
      await askPerson(db, work!.key, turn, call.id, 'approval', asks);
      call.state = 'asked';
    }
  }

  async function resolve(call: Call): Promise<void> {
    if (call.state === 'asked') {
      const [name, ...rest] = random() < 0.5 ? ['approve', null] : ['deny', ''];
      const sql = name === 'approve' ? 'select animus.approve($1, $2, $3)' : 'select animus.deny($1, $2, $3)';
      await db.query(sql, [id, await askOf(db, id, call.id), rest[0] ?? 'fine']);
    } else await resolveWait(db, id, call.id, { due: true });
    call.state = 'decided';
    if (state === 'waiting' && only('waiting', 'asked').length === 0) state = 'queued';
  }

  async function lose(): Promise<void> {
    await db.query(`update animus.work_items set lease_expires_at = '2000-01-01' where id = $1`, [id]);
    await begin();
  }

  async function fail(): Promise<void> {
    const keep = random() < 0.5 ? 'transcript' : 'ledger';
    const dead = random() < 0.3;
    const at = dead ? null : 0;
    const after = await failWork(db, work!, { code: 'x', message: 'it broke' }, at, keep);
    state = after === 'dead' ? 'over' : 'queued';
    if (keep === 'ledger' || dead) forget();
  }

  function forget(): void {
    turn = 0;
    calls = [];
  }

  async function cancel(): Promise<void> {
    await cancelWork(db, id, 'enough');
    if (state === 'running') await endCancelled(db, work!);
    forget();
    state = 'over';
  }

  async function retry(): Promise<void> {
    await retryWork(db, id);
    state = 'queued';
  }

  async function complete(): Promise<void> {
    await completeWork(db, work!, { ok: true }, 'it is done');
    state = 'completed';
  }

  async function pack(): Promise<void> {
    await db.query(`select animus.pack_history('0 seconds', 1000)`);
  }

  const note = async () => void (await appendLedger(db, id, 'finding', `found ${random()}`));
  const ownNote = async () => {
    await appendLedger(db, id, 'step', `step ${random()}`, { leaseToken: work!.leaseToken });
  };
  const say = async () => void (await sayWork(db, id, `hello ${random()}`));

  function possible(): (() => Promise<void>)[] {
    switch (state) {
      case 'queued':
        return [begin, begin, begin, note, say, cancel];
      case 'over':
        return [retry, retry, note, pack];
      case 'completed':
        return [note, pack];
      case 'waiting':
        return [say, ...only('waiting', 'asked').map((call) => () => resolve(call))];
      case 'running': {
        const running = only('started', 'decided');
        const parked = only('waiting', 'asked');
        return [
          ownNote,
          note,
          say,
          lose,
          ...running.flatMap((call) => [() => end(call), () => end(call)]),
          ...only('started').flatMap((call) => [() => wait(call), () => runCode(call)]),
          ...parked.map((call) => () => resolve(call)),
          ...(running.length === 0 && parked.length > 0 ? [park, park] : []),
          ...(calls.length === 0 ? [answer, answer, answer, answer] : []),
          ...(random() < 0.2 ? [fail, cancel] : []),
          async () => {
            await releaseWork(db, work!, { delaySeconds: 0, reason: 'elsewhere', cause: 'test' });
            state = 'queued';
          },
        ];
      }
      default:
        return state satisfies never;
    }
  }

  async function park(): Promise<void> {
    state = (await parkWork(db, work!)) as 'waiting' | 'queued';
  }

  return {
    step: () => any(possible())(),
    /** Ends it as its daemon does when it was cancelled by somebody else. */
    async stop(): Promise<void> {
      if (state === 'running') await endCancelled(db, work!);
      forget();
      state = 'over';
    },
    /** Brings it to its end: everything else is over then. */
    async finish(): Promise<void> {
      for (let n = 0; state !== 'completed'; n++) {
        if (n > 200) throw new Error(`it does not end: ${state}`);
        if (state === 'over') await retry();
        else if (state === 'queued') await begin();
        else if (state === 'waiting') await resolve(only('waiting', 'asked')[0]!);
        else if (only('waiting', 'asked').length > 0) await resolve(only('waiting', 'asked')[0]!);
        else if (calls.length > 0) await end(calls[0]!);
        else {
          await answer();
          if (calls.length === 0) await complete();
        }
      }
    },
  };
}
