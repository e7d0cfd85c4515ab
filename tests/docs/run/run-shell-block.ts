/** Shell and console blocks. */
import { eventually } from '../../support/eventually.ts';
import { matchesShown } from '../output/matches-shown.ts';
import type { Block } from '../page/read-page.ts';
import type { PageRun } from './page-run.ts';

const SERVER = /^(?:npx )?animus (serve|http)\b/;
/** What the servers print when they are ready. */
const READY: Readonly<Record<string, RegExp>> = { serve: /^serving /m, http: /"message":"answering the API/ };
/** The address that pages show. Where another page's server has it, a daemon takes another. */
const ADDRESS = '127.0.0.1:7717';
const EVENTUALLY_SECONDS = 60;

/** A command of a console block with the output that the page shows. */
interface Shown {
  readonly command: string;
  readonly expected: string[];
}

/** Runs the commands of a block; servers in it are started and keep running. Throws an Error with the output of a command that failed. */
export async function runShellBlock(block: Block, run: PageRun): Promise<void> {
  const { background, input, fails = false } = block.attributes;
  if (background !== undefined) {
    await startServer(run.standIns.here(block.text.trim()), new RegExp(background), run);
    return;
  }
  run.printed = '';
  for (const shown of withoutServers(block.text, input !== undefined)) {
    // A server that was started just now may have another address than the one that the page shows.
    const commands = run.standIns.here(shown);
    if (SERVER.test(commands)) {
      await startServer(commands, null, run);
      continue;
    }
    const { code, output } = await run.shell.run(commands, { mayFail: fails, ...(input !== undefined && { input }) });
    run.printed += output;
    if ((code !== 0) !== fails) throw new Error(`${fails ? 'did not fail' : `failed (${code})`}:\n${output}`);
  }
}

/** Runs each command and holds its output to what the page shows. A command may fail if its output is shown. */
export async function runConsoleBlock(block: Block, run: PageRun): Promise<void> {
  for (const { command, expected } of commandsOf(block.text)) {
    const here = run.standIns.here(command);
    if (SERVER.test(here)) {
      const started = await startServer(here, null, run);
      await compare(`$ ${here}`, { expected, again: true, printed: async () => started.output() }, run);
      continue;
    }
    const printed = async () => {
      const { code, output } = await run.shell.run(here, { mayFail: expected.length > 0 });
      if (code !== 0 && expected.length === 0) throw new Error(`$ ${here}\nfailed (${code}):\n${output}`);
      run.printed = output;
      return output;
    };
    await compare(`$ ${here}`, { expected, again: block.attributes.eventually === true, printed }, run);
  }
}

/** Holds a block to what a command prints, or to what the block before it printed. */
export async function compareOutput(block: Block, run: PageRun): Promise<void> {
  const { output, eventually: again = false } = block.attributes;
  const expected = block.text.trimEnd().split('\n');
  const command = typeof output === 'string' ? run.standIns.here(output) : null;
  const printed = async () =>
    command === null ? run.printed : (await run.shell.run(command, { mayFail: true })).output;
  await compare(command === null ? 'the output' : `$ ${command}`, { expected, again, printed }, run, block.language);
}

interface Comparison {
  readonly expected: readonly string[];
  /** Whether the output may need time to become so. */
  readonly again: boolean;
  printed(): Promise<string>;
}

async function compare(
  what: string,
  { expected, again, printed }: Comparison,
  run: PageRun,
  language = '',
): Promise<void> {
  let output = '';
  const form = language === 'json' ? inOneForm : (text: string) => text;
  const shown = form(expected.join('\n')).split('\n');
  const look = async () => {
    output = await printed();
    return matchesShown(form(output), expected.length === 0 ? [] : shown, run.standIns) ? true : null;
  };
  const found = again ? await eventually(what, look, EVENTUALLY_SECONDS).catch(() => null) : await look();
  if (!found) throw new Error(`${what}\nprints\n${output}\nand not what the page shows:\n${expected.join('\n')}`);
}

/** JSON, however it is laid out. */
function inOneForm(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

async function startServer(command: string, ready: RegExp | null, run: PageRun) {
  const [, kind = ''] = SERVER.exec(command) ?? [];
  const started = await run.shell.start(command, ready ?? READY[kind]!);
  const [, address] = /"address":"([^"]+)","message":"answering/.exec(started.output()) ?? [];
  if (address !== undefined) run.standIns.set(ADDRESS, address);
  return started;
}

/** The commands in pieces: each server alone, and what is between them; `byLine`: each line alone. */
function withoutServers(text: string, byLine: boolean): string[] {
  const pieces: string[] = [''];
  for (const line of text.trimEnd().split('\n')) {
    if (byLine || SERVER.test(line)) pieces.push(SERVER.test(line) ? line.replace(/\s+#.*$/, '') : `${line}\n`, '');
    else pieces.push(`${pieces.pop()!}${line}\n`);
  }
  return pieces.filter((piece) => piece.trim() !== '');
}

/** Commands follow `$ `; what follows a command is its output. */
function commandsOf(text: string): Shown[] {
  const commands: Shown[] = [];
  for (const line of text.trimEnd().split('\n')) {
    if (line.startsWith('$ ')) commands.push({ command: line.slice(2), expected: [] });
    else if (commands.length === 0)
      throw new Error(`a console block begins with a command after "$ ", not with ${line}`);
    else commands.at(-1)!.expected.push(line);
  }
  return commands;
}
