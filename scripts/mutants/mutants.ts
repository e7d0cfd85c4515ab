/** `npm run mutants`: which changes of the sources does no test notice? `--help` says how. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { allMutants, mutantsAgain } from './all-mutants.ts';
import { chooseTests, readCandidates } from './choose-tests.ts';
import { keyOf, type Mutant } from './mutant.ts';
import { HELP, type Options, readOptions } from './options.ts';
import { readReach } from './reach.ts';
import { diffOf, jsonLineOf, keysIn, lineOf, tableOf } from './report.ts';
import { runMutants } from './run-mutants.ts';
import { sample } from './sample.ts';
import type { Result } from './verdict.ts';

const ROOT = resolve(import.meta.dirname, '../..');

process.exitCode = await main(readOptions(process.argv.slice(2), Date.now()));

async function main(options: Options): Promise<number> {
  if (options.help) return say(HELP);
  const { chosen: all, about } = choose(options);
  const chosen = without(all, options.json);
  say(`${about}${chosen.length < all.length ? `; ${all.length - chosen.length} were judged before` : ''}\n`);
  const { tests: most, whole, workers } = options;
  const choice = { reach: readReach(ROOT), candidates: readCandidates(ROOT), most, whole };
  if (options.list) {
    for (const mutant of chosen) {
      say(`${mutant.file}:${mutant.line} ${mutant.operator}\n${diffOf(mutant)}`);
      say(`         ${chooseTests(mutant, choice).join(' ')}\n`);
    }
    return 0;
  }
  const results: Result[] = [];
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // The package of the server would stop it and exit.
    process.removeAllListeners(signal);
    process.once(signal, () => stop.abort());
  }
  const unsound = await runMutants(chosen, { root: ROOT, choice, workers, signal: stop.signal }, (result) => {
    results.push(result);
    say(`${results.length}/${chosen.length} ${lineOf(result)}`);
    if (options.json !== null) appendFileSync(options.json, jsonLineOf(result));
  });
  say(tableOf(results, about));
  if (unsound.length > 0) say(`\nWithout a mutant, too, these fail here, and judged nothing: ${unsound.join(' ')}\n`);
  return stop.signal.aborted || results.some(({ result }) => result.verdict === 'survived') ? 1 : 0;
}

/** The mutants, and the words that choose them again. */
function choose({ again, only, count, seed }: Options): { chosen: Mutant[]; about: string } {
  const all = allMutants(ROOT, only);
  if (again === null) {
    const about = `--seed ${seed} --count ${count}${only === null ? '' : ` --only ${only}`}, of ${all.length} mutants`;
    return { chosen: sample(all, count, seed), about };
  }
  const wanted = keysIn(readFileSync(again, 'utf8'));
  const chosen = mutantsAgain(all, wanted);
  return { chosen, about: `--again ${again}: ${chosen.length} of its ${wanted.length} mutants are still there` };
}

/** Those that have no result in the file yet: a run that was interrupted goes on. */
function without(mutants: readonly Mutant[], json: string | null): Mutant[] {
  if (json === null || !existsSync(json)) return [...mutants];
  const judged = new Set(keysIn(readFileSync(json, 'utf8')).map(keyOf));
  return mutants.filter((mutant) => !judged.has(keyOf(mutant)));
}

function say(text: string): number {
  process.stdout.write(text);
  return 0;
}
