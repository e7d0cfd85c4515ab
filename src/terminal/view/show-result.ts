/** Where the result of an item is, and the commands for it: at the end of a run and in `animus work show`. */
import type { ItemWorktree } from '../../store/views/item-worktree.ts';
import { type Output, styled } from './output.ts';
import { bytes, shortId } from './quantities.ts';
import { heading } from './show-outcome.ts';
import { heldText } from './show-worktrees.ts';

/** Prints nothing for an item that changed nothing, and of which nothing was lost. */
export function showResult(output: Output, item: ItemWorktree): void {
  const commands = commandsOf(item, '');
  const { branch, repo, path, host, lost } = item;
  if (branch === null || (commands === null && lost === null)) return;
  heading(output, 'Result');
  const field = (name: string, text: string) => output.copyable(`  ${name.padEnd(11)}${text}`);
  if (commands !== null) field('branch', repo === null ? branch : `${branch} in ${repo.replace(/\/\.git$/, '')}`);
  if (isThere(item) && path !== null) {
    const size = item.bytes === null ? '' : `, ${bytes(item.bytes)}`;
    field('directory', `${path}${host === null ? '' : ` on ${host}`}${size}`);
    for (const word of item.holds ?? []) output.line('  ', styled('only there ', 'yellow'), heldText(word));
  }
  if (lost !== null) output.block(`lost       ${lost}`, '  ', 'red');
  if (commands === null) return;
  output.command('  see it     ', commands.diff);
  output.command('  bring it in ', commands.apply);
}

/** The commands for a result. */
export interface ResultCommands {
  readonly diff: string;
  readonly apply: string;
  readonly checkout: string;
  readonly discard: string;
}

/** The same for programs; null: the item did not work in a worktree. */
export function resultJson(item: ItemWorktree) {
  const { branch, repo, host, path, state, bytes: size, holds, discard_by, start, tip, rest, patch_bytes, lost } = item;
  if (branch === null) return null;
  return {
    branch,
    repo,
    host,
    /** Null: the directory is gone. */
    path: isThere(item) ? path : null,
    state,
    bytes: size,
    holds,
    discard_by,
    start,
    tip,
    rest,
    patch_bytes,
    lost,
    /** Null: it changed nothing. */
    commands: commandsOf(item, 'animus '),
  };
}

function isThere({ state }: ItemWorktree): boolean {
  return state === 'open' || state === 'kept';
}

function commandsOf(
  { work_item_id: id, start, tip, rest, state }: ItemWorktree,
  animus: '' | 'animus ',
): ResultCommands | null {
  if (start === null || (tip === start && rest === null) || state === 'discarded') return null;
  const command = (name: string) => `${animus}work ${name} ${shortId(id)}`;
  return { diff: command('diff'), apply: command('apply'), checkout: command('checkout'), discard: command('discard') };
}
