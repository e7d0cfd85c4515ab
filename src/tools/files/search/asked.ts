/** What a search for lines is asked for. */

/** The input of grep, with defaults. */
export interface GrepAsked {
  readonly pattern: string;
  readonly path: string;
  readonly glob: string | undefined;
  readonly type: string | undefined;
  readonly output: 'lines' | 'files' | 'counts';
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  /** Also what ignore files leave out, and node_modules. */
  readonly ignored: boolean;
  /** Lines around each match. */
  readonly before: number;
  readonly after: number;
  /** Of matching lines, or of files. */
  readonly limit: number;
  readonly offset: number;
  /** A longer line is cut around its match. */
  readonly maxLineChars: number;
}
