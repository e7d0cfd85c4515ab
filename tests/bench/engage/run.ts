/**
 * The benchmarks of the engage loop: `npm run bench -- tests/bench/engage/run.ts [part …] [--rounds N]`. Parts: overhead,
 * parallel, concurrent (against a bare loop and three agent frameworks), context (what a long history costs). Default: all.
 */
import { parseArgs } from 'node:util';
import { benchContext } from './context.ts';
import { benchTurns, SCENARIOS } from './turns.ts';

const TURNS = Object.keys(SCENARIOS) as (keyof typeof SCENARIOS)[];
const PARTS = [...TURNS, 'context'];

const { positionals, values } = parseArgs({ allowPositionals: true, options: { rounds: { type: 'string' } } });
const rounds = Number(values.rounds ?? 3);
const unknown = positionals.find((part) => !PARTS.includes(part));
if (unknown !== undefined || !Number.isInteger(rounds) || rounds % 2 !== 1 || rounds < 1) {
  const what =
    unknown === undefined ? `--rounds ${values.rounds}: an odd number is wanted` : `there is no part ${unknown}`;
  process.stderr.write(`${what}. Parts: ${PARTS.join(', ')}\n`);
  process.exit(2);
}
const chosen = positionals.length > 0 ? positionals : PARTS;
const turns = TURNS.filter((part) => chosen.includes(part));
if (turns.length > 0) await benchTurns(turns, rounds);
if (chosen.includes('context')) benchContext();
