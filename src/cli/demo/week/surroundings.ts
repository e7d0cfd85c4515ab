/** What stands around the work: memories, schedules, webhooks, tokens, and what operators set. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { addWebhook, type NewWebhook } from '../../../features/webhooks/store.ts';
import { storeMemory } from '../../../store/memory/memories.ts';
import { FACULTIES, PEOPLE, type PersonKey } from './cast.ts';
import { chatStory } from './chat-story.ts';
import { take } from './item-life.ts';
import { MEMORIES } from './phrases.ts';
import { plotOf } from './plots.ts';
import { skillStory } from './skill-story.ts';
import { as, goOn, type Stage, type Story } from './stage.ts';
import { claimedStory } from './stories.ts';
import { TALKS } from './talks.ts';
import { DAY_MS, HOUR_MS } from './working-week.ts';

export function addSurroundings(stage: Stage): void {
  const { endMs, random } = stage;
  goOn(stage, endMs - 6.9 * DAY_MS, tokenStory(stage));
  for (const [n, content] of MEMORIES.entries())
    goOn(stage, endMs - (6.5 - n * 0.4) * DAY_MS, memoryStory(stage, content));
  for (const schedule of SCHEDULES) goOn(stage, endMs - 6.8 * DAY_MS, scheduleStory(stage, schedule));
  goOn(stage, endMs - 6.7 * DAY_MS, webhookStory(stage));
  goOn(stage, endMs - 4.6 * DAY_MS, pauseStory(stage));
  goOn(stage, endMs - 5.6 * DAY_MS, skillStory(stage));
  for (const [n, talk] of TALKS.entries())
    goOn(stage, endMs - (1.3 + n * 1.7) * DAY_MS - random.between(0, 3) * HOUR_MS, chatStory(stage, talk));
}

/** Tokens that nobody knows: their secrets are forgotten as they are made. */
async function* tokenStory(stage: Stage): Story {
  const { tx, clock } = stage;
  const create = async (person: PersonKey, label: string, scopes: readonly string[]) => {
    const hash = createHash('sha256').update(randomBytes(32)).digest();
    const made = `select id from animus.create_token($1, $2, $3, null, $4::text[])`;
    const [row] = await tx.query<{ id: string }>(made, [PEOPLE[person].name, hash, label, scopes]);
    return row!.id;
  };
  await create('ci', 'pipeline', ['read', 'work']);
  await create('aiko', 'dashboard on the wall', ['read']);
  const lost = await create('ben', 'old laptop', ['read', 'work']);
  yield clock.atMs + 2.2 * DAY_MS;
  await tx.query('select animus.revoke_token($1)', [lost]);
}

async function* memoryStory(stage: Stage, [by, kind, content, tags]: (typeof MEMORIES)[number]): Story {
  const memory = { content, kind, tags, layer: 'project' as const, project: 'fjordline' };
  await as(stage, by, () => storeMemory(stage.tx, memory, null));
  yield stage.endMs + 1;
}

/** Where it is, a week is. */
export const FIRST_SCHEDULE = 'demo-night-watch';

interface DemoSchedule {
  readonly name: string;
  readonly cron: string;
  readonly description: string;
  readonly kind: 'research' | 'writing' | 'support';
  readonly everyMs: number;
  /** Every so many runs, one is missed. */
  readonly missedEvery: number;
}

/** While an item of one waits, later runs are skipped: where a daemon goes on with them after the demo, at most one item of each is queued. */
const SCHEDULES: readonly DemoSchedule[] = [
  {
    name: FIRST_SCHEDULE,
    cron: '0 2 * * *',
    description: 'Look through the logs of the night',
    kind: 'support',
    everyMs: DAY_MS,
    missedEvery: 4,
  },
  {
    name: 'demo-competitors',
    cron: '0 6 * * *',
    description: 'What other lines have changed',
    kind: 'research',
    everyMs: DAY_MS,
    missedEvery: 99,
  },
  {
    name: 'demo-open-questions',
    cron: '0 */4 * * *',
    description: 'Answer what is left open',
    kind: 'writing',
    everyMs: 4 * HOUR_MS,
    missedEvery: 17,
  },
];

