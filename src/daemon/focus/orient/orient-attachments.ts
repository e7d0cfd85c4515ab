/** The attachments of a work item, as messages for the model. */
import { asksModel } from '../../../catalog/faculty/faculty.ts';
import { FULL_ID } from '../../../core/work/id-reference.ts';
import { estimateTokens } from '../../../core/work/tokens.ts';
import { judgeFile, MAX_BYTES, MAX_FILES } from '../../../engage/calls/sight.ts';
import {
  type AttachedFile,
  attachedText,
  attachmentLeftOut,
  attachmentMissing,
  earlierLeftOut,
  earlierUnseen,
  mediaHeading,
  mediaUnseen,
} from '../../../engage/prompt/attachments.ts';
import {
  type Attachment,
  type AttachmentMessage,
  readAttachments,
  readContents,
} from '../../../store/transcript/attachments.ts';
import type { Transcript } from '../../../store/transcript/transcript.ts';
import type { Focus } from '../scope/focus-scope.ts';

/** How much of the room that the files of the item leave may go to files of earlier messages. */
const EARLIER_PART = 0.5;

/** What an answer in a conversation brings with it. */
interface Earlier {
  /** Files that came with the messages before, where it begins from the recorded words: ids, the newest last. */
  readonly earlier?: readonly string[];
  /** The transcript that it goes on with, whose files are also sent. */
  readonly recorded?: Transcript;
}

/**
 * One message for each file that `params.attachments` names, in its order: text in the message, images and PDF files after it, and in
 * words what cannot be shown. Other values under that key are an application's own and are left alone. Before them stand the newest
 * files of earlier messages that there is room for, and in words how many others there are.
 */
export async function attachmentMessages(
  focus: Focus,
  params: Readonly<Record<string, unknown>>,
  { earlier = [], recorded }: Earlier = {},
): Promise<AttachmentMessage[]> {
  const ids = attachmentIds(params);
  const before = [...new Set(earlier)].filter((id) => !ids.includes(id));
  const unseen = unseenEarlier(focus, recorded);
  if (ids.length + before.length === 0) return unseen;
  const { db } = focus.reach;
  const found = new Map((await readAttachments(db, focus.work.id, [...before, ...ids])).map((file) => [file.id, file]));
  const chosen = fitting([...ids, ...before.toReversed()].flatMap((id) => found.get(id) ?? []));
  const contents = await readContents(db, chosen);
  let room = Math.max(0, roomOf(focus) - shownTokens(recorded));
  const own = ids.map((id, index) => {
    const place = { id, number: index + 1, count: ids.length };
    const [file, content] = [found.get(id), contents.get(id)];
    if (file === undefined) return words(attachmentMissing(place));
    const placed = { ...file, ...place };
    if (content === undefined) return words(attachmentLeftOut(placed, TOO_MANY));
    const message = messageOf(placed, content, focus);
    if (message.tokens > room) return words(attachmentLeftOut(placed, noRoom(message.tokens)));
    room -= message.tokens;
    return message;
  });
  room *= EARLIER_PART;
  const shown: AttachmentMessage[] = [];
  for (const id of before.toReversed()) {
    const [file, content] = [found.get(id), contents.get(id)];
    if (file === undefined || content === undefined) continue;
    const message = messageOf({ ...file, number: null, count: before.length }, content, focus);
    if (message.tokens > room) continue;
    room -= message.tokens;
    shown.unshift(message);
  }
  const leftOut = before.length - shown.length;
  return [...unseen, ...(leftOut > 0 ? [words(earlierLeftOut(leftOut))] : []), ...shown, ...own];
}

/** What the recorded files are for the models of this answer, where the faculty had others before: their requests differ from what is recorded so far. */
function unseenEarlier({ faculty, reach }: Focus, recorded: Transcript | undefined): AttachmentMessage[] {
  if (recorded === undefined || !asksModel(faculty.engage)) return [];
  const eyes = reach.models.eyes(faculty);
  return recorded.messages.flatMap(({ media }) => {
    if (media === undefined) return [];
    const by = eyes
      .unseen(media)
      .by.filter((each) => !recorded.messages.some(({ content }) => content.includes(each.words)));
    return by.length === 0 ? [] : [words(earlierUnseen(media.name ?? media.type, by))];
  });
}

const TOO_MANY = `a model is shown at most ${MAX_FILES} files of ${MAX_BYTES / 1024 / 1024} MiB together`;
const noRoom = (tokens: number) => `it would take about ${tokens} tokens, and your context has no room for them`;

/** Tokens of the files that the requests of the answers before contain, by estimate. */
function shownTokens(recorded: Transcript | undefined): number {
  return (recorded?.messages ?? []).reduce((sum, { media }) => sum + (media?.tokens ?? 0), 0);
}

/** The ids in `params.attachments`, each once. */
export function attachmentIds({ attachments }: Readonly<Record<string, unknown>>): string[] {
  if (!Array.isArray(attachments)) return [];
  const ids = attachments.filter((value): value is string => typeof value === 'string' && FULL_ID.test(value));
  return [...new Set(ids)];
}

/** The ids of the first files that one request can take together. */
function fitting(files: readonly Attachment[]): string[] {
  const ids: string[] = [];
  let bytes = 0;
  for (const file of files) {
    if (ids.length >= MAX_FILES || bytes + file.bytes > MAX_BYTES) continue;
    ids.push(file.id);
    bytes += file.bytes;
  }
  return ids;
}

/** Tokens that attachments may take: nine tenths of the window beside an answer. A larger request would be refused whole. */
function roomOf({ faculty, reach, key }: Focus): number {
  if (!asksModel(faculty.engage)) return Infinity;
  const { contextWindow, settings } = reach.models.forFocus(faculty, key.focusId);
  return Math.max(0, contextWindow - settings.maxTokens) * 0.9;
}

function messageOf(file: AttachedFile, content: Buffer, { faculty, reach }: Focus): AttachmentMessage {
  const { id, name, mediaType } = file;
  if (mediaType.startsWith('text/')) return words(attachedText(file, content.toString('utf8')));
  // A command that does the work instead of a model reads the file from the database.
  if (!asksModel(faculty.engage)) return words(mediaHeading(file));
  const judged = judgeFile({ name, mediaType }, content, reach.models.eyes(faculty));
  // Said now, so that it is recorded: what no model gets is not put into any request.
  if ('words' in judged) return words(mediaUnseen(file, judged.words));
  const heading = words(mediaHeading(file, judged.unseen));
  return { ...heading, artifactId: id, tokens: heading.tokens + judged.media.tokens! };
}

function words(content: string): AttachmentMessage {
  return { content, artifactId: null, tokens: estimateTokens(content) };
}
