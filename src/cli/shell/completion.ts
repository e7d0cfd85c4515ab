/** `animus completion`: command line completion for bash, zsh and fish. */
import { Argument, type Command } from 'commander';
import {
  addCommand,
  type CommonOptions,
  type FindProgram,
  type Invocation,
  type RunCommand,
} from '../../terminal/command/command.ts';
import { completionWords } from './completion-words.ts';

/** Adds `animus completion`. */
export function addCompletionCommand(program: Command, run: RunCommand, find: FindProgram): void {
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
      run((invocation: Invocation, options: CommonOptions, shell: Shell | 'words', words: readonly string[]) =>
        shell === 'words' ? printWords(invocation, options, find, words) : printScript(invocation, shell),
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

/** Never fails: on an error it offers nothing. */
async function printWords(
  invocation: Invocation,
  options: CommonOptions,
  find: FindProgram,
  words: readonly string[],
): Promise<number> {
  // The words that are typed: at least one, so that only the command they begin with is loaded.
  const found = await completionWords(await find(words), words, async () => {
    const { wordSources } = await import('./word-sources.ts');
    return wordSources(invocation, options);
  });
  invocation.output.document({ words: found });
  for (const word of found) invocation.output.copyable(word);
  return 0;
}
