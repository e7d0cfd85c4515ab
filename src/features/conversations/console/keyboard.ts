/** The keys of a terminal, one by one, and what is pasted as a whole. */
import { emitKeypressEvents } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Sink } from '../../../terminal/view/output.ts';
import type { Key } from './line-buffer.ts';

/** A terminal's input. */
export interface TerminalInput extends Readable {
  setRawMode?(raw: boolean): unknown;
}

export interface KeyboardHandlers {
  onKey(key: Key): void;
  onPaste(text: string): void;
  /** The terminal is gone. */
  onEnd(): void;
}

export interface Keyboard {
  /** Gives the terminal to another program, as it was. */
  suspend(): void;
  resume(): void;
  /** Gives the terminal back, and takes no more keys. */
  close(): void;
}

/** Terminals that know it mark what is pasted: a line end in it is not the key. */
const PASTES_MARKED = '\u001b[?2004h';
const PASTES_UNMARKED = '\u001b[?2004l';
/** Longer pastes are cut; a message has at most 64 KiB. */
const MAX_PASTED_CHARS = 200_000;

/** Reads the keys until `close`. */
export function openKeyboard(input: TerminalInput, terminal: Sink, handlers: KeyboardHandlers): Keyboard {
  let pasted: string[] | null = null;
  let pastedChars = 0;

  const onKeypress = (_text: string | undefined, key: Key) => {
    if (key.name === 'paste-start') [pasted, pastedChars] = [[], 0];
    else if (key.name === 'paste-end') {
      const text = (pasted ?? []).join('');
      pasted = null;
      handlers.onPaste(text);
    } else if (pasted === null) handlers.onKey(key);
    else if (pastedChars < MAX_PASTED_CHARS) {
      pasted.push(key.sequence ?? '');
      pastedChars += key.sequence?.length ?? 0;
    }
  };
  const onEnd = () => handlers.onEnd();
  const take = () => {
    input.setRawMode?.(true);
    terminal.write(PASTES_MARKED);
    input.resume();
  };
  const give = () => {
    terminal.write(PASTES_UNMARKED);
    input.setRawMode?.(false);
    input.pause();
  };

  emitKeypressEvents(input);
  input.on('keypress', onKeypress);
  for (const event of ['end', 'close', 'error']) input.on(event, onEnd);
  take();
  return {
    suspend: give,
    resume: take,
    close() {
      input.off('keypress', onKeypress);
      for (const event of ['end', 'close']) input.off(event, onEnd);
      give();
    },
  };
}