async function* scheduleStory(stage: Stage, schedule: DemoSchedule): Story {
  const { tx, clock, random, endMs } = stage;
  const plot = plotOf(schedule.kind, random);
  const { faculty } = plot.task;
  await as(stage, 'mira', () =>
    tx.query(`select animus.add_schedule($1, $2, $3, p_description => $4, p_overlap => 'skip')`, [
      schedule.name,
      schedule.cron,
      faculty.name,
      schedule.description,
    ]),
  );
  // In UTC, as the expressions.
  let due =
    Math.ceil(clock.atMs / schedule.everyMs) * schedule.everyMs +
    (/^0 (\d+) /.test(schedule.cron) ? Number(schedule.cron.split(' ')[1]) * HOUR_MS : 0);
  const fire = async (fires: readonly number[], missed: number | null) => {
    const run = missed === null ? null : JSON.stringify({ from: iso(missed), until: iso(missed), runs: 1 });
    const [fired] = await tx.query<{ ids: string[] | null }>(
      `select animus.fire_schedule($1, (select next_at from animus.schedules where name = $1), $2, $3::timestamptz[], $4::jsonb) as ids`,
      [schedule.name, iso(due), fires.map(iso), run],
    );
    return fired!.ids ?? [];
  };
  await fire([], null);
  for (let n = 1; due < endMs; n++) {
    const at = due;
    yield at + 300;
    due += schedule.everyMs;
    const isMissed = n % schedule.missedEvery === 0;
    const [id] = await fire(isMissed ? [] : [at], isMissed ? at : null);
    if (id === undefined) continue;
    clock.atMs += random.between(100, 3000);
    goOn(
      stage,
      clock.atMs,
      claimedStory(stage, await take(stage, id, faculty), { ...plotOf(schedule.kind, random), task: plot.task }),
    );
  }
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}

/** An address that does not exist, and a key that no daemon has: nothing of it is ever sent. */
async function* webhookStory(stage: Stage): Story {
  const { tx, clock } = stage;
  const keyMark = randomBytes(8).toString('hex');
  const hook: NewWebhook = {
    id: randomUUID(),
    url: 'https://hooks.example.invalid/fjordline',
    events: ['work.dead', 'work.cancelled', 'approval.waiting'],
    keyMark,
    faculties: Object.values(FACULTIES).map(({ name }) => name),
    label: 'the team’s chat',
  };
  await as(stage, 'tomas', () => addWebhook(tx, hook));
  for (let n = 1; ; ) {
    yield clock.atMs + 40 * 60_000;
    const sent = await tx.query<{ id: string; claim: string }>(
      'select id::text as id, claim from animus.claim_deliveries($1::text[], 4)',
      [[keyMark]],
    );
    for (const { id, claim } of sent) {
      const result = n % 7 === 0 ? 'gone' : n % 4 === 0 ? 'failed' : 'delivered';
      n++;
      const [status, error] = { delivered: [200, null], failed: [502, 'Bad Gateway'], gone: [410, 'Gone'] }[result];
      await tx.query('select animus.end_delivery($1, $2, $3, $4, $5)', [id, claim, result, status, error]);
    }
  }
}

async function* pauseStory(stage: Stage): Story {
  const { tx, clock } = stage;
  const { name } = FACULTIES.operator;
  await as(stage, 'tomas', () => tx.query('select animus.pause($1, $2)', [name, 'the data centre moves tonight']));
  clock.atMs += 19 * 60_000;
  await as(stage, 'tomas', () => tx.query('select animus.resume($1)', [name]));
  yield stage.endMs + 1;
}

/** Limits and a pause that hold now: what is spent of the limits is what the week has cost. */
export async function setLimits(stage: Pick<Stage, 'tx'>): Promise<void> {
  const { tx } = stage;
  const limits = [
    ['engineer', 'month', 1.12],
    ['support', 'month', 3],
    ['researcher', 'day', 1.4],
  ] as const;
  for (const [key, period, share] of limits) {
    const { name } = FACULTIES[key];
    const [row] = await tx.query<{ usd: number }>(
      `select usd::float8 as usd from animus.costs('faculty', $1, case $2 when 'day' then (animus.now() at time zone 'UTC')::date else date_trunc('month', animus.now() at time zone 'UTC')::date end)`,
      [name, period],
    );
    const amount = Math.max(1, Math.ceil(row!.usd * share));
    await as(stage, 'mira', () =>
      tx.query(`select animus.set_budget('faculty', $1, $2, 'usd', $3, 'wait')`, [name, period, amount]),
    );
  }
  await as(stage, 'mira', () =>
    tx.query('select animus.pause($1, $2)', [FACULTIES.writer.name, 'until the new style guide is agreed']),
  );
}
