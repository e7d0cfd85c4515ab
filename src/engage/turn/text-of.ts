/** The text of an answer. */
import type { RecordedTurn } from '../../store/transcript/turns.ts';

/** The text of an answer, its blocks joined. Commentary counts only where the model said nothing else. */
export function textOf(turn: Pick<RecordedTurn, 'content'>): string {
  const texts = turn.content.filter((block) => block.type === 'text');
  const said = texts.filter(({ phase }) => phase !== 'commentary');
  const joined = (blocks: typeof texts) =>
    blocks
      .map(({ text }) => text)
      .join('')
      .trim();
  return joined(said) || joined(texts);
}
