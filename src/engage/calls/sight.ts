/** What the models of a focus can be shown of images and documents, and how much of it. */
import type { MediaBlock } from '../../llm/client.ts';
import { damageOf } from '../../llm/media/inspect-media.ts';
import { notShown, type UnseenMedia } from '../../llm/media/visible-media.ts';
import type { Transcript } from '../../store/transcript/transcript.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';

/** What a request has room for: providers take 30 MB in base64, and treat images as small ones where there are more. */
export const MAX_FILES = 20;
export const MAX_BYTES = 20 * 1024 * 1024;

/** The models of a focus, with their fallbacks. */
export interface Eyes {
  /** Those that cannot be shown a file, with the words that their requests have in its place. */
  unseen(media: MediaBlock): UnseenMedia;
  /** Tokens of a file, by estimate; the highest of them. */
  tokens(media: MediaBlock): number;
}

/** A file that the first of the models that see it is shown, or the words that all get instead. */
export type JudgedFile =
  | { readonly words: string }
  | { readonly media: MediaBlock; readonly unseen: UnseenMedia['by'] };

/** Judges a file before it is recorded, so that the record says what every request has. */
export function judgeFile(
  { name, mediaType }: { readonly name: string; readonly mediaType: string },
  content: Buffer,
  eyes: Eyes,
): JudgedFile {
  const type = mediaType.startsWith('image/') ? 'image' : 'document';
  const file = { type, mediaType, data: content.toString('base64'), name } as const;
  const damage = damageOf(content, mediaType);
  if (damage !== null) return { words: notShown(file, damage) };
  const { by, byAll } = eyes.unseen(file);
  return byAll ? { words: by[0]!.words } : { media: { ...file, tokens: eyes.tokens(file) }, unseen: by };
}

/** What the files of one answer's results may have together. */
export interface FileRoom {
  readonly files: number;
  readonly bytes: number;
  readonly tokens: number;
}

/** What the files of results may have beside those of the first message: of `promptTokens`, at most half, because results are never compacted before they were seen. */
export function roomForFiles({ messages }: Transcript, promptTokens: number): FileRoom {
  const attached = messages.flatMap(({ media = [] }) => media);
  const shown = attached.reduce((sum, { tokens = 0 }) => sum + tokens, 0);
  return {
    files: MAX_FILES - attached.length,
    bytes: MAX_BYTES - attached.reduce((sum, { data }) => sum + data.length * 0.75, 0),
    tokens: Math.min(promptTokens / 2, promptTokens * 0.9 - shown),
  };
}

/** The eyes of a focus, with what is left for the files of the answer whose calls run. */
export interface Sight extends Eyes {
  /** Takes the room of a file of a result; returns why there is none, as a clause, or null. */
  take(turn: RecordedTurn, file: MediaBlock, bytes: number): string | null;
}

export function createSight(eyes: Eyes, room: FileRoom): Sight {
  let taken = { turn: 0, files: 0, bytes: 0, tokens: 0 };
  return {
    ...eyes,
    take({ turn, calls }, { tokens = 0 }, bytes) {
      if (taken.turn !== turn) taken = { turn, ...sumOf(calls.flatMap(({ shown = [] }) => shown)) };
      const left = room.tokens - taken.tokens;
      if (taken.files + 1 > room.files || taken.bytes + bytes > room.bytes)
        return `a request shows at most ${MAX_FILES} files of ${MAX_BYTES / 1024 / 1024} MiB together; look at it in another turn`;
      if (tokens > left)
        return `it would take about ${tokens} tokens, and the files of these results have room for ${Math.max(0, Math.floor(left))}; look at a part of it`;
      taken = { turn, files: taken.files + 1, bytes: taken.bytes + bytes, tokens: taken.tokens + tokens };
      return null;
    },
  };
}

function sumOf(shown: readonly { readonly bytes: number; readonly media: MediaBlock }[]): FileRoom {
  return {
    files: shown.length,
    bytes: shown.reduce((sum, { bytes }) => sum + bytes, 0),
    tokens: shown.reduce((sum, { media }) => sum + (media.tokens ?? 0), 0),
  };
}
