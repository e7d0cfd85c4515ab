import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { renderMessages } from '../../../src/engage/context/context.ts';
import { inputPressure } from '../../../src/engage/context/pressure.ts';
import { addAttachment, readTranscriptToSend } from '../../../src/store/transcript/attachments.ts';
import { testDatabase } from '../../support/database.ts';
import { png } from '../../support/media-files.ts';
import { type AnthropicAnswer, text, toolUse } from '../../support/model-server/anthropic.ts';
import { messagesOf } from '../../support/model-server/either-wire.ts';
import { beginFocus, type LiveFocus } from '../live-focus.ts';

const PICTURE = png(20, 10).toString('base64');

describe('a picture in the first message', () => {
  const pg = testDatabase();

  it('is in every request, after steps and a compaction too, and a resumed focus sends the same bytes', async () => {
    const answers = [
      ...Array.from({ length: 12 }, (_, index): AnthropicAnswer => {
        const look = toolUse(`l${index}`, 'look', { name: `file ${index}`, bytes: 6000 });
        const step = toolUse(`s${index}`, 'ledger_append', { type: 'step', content: `part ${index} is read` });
        return { content: index % 4 === 3 ? [look, step] : [look] };
      }),
      { content: [text('Read.')] },
    ];
    const options = { info: { contextWindow: 20_000, maxOutput: 1000 } };
    const whole = await withPicture(await beginFocus(pg.database, answers, options));
    expect(await whole.run()).toMatchObject({ kind: 'done' });
    const resumed = await withPicture(await beginFocus(pg.database, answers, options));
    for (let end = await resumed.run(3); end.kind !== 'done'; end = await resumed.run(3)) {
      expect(end).toMatchObject({ kind: 'interrupted' });
    }

    const bodies = whole.bodies().map((body) => JSON.stringify(messagesOf(body)));
    expect(bodies.length).toBeGreaterThanOrEqual(13);
    const openings = whole.bodies().map((body) => messagesOf(body)[0]!.content.map((block) => JSON.stringify(block)));
    for (const opening of openings) {
      expect(opening[1]).toContain('A picture');
      expect(opening[2]).toContain(PICTURE);
    }
    expect(openings.some((opening) => opening.length > 3)).toBe(true); // stubs or a summary stand after it
    expect(resumed.bodies().map((body) => JSON.stringify(messagesOf(body)))).toEqual(bodies);
  });

  it('counts as it was estimated when it was recorded, until the provider has counted', async () => {
    const focus = await withPicture(await beginFocus(pg.database, [{ content: [text('Seen.')] }]));
    const prefix = { systemPrompt: '', toolSpecs: [] };
    const before = await readTranscriptToSend(pg.database, focus.key.focusId);
    const wordsOnly = { ...before, messages: before.messages.map(({ media: _, ...message }) => message) };
    expect(inputPressure(before, prefix) - inputPressure(wordsOnly, prefix)).toBe(1234);
    expect(renderMessages(before)[0]!.content).toHaveLength(3);
    await focus.run();
    // The mock counts 100 tokens for the whole request; the picture is in it.
    const after = await readTranscriptToSend(pg.database, focus.key.focusId);
    expect(inputPressure(after, prefix)).toBeLessThan(150);
  });

  /** Records a message with a picture after the first one, as orient does. */
  async function withPicture(focus: LiveFocus): Promise<LiveFocus> {
    const id = randomUUID();
    await pg.database.query(
      `insert into animus.artifacts (id, work_item_id, name, media_type, bytes, content, created_at)
       values ($1, $2, 'p.png', 'image/png', $3, $4, now())`,
      [id, focus.key.workItemId, png(20, 10).length, png(20, 10)],
    );
    // 9 bytes of words are 3 tokens.
    await addAttachment(pg.database, focus.key, { content: 'A picture', artifactId: id, tokens: 1237 });
    return focus;
  }
});
