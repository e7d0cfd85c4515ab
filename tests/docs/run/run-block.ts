import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Block } from '../page/read-page.ts';
import { missingProgram } from './missing-program.ts';
import type { PageRun } from './page-run.ts';
import { runPython, runTypeScript } from './run-program-block.ts';
import { runSandboxBlock } from './run-sandbox-block.ts';
import { compareOutput, runConsoleBlock, runShellBlock } from './run-shell-block.ts';
import { excerptPath, tomlProblems } from './toml-problems.ts';

/** What became of a block. `skipped` by the page, `missing` on this machine, each with its reason; `drawn` is a diagram. */
export type BlockResult =
  | { readonly kind: 'ran' | 'drawn' }
  | { readonly kind: 'skipped' | 'missing'; readonly reason: string };

const RAN = { kind: 'ran' } as const;

/** Runs a block as its language and its comment say. Throws an Error with page and line if it is not as the page says. */
export async function runBlock(block: Block, run: PageRun): Promise<BlockResult> {
  try {
    return await runByKind(block, run);
  } catch (error) {
    const failure = new Error(
      `${run.page.name.replace(/:.*/, '')}:${block.line} (${block.language}) ${(error as Error).message}`,
    );
    // The place is on the page.
    failure.stack = failure.message;
    throw failure;
  }
}

async function runByKind(block: Block, run: PageRun): Promise<BlockResult> {
  const { skip, needs, file, output, as } = block.attributes;
  if (skip !== undefined) return { kind: 'skipped', reason: skip };
  const missing = missingProgram(needs);
  if (missing !== null) return { kind: 'missing', reason: missing };
  if (file !== undefined) {
    writeShownFile(block, file, run);
    return RAN;
  }
  if (output !== undefined) {
    await compareOutput(block, run);
    return RAN;
  }
  const result = await runByLanguage(block, run);
  if (as !== undefined) run.standIns.set(as, run.printed.trim());
  return result;
}

async function runByLanguage(block: Block, run: PageRun): Promise<BlockResult> {
  switch (block.language) {
    case 'sh':
    case 'bash':
      await runShellBlock(block, run);
      return RAN;
    case 'console':
      await runConsoleBlock(block, run);
      return RAN;
    case 'sql':
      await runSql(block, run);
      return RAN;
    case 'toml':
      requireSound(block, excerptPath(block.text, run.shell.directory()), run.standIns.here(block.text));
      return RAN;
    case 'ts':
    case 'typescript':
      await runTypeScript(block, run);
      return RAN;
    case 'python': {
      const missing = await (block.attributes.in === 'sandbox' ? runSandboxBlock(block, run) : runPython(block, run));
      return missing === null ? RAN : { kind: 'missing', reason: missing };
    }
    case 'mermaid':
      return { kind: 'drawn' };
    default:
      throw new Error('is not a program: a comment must say which file or output it is, or why it does not run');
  }
}

async function runSql({ text, role, attributes }: Block, run: PageRun): Promise<void> {
  const ran = run.database.run(run.standIns.here(text), role, join(run.home.home, '.animus'));
  if (attributes.fails) {
    const failed = await ran.then(
      () => false,
      () => true,
    );
    if (!failed) throw new Error('did not fail');
    return;
  }
  const rows = await ran;
  run.printed = rows.map((row) => Object.values(row).map(asText).join(' ')).join('\n');
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function writeShownFile(block: Block, file: string, run: PageRun): void {
  const path = resolve(run.shell.directory(), run.standIns.here(file));
  mkdirSync(dirname(path), { recursive: true });
  const text = run.standIns.here(block.text);
  if (block.attributes.append) appendFileSync(path, text);
  else writeFileSync(path, text);
  if (block.language === 'toml') requireSound(block, path, text);
}

/** `fails` says that it has problems, which the page shows. */
function requireSound({ attributes }: Block, path: string, text: string): void {
  const problems = tomlProblems(text, path);
  if (problems.length > 0 !== (attributes.fails === true))
    throw new Error(problems.length > 0 ? `has problems:\n${problems.join('\n')}` : 'has no problem');
}
