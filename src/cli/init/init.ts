/** `animus init`: writes a configuration and an agent for a directory. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { messageOf, usageError } from '../../core/errors/errors.ts';
import { FACULTY_NAME, FACULTY_NAME_RULE } from '../../core/work/faculty-name.ts';
import { openQuestions } from '../../terminal/command/ask.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from '../../terminal/command/command.ts';
import { calledAs, shellWord } from '../../terminal/view/copied-command.ts';
import { type NextCommand, showNext } from '../../terminal/view/next-commands.ts';
import { styled } from '../../terminal/view/output.ts';
import { askModel, missingKey, modelRemark } from './choose-model.ts';
import { detectTests, type NoWorktrees, whyNoWorktrees } from './place.ts';
import { type InitSettings, projectFiles, REHEARSAL_MODEL } from './project-files.ts';
import { type Written, writeNew } from './write-new.ts';

interface InitOptions extends CommonOptions {
  readonly name?: string;
  readonly model?: string;
  readonly test?: string;
  readonly yes?: boolean;
}

/** Adds `animus init`. */
export function addInitCommand(program: Command, run: RunCommand): void {
  addCommand(program, 'init [directory]', {
    summary: 'write a configuration, an agent for this directory, and a rehearsal script; overwrites nothing',
    arguments: { directory: 'a directory or git repository; default: the current one' },
    examples: ['animus init', 'animus init --yes', `animus init --model ${REHEARSAL_MODEL}`],
  })
    .option('--name <faculty>', 'name of the agent (default: engineer)')
    .option('--model <name>', `"model" or "provider/model"; ${REHEARSAL_MODEL} runs a script and needs no key`)
    .option('--test <command>', 'command that runs the tests; "" for none (default: detected from the files)')
    .option('--yes', 'ask nothing, use the defaults')
    .action(run(initCommand));
}

async function initCommand(invocation: Invocation, options: InitOptions, given: string | undefined): Promise<number> {
  const { output, context } = invocation;
  const directory = resolve(context.cwd, given ?? '.');
  requireDirectory(directory);
  const none = whyNoWorktrees(directory);
  const settings = await settle(invocation, options, directory, none === null);
  const written = projectFiles(settings).map((file) => writeNew(directory, file));
  const remark = modelRemark(settings.model, readFileSync(join(directory, 'animus.toml'), 'utf8'));
  const next = nextCommands(settings, relative(context.cwd, directory), calledAs(context.env));
  output.document({
    directory,
    ...settings,
    no_worktree: none && none.why,
    files: written.map(({ path, kept }) => ({ path, result: kept ? 'kept' : 'written' })),
    next: next.map(({ command }) => command),
    remarks: remark === null ? [] : [remark],
  });
  report(invocation, written, settings, next, remark, none);
  return 0;
}

function requireDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true });
  } catch (error) {
    throw usageError(`${directory} cannot be used: ${messageOf(error)}`);
  }
}

/** Asks at most three questions, on a terminal only. An option answers its question. */
async function settle(
  { context, output }: Invocation,
  options: InitOptions,
  directory: string,
  worktree: boolean,
): Promise<InitSettings> {
  const quiet = options.yes === true || output.json;
  const questions = openQuestions(context, quiet);
  try {
    const model = options.model ?? (await askModel(questions, output, context.env));
    const name = options.name ?? (await questions.ask('Name of the agent', 'engineer'));
    const found = detectTests(directory) ?? '-';
    const test = options.test ?? (await questions.ask('Command that runs the tests (- for none)', found));
    checkModel(model);
    checkName(name);
    return { name, model, worktree, test: test.trim() === '-' || test.trim() === '' ? null : test.trim() };
  } finally {
    questions.close();
  }
}

function checkName(name: string): void {
  if (FACULTY_NAME.test(name)) return;
  const detail = `--name: expected ${FACULTY_NAME_RULE}, got ${JSON.stringify(name)}`;
  throw usageError(detail);
}

function checkModel(model: string): void {
  if (/^[^\s/]+(\/\S+)?$/.test(model)) return;
  const detail = `--model: expected "model" or "provider/model", got ${JSON.stringify(model)}`;
  throw usageError(detail);
}

/** The next commands in order. `below`: the path from the current directory to the project. `animus`: how it was called. */
function nextCommands({ name }: InitSettings, below: string, animus: string): NextCommand[] {
  return [
    ...(below === '' ? [] : [{ command: `cd ${shellWord(below)}`, does: 'go there first, in every terminal' }]),
    {
      command: `${animus} faculty test ${name} faculties/scripts/${name}.toml --workspace .`,
      does: 'rehearse: real tools in a copy of this directory, a script in place of the model',
    },
    { command: `${animus} serve`, does: 'start the daemon; leave it running' },
    {
      command: `${animus} work submit ${name} "Describe this project in NOTES.md" --wait`,
      does: 'in another terminal: submit work and watch it',
    },
    { command: `${animus} chat`, does: 'or ask questions about this directory, with or without the daemon' },
  ];
}

function report(
  { output, context }: Invocation,
  written: readonly Written[],
  { model, worktree, name }: InitSettings,
  next: readonly NextCommand[],
  remark: string | null,
  none: NoWorktrees,
): void {
  for (const { path, kept } of written) {
    output.line(kept ? styled('kept     ', 'yellow') : styled('written  ', 'green'), path);
  }
  output.line();
  const where = worktree
    ? 'in its own git worktree, on a branch animus/…'
    : 'directly in the directory, without a git worktree';
  output.block(`${name} works ${where}, with ${model}.`);
  const animus = calledAs(context.env);
  const perRun = none?.top ? ` For one per run: ${animus} init ${shellWord(none.top)}` : '';
  if (none !== null) output.block(`No worktree: ${none.why}.${perRun}`);
  const files = [...new Set([name, 'assistant'])].map((each) => `faculties/${each}.toml`);
  if (remark !== null) output.note(`${remark}; to change it, edit model in ${files.join(' and ')}`);
  const key = missingKey(model, context.env);
  if (key !== null) output.note(`${model} needs ${key} in the environment of \`animus serve\``);
  if (model === REHEARSAL_MODEL)
    output.note(`to use a model, name it in ${files.join(' and ')}; to list them: ${animus} models`);
  showNext(output, next);
}
