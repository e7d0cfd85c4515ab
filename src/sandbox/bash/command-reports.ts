/** Takes the reports of the frame around a command (`COMMAND_FRAME`) out of its stderr. */
import { Transform } from 'node:stream';

/** What a frame reports. */
export interface CommandReports {
  /** Stderr without the reports. */
  readonly stderr: Transform;
  /** The id of the frame's process in its container; resolves to null when stderr ends without it. Never rejects. */
  readonly started: Promise<number | null>;
  /** The exit code of the command, as soon as it has ended; resolves to null when stderr ends without it. Never rejects. */
  readonly ended: Promise<number | null>;
}

const NEWLINE = 0x0a;
/** A report is one line: NUL, the mark, a word and a number. */
const MAX_NUMBER = 24;

/** `mark`: unique for the command; it can read it, and only deceives itself if it writes a report of its own. */
export function readReports(mark: string): CommandReports {
  const begin = Buffer.from(`\0${mark} `);
  const started = Promise.withResolvers<number | null>();
  const ended = Promise.withResolvers<number | null>();
  let rest = Buffer.alloc(0);

  const stderr = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      rest = Buffer.concat([rest, chunk]);
      for (let at = rest.indexOf(begin); at !== -1; at = rest.indexOf(begin)) {
        const end = rest.indexOf(NEWLINE, at);
        if (end === -1 && rest.length - at <= begin.length + MAX_NUMBER) break;
        if (at > 0) this.push(rest.subarray(0, at));
        // A report without its end is incomplete.
        const until = end === -1 || end - at > begin.length + MAX_NUMBER ? at + begin.length : end + 1;
        take(rest.subarray(at + begin.length, until).toString());
        rest = rest.subarray(until);
      }
      const kept = heldBack(rest, begin);
      if (kept < rest.length) this.push(rest.subarray(0, rest.length - kept));
      rest = Buffer.from(rest.subarray(rest.length - kept));
      done();
    },
    flush(done) {
      if (rest.length > 0) this.push(rest);
      settle();
      done();
    },
  });
  stderr.on('close', settle);

  function take(report: string): void {
    const [, word, number] = /^(started|ended) (\d+)\n$/.exec(report) ?? [];
    if (word === 'started') started.resolve(Number(number));
    if (word === 'ended') ended.resolve(Number(number));
  }
  function settle(): void {
    started.resolve(null);
    ended.resolve(null);
  }
  return { stderr, started: started.promise, ended: ended.promise };
}

/** How many bytes at the end may be the beginning of a report. */
function heldBack(bytes: Buffer, begin: Buffer): number {
  const at = bytes.indexOf(begin);
  if (at !== -1) return bytes.length - at;
  for (let length = Math.min(begin.length - 1, bytes.length); length > 0; length -= 1) {
    if (bytes.subarray(bytes.length - length).equals(begin.subarray(0, length))) return length;
  }
  return 0;
}
