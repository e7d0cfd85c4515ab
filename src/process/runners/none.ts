/** The runner `none`: only a separate process group and a scrubbed environment. */
import type { Runner } from './runner.ts';
import { behindGate } from './start-gate.ts';

/** Works on every host. */
export const noneRunner: Runner = {
  words: {
    apart: 'as the user of the daemon, with a scrubbed environment',
    hides: 'this protects only against accidents',
    leaves:
      'a malicious command can read the database credential and the API keys of the daemon, change the files it loads, and kill it',
  },
  examine: () => Promise.resolve(null),
  homeProblem: () => null,
  placeProblem: () => null,
  start: ({ command, args }) => behindGate(command, args),
  diesWithLeader: false,
  runsAsOwner: false,
};
