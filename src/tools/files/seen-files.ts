/** What a focus has seen of files: the contents that its calls have read or written. */
import { hash } from 'node:crypto';

/** A content of a file that a call has read or written. */
export interface SeenContent {
  /** `hashOf` the whole content. */
  readonly hash: string;
  readonly turn: number;
  /** Code made the call: what it read, the model may not have seen. */
  readonly byCode: boolean;
  /** The lines that it read, from 1, and how many there are; null: it wrote or edited the file. */
  readonly read: { readonly first: number; readonly last: number; readonly lines: number } | null;
  /** Of an edit: `hashOf` the content before it. */
  readonly before?: string;
}

/** One on record. */
export interface RecordedContent extends SeenContent {
  /** What was read, with line numbers and notes, or what was written; null: the record does not have it. */
  readonly text: string | null;
}

/** Of one path. */
const MOST = 20;

/** What the calls of one focus have seen, by path as it is shown. */
export interface SeenFiles {
  note(path: string, seen: SeenContent): void;
  /** In this run of the focus; the newest 20, oldest first. */
  of(path: string): readonly SeenContent[];
  /** In the turns on record, also of earlier runs; the newest 20, oldest first. */
  recorded(path: string): Promise<readonly RecordedContent[]>;
}

/** The call that reads or writes: the part of its context that says what it can know. */
interface SeeingCall {
  readonly seenFiles: SeenFiles;
  readonly turn: number;
  /** There if code made it. */
  readonly codeBytes?: number;
}

/** Remembers what is seen in a run; `recorded` reads what is on record. */
export function createSeenFiles(recorded: SeenFiles['recorded']): SeenFiles {
  const seen = new Map<string, SeenContent[]>();
  return {
    note(path, content) {
      seen.set(path, [...(seen.get(path) ?? []), content].slice(-MOST));
    },
    of: (path) => seen.get(path) ?? [],
    recorded,
  };
}

/** Tells contents apart: 128 bits of their SHA-256. */
export function hashOf(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url').slice(0, 22);
}

/** Notes what a call has read, written or edited, and returns it in the form of the record (`details`). */
export function noteSeen(
  { seenFiles, turn, codeBytes }: SeeingCall,
  path: string,
  content: Pick<SeenContent, 'hash' | 'read' | 'before'>,
): SeenDetails {
  seenFiles.note(path, { ...content, turn, byCode: codeBytes !== undefined });
  const { hash: now, before } = content;
  return { contents: { [path]: now }, ...(before !== undefined && { edited: { [path]: before } }) };
}

/** By path: the content, and the one before an edit. */
export interface SeenDetails {
  readonly contents: Readonly<Record<string, string>>;
  readonly edited?: Readonly<Record<string, string>>;
}

/** The content of a file that a focus saw last. */
export interface KnownContent extends SeenContent {
  /** It has seen the lines up to this one without a gap. */
  readonly upTo: number;
}

/**
 * What a call knows of a file, of what the focus has seen of it, oldest first. What the model has not seen when it made the call does not count: what other
 * calls of the same answer read, and what only code read. An edit of a content that was known whole gives another; any other edit leaves lines that were never seen.
 */
export function lastKnown(
  seen: readonly SeenContent[],
  { turn, codeBytes }: Omit<SeeingCall, 'seenFiles'>,
): KnownContent | null {
  let known: KnownContent | null = null;
  for (const one of seen) {
    if (one.read !== null && codeBytes === undefined && (one.byCode || one.turn >= turn)) continue;
    if (one.before !== undefined && !(known?.hash === one.before && isWhole(known))) continue;
    const before: number = known?.hash === one.hash ? known.upTo : 0;
    const { first, last } = one.read ?? { first: 1, last: Infinity };
    known = { ...one, upTo: first <= before + 1 ? Math.max(before, last) : before };
  }
  return known;
}

/** Whether it has seen all of the content that it saw last. */
export function isWhole({ read, upTo }: KnownContent): boolean {
  return upTo >= (read?.lines ?? 0);
}
