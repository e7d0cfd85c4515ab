/** A command line: as it is written, and the commands that bash makes of it. */
import { useEffect, useState } from 'preact/hooks';
import { S } from '../../words/strings.ts';
import { hasOdd } from '../visible-pieces.ts';
import { VisibleText } from '../visible-text.tsx';
import { type CommandPart, type CommandParts, type CommandWord, readCommand } from './command-parts.ts';

export function CommandLine({ command }: { readonly command: string }) {
  const [read, setRead] = useState<CommandParts | null>(null);
  useEffect(() => {
    let current = true;
    const set = (parts: CommandParts) => current && setRead(parts);
    readCommand(command).then(set, () => set({ parts: [], problem: 'invalid' }));
    return () => {
      current = false;
    };
  }, [command]);
  return (
    <div class="ask-command">
      <pre class="ask-line" tabIndex={0} aria-label={S.ask.command}>
        <VisibleText text={command} lines />
      </pre>
      {hasOdd(command.slice(0, ODD_WITHIN), 'code') && <p class="ask-warning">{S.ask.odd}</p>}
      {read?.problem && <p class="ask-warning">{S.ask.commandProblem[read.problem]}</p>}
      {read !== null && read.parts.length > 0 && (
        <ol class="ask-parts" aria-label={S.ask.parts}>
          {read.parts.map((part, at) => (
            <Part key={at} part={part} />
          ))}
        </ol>
      )}
    </div>
  );
}

/** As much as is shown at first. */
const ODD_WITHIN = 4000;
const INDENTS = 8;

function Part({ part: { before, depth, words } }: { readonly part: CommandPart }) {
  return (
    <li class={`ask-depth-${Math.min(depth, INDENTS)}`}>
      {before !== '' && (
        <span class="ask-before">
          <VisibleText text={before} most={120} />
        </span>
      )}
      {words.map((word, at) => (
        <Word key={at} word={word} />
      ))}
    </li>
  );
}

function Word({ word: { is, text, open } }: { readonly word: CommandWord }) {
  return (
    <span class={`ask-word ask-word-${is}${open ? ' ask-word-open' : ''}`} title={open ? S.ask.open : S.ask.wordIs[is]}>
      {text === '' ? <span class="faint">{S.ask.emptyWord}</span> : <VisibleText text={text} most={2000} />}
    </span>
  );
}
