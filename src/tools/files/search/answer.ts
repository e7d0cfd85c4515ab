/** What a search for lines has found. */
import type { FoundLine } from './find-lines.ts';
import type { LeftOut } from './left-out.ts';
import type { RunEnd } from './ripgrep.ts';

/** A line by the path that the model sees. */
export interface PathLine extends Pick<FoundLine, 'line' | 'text' | 'isContext' | 'offset' | 'start'> {
  readonly path: string;
  /** The absolute path of its file; null if that is in the database. */
  readonly real: string | null;
}

/** A file with the number of its matching lines. */
export interface PathCount {
  readonly path: string;
  readonly real: string | null;
  readonly lines: number;
}

/** All that was found, in the order of paths and lines; limit and offset are not applied yet. */
export interface GrepAnswer {
  readonly lines: readonly PathLine[];
  readonly counts: readonly PathCount[];
  /** Files searched; null if the search ended early. */
  readonly files: number | null;
  readonly ended: RunEnd['ended'];
  /** After a time-out: directories at the top without a result, which were perhaps not searched. */
  readonly notReached: readonly string[];
  /** Binary files that match. */
  readonly binary: readonly string[];
  readonly unread: readonly string[];
  readonly unreadCount: number;
  readonly leftOut: LeftOut | null;
  /** Files in the database that were not searched. */
  readonly keptLeftOut: number;
}
