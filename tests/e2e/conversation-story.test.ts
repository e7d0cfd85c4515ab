/** Promise: two people write, edit, retry, delete and tell at once while daemons are killed, and in the end the model sees what is shown: each message once, and nothing that was taken back. */
import { expect, it, onTestFinished } from 'vitest';
import { isAnimusError } from '../../src/core/errors/errors.ts';
import { systemClock } from '../../src/core/lifecycle/clock.ts';
import {
  changeConversation,
  setParticipant,
  startConversation,
} from '../../src/features/conversations/store/conversations.ts';
import type { ConversationMessage } from '../../src/features/conversations/store/message.ts';
import {
  deleteMessage,
  editMessage,
  retryMessage,
  sayInConversation,
} from '../../src/features/conversations/store/messages.ts';
import { readConversation } from '../../src/features/conversations/store/read-messages.ts';
import { createWorkspace } from '../../src/features/conversations/store/workspaces.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { untilUnlocked } from '../../src/store/sql/patient-database.ts';
import { randomOf } from '../store/events/random-history.ts';
import { makeSite, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { letKilledDaemonBeGone } from '../support/killed-daemons.ts';
import { type AnthropicProgramme, text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, messagesOf, startModelServer } from '../support/model-server/either-wire.ts';
import { createLogin, dropLogins } from '../support/role-login.ts';

const pg = testDatabase({ anew: true });
const FACULTY = `
[faculty]
name = "talker"
isolation = "directory"
[faculty.engage]
model = "${MODEL}"
system_prompt = "You talk."
tools = ["list_dir"]
[faculty.awareness]
enabled = false
`;
const ROUNDS = 8;

/** What people and model have said: each text is one word that occurs nowhere else. */
const wordsOf = (body: object): string[] =>
  JSON.stringify(messagesOf(body as never)).match(/(?:said|answer)[0-9]+x/g) ?? [];

/** Every third answer looks around first, so that messages can be told into it. */
function programme(): AnthropicProgramme {
  let n = 0;
  return (body) => {
    const last = messagesOf(body).at(-1)!;
    const looked = last.content.some(({ type }) => type === 'tool_result');
    n += 1;
    if (!looked && n % 3 === 0) return { content: [toolUse(`l${n}`, 'list_dir', { path: '.' })] };
    return { content: [text(`answer${n}x`)] };
  };
}

it.each(process.env['SEEDS']?.split(',').map(Number) ?? [1, 2])(
  'story %i',
  async (seed) => {
    const random = randomOf(seed);
    const server = await startModelServer(programme());
    onTestFinished(() => server.close());
    const logins: string[] = [];
    const urls = [0, 1].map(() => createLogin(pg.connectionString, 'animus_submitter', logins));
    const people = (await Promise.all(urls)).map((url) => ({ db: openPostgres(url), name: new URL(url).username }));
    onTestFinished(async () => {
      await Promise.all(people.map(({ db }) => db.close()));
      await dropLogins(logins);
    });
    const [ada, bob] = people as [(typeof people)[0], (typeof people)[0]];
    const site = makeSite({
      modelUrl: server.url,
      databaseUrl: pg.connectionString,
      config: '[daemon]\nlease_seconds = 5\npoll_seconds = 0.1\n',
      faculties: { talker: FACULTY },
    });
    const workspaceId = await createWorkspace(ada.db, 'default');
    const chat = await startConversation(ada.db, { workspaceId, faculty: 'talker' });
    await setParticipant(ada.db, chat, bob.name);

    let spoken = 0;
    const did: Record<string, number> = {};
    const act = async ({ db, name }: (typeof people)[0]) => {
      const own = (await readConversation(db, chat)).filter(({ role, told }) => role === 'user' && !told);
      const mine = own.filter(({ author }) => author === name);
      const pick = <Value>(from: readonly Value[]) => from[Math.floor(random() * from.length)];
      // Near the end, so that the conversation grows.
      const [one, any] = [pick(mine.slice(-3)), pick(own.slice(-3))];
      const word = `said${seed}000${(spoken += 1)}x`;
      const dice = random();
      const what = dice < 0.15 && one ? 'edit' : dice < 0.25 && any ? 'retry' : dice < 0.4 && one ? 'delete' : 'say';
      try {
        await untilUnlocked(
          (): Promise<unknown> =>
            what === 'edit'
              ? editMessage(db, one!.id, word)
              : what === 'retry'
                ? retryMessage(db, any!.id)
                : what === 'delete'
                  ? deleteMessage(db, one!.id)
                  : sayInConversation(db, chat, word),
          { clock: systemClock, forMs: 20_000 },
        );
        did[what] = (did[what] ?? 0) + 1;
      } catch (error) {
        // The other one has deleted it meanwhile.
        if (!isAnimusError(error) || error.code !== 'work.state') throw error;
      }
    };

    let daemon = await startDaemon(site);
    for (let round = 1; round <= ROUNDS; round++) {
      await changeConversation(ada.db, chat, { while_answering: random() < 0.5 ? 'tell' : 'queue' });
      await Promise.all([act(ada), act(bob), act(ada)]);
      if (round % 4 === 0) {
        await daemon.kill('SIGKILL');
        await letKilledDaemonBeGone(pg.database);
        daemon = await startDaemon(site);
      }
    }
    await settled(pg.database);
    const shown = await readConversation(ada.db, chat);
    expect(unanswered(shown)).toEqual([]);
    await changeConversation(ada.db, chat, { while_answering: 'queue' });
    await sayInConversation(ada.db, chat, `said${seed}0x`);
    await settled(pg.database);

    const request = server.requests.findLast(({ json }) => wordsOf(json!).includes(`said${seed}0x`))!;
    const expected = shown.flatMap(({ content }) => content.match(/\b(?:said|answer)[0-9]+x\b/g) ?? []);
    expect(wordsOf(request.json!).toSorted()).toEqual([...expected, `said${seed}0x`].toSorted());
    expect(did['say']).toBeGreaterThan(ROUNDS);
    expect(server.requests.map(({ refused }) => refused).filter(Boolean)).toEqual([]);
  },
  90_000,
);

/** Messages of people without an answer, in a conversation in which nothing is under way. */
function unanswered(messages: readonly ConversationMessage[]): readonly string[] {
  const answered = new Set(messages.filter(({ role }) => role === 'assistant').map(({ work_item_id: item }) => item));
  return messages
    .filter(({ role, told, work_item_id: item }) => role === 'user' && !told && !answered.has(item))
    .map(({ content }) => content);
}

const settled = (db: Database) =>
  eventually(
    'no answer is open',
    async () =>
      (await db.query('select from animus.work_items where resolved_at is null')).length === 0 ? true : null,
    60,
  );
