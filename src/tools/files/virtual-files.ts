/** Virtual files: their content is made when they are read (docs/conversations.md). A focus has some where it answers in a conversation. */
import { relative, resolve } from 'node:path';
import { LONGEST_PATH } from '../../core/files/longest-path.ts';
import type { ToolContext } from '../tool.ts';
import { type Refusal, refuse } from './refusal.ts';
import type { TextFile } from './text-file.ts';

type Place = Pick<ToolContext, 'workspace' | 'virtualFiles'>;

/** The virtual file at a path of the workspace; null if there is none. It stands before a real file of the same name. */
export async function readVirtual(
  path: string,
  context: Place,
): Promise<Pick<TextFile, 'text' | 'shown' | 'bytes'> | null> {
  if (context.virtualFiles === undefined || path.length > LONGEST_PATH) return null;
  const shown = relative(context.workspace, resolve(context.workspace, path));
  const content = await context.virtualFiles.read(shown);
  return content == null ? null : { text: content, shown, bytes: Buffer.byteLength(content) };
}

/** Why a path may not be changed, if a virtual file is there. */
export async function refuseVirtual(path: string, context: Place): Promise<Refusal | null> {
  const file = await readVirtual(path, context);
  return file && refuse(`${file.shown}: is a virtual file, made when it is read; it cannot be changed`, 'read_only');
}

/** The names directly below a directory of the workspace, those of directories with a `/` at the end. */
export async function virtualNames(path: string, { workspace, virtualFiles }: Place): Promise<string[]> {
  if (virtualFiles === undefined || path.length > LONGEST_PATH) return [];
  const directory = relative(workspace, resolve(workspace, path));
  const prefix = directory === '' ? '' : `${directory}/`;
  const below = (await virtualFiles.paths())
    .filter((file) => file.startsWith(prefix))
    .map((file) => file.slice(prefix.length));
  return [...new Set(below.map((file) => (file.includes('/') ? file.slice(0, file.indexOf('/') + 1) : file)))];
}
