/** `animus completion`: command line completion for bash, zsh and fish. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Argument, type Command } from 'commander';
import { loadFaculties } from '../../catalog/faculties.ts';
import type { WorkState } from '../../core/work/work.ts';
import type { Database } from '../../store/sql/database.ts';
import { listWork } from '../../store/views/work-views.ts';
import { listSchedules } from '../../store/work/schedules.ts';
import { FACULTY_TOOL_NAMES } from '../../tools/registry.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from '../command/command.ts';
import { withDatabase } from '../command/database.ts';
import { facultiesDirectory } from '../command/faculties-directory.ts';
import { shortId } from '../view/quantities.ts';
import { completionWords, type WordSources } from './completion-words.ts';

/** Adds `animus completion`. */
export function addCompletionCommand(program: Command, run: RunCommand): void {
  addCommand(program, 'completion', {
    summary: 'print the completion script for a shell',
    examples: [
      'animus completion bash > ~/.local/share/bash-completion/completions/animus',
      'animus completion zsh > ~/.zfunc/_animus',
      'animus completion fish > ~/.config/fish/completions/animus.fish',
    ],
  })
    .addArgument(
      new Argument('<shell>', 'a shell; the scripts themselves use `words`').choices(['bash', 'zsh', 'fish', 'words']),
    )
    .addArgument(new Argument('[words...]', 'with `words`, after --: the command line so far'))
    .action(
      run((invocation: Invocation, _options: CommonOptions, shell: Shell | 'words', words: readonly string[]) =>
        shell === 'words' ? printWords(invocation, program, words) : printScript(invocation, shell),
      ),
    );
}

type Shell = 'bash' | 'zsh' | 'fish';

/** Each script runs the command that is being completed, at its own path. Without an answer, it offers files. */
const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# bash completion for animus
_animus() {
  local IFS=$'\\n'
  COMPREPLY=($("$1" completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _animus animus
`,
  zsh: `#compdef animus
_animus() {
  local -a found
  found=(\${(f)"$("\${words[1]}" completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then compadd -a found; else _files; fi
}
# Autoloaded from a directory of fpath this file is the function itself; sourced, it registers it.
if [[ $funcstack[1] == _animus ]]; then _animus "$@"; else compdef _animus animus; fi
`,
  fish: `# fish completion for animus
function __animus_words
    set -l line (commandline -opc)
    set -l found ($line[1] completion words -- $line[2..] (commandline -ct) 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c animus -f -a '(__animus_words)'
`,
};

function printScript({ output }: Invocation, shell: Shell): number {
  output.document({ shell, script: SCRIPTS[shell] });
  for (const line of SCRIPTS[shell].trimEnd().split('\n')) output.copyable(line);
  return 0;
}

/** How long completion waits for the database after Tab was pressed. */
const PATIENCE_MS = 700;

/** Never fails: on an error it offers nothing. */
async function printWords(invocation: Invocation, program: Command, words: readonly string[]): Promise<number> {
  const { context, output } = invocation;
  const drain = AbortSignal.any([context.signals.drain, AbortSignal.timeout(PATIENCE_MS)]);
  const hurried = { ...invocation, context: { ...context, signals: { ...context.signals, drain } } };
  const found = await completionWords(program, words, sourcesOf(hurried));
  output.document({ words: found });
  for (const word of found) output.copyable(word);
  return 0;
}

function sourcesOf(invocation: Invocation): WordSources {
  return {
    faculties: () =>
      orNone(() => {
        const directory = facultiesDirectory(invocation, undefined);
        return [...loadFaculties(directory, { toolNames: FACULTY_TOOL_NAMES }).faculties.keys()];
      }),
    providers: () => orNone(() => [...invocation.config().providers.keys()]),
    ids: (command) =>
      ask(invocation, async (db) => {
        const lists = await Promise.all(statesFor(command).map((state) => listWork(db, { state, limit: 50 })));
        return lists.flat().map(({ id }) => shortId(id));
      }),
    schedules: () => ask(invocation, async (db) => (await listSchedules(db)).map(({ name }) => name)),
  };
}

/** The states of work to which a command applies; undefined: all. */
function statesFor(command: string): readonly (WorkState | undefined)[] {
  if (command === 'retry') return ['dead', 'cancelled'];
  if (command === 'cancel') return ['running', 'claimed', 'waiting', 'queued', 'scheduled'];
  return [undefined];
}

function orNone<Value>(read: () => readonly Value[]): readonly Value[] {
  try {
    return read();
  } catch {
    // The command itself reports a configuration that cannot be read.
    return [];
  }
}

/** Does not open an embedded database that no daemon has open: opening it takes a second. */
async function ask(
  invocation: Invocation,
  query: (db: Database) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  try {
    const config = invocation.config();
    if (config.databaseUrl === null && !existsSync(join(config.home, 'embedded.json'))) return [];
    return await withDatabase(invocation, query);
  } catch {
    return [];
  }
}
