/** Splits the output of a call into lines as it arrives. */

export interface ComingLines {
  /** Takes a piece, and returns the lines that are complete now. A carriage return begins the line again, as on a terminal. */
  feed(text: string): string[];
  /** The line that is not complete. */
  readonly rest: string;
}

/** More than anybody reads of a line that is still growing. */
const MAX_LINE = 2000;

export function createComingLines(): ComingLines {
  let rest = '';
  return {
    get rest() {
      return overwritten(rest);
    },
    feed(text) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > MAX_LINE) rest = rest.slice(-MAX_LINE).toWellFormed();
      return lines.map(overwritten);
    },
  };
}

/** What is visible in the line at last: a progress bar overwrites it many times. */
function overwritten(line: string): string {
  return line.replace(/\r+$/, '').split('\r').at(-1)!.slice(0, MAX_LINE).toWellFormed();
}
