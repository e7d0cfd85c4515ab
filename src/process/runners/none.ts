/** The runner `none`: only a process group and a scrubbed environment. */
import type { Runner } from './runner.ts';
import { behindGate } from './start-gate.ts';

/** Works on every host. */
export const noneRunner: Runner = {
  words: {
    apart: 'as the user of the daemon, with a scrubbed environment',
    hides: 'this guards against accidents only',
    leaves:
      'a command that means harm can read the database credential and the API keys of the daemon, change what it loads, and kill it',
  },
  examine: () => Promise.resolve(null),
  homeProblem: () => null,
  placeProblem: () => null,
  start: ({ command, args }) => behindGate(command, args),
  diesWithLeader: false,
  runsAsOwner: false,
};
