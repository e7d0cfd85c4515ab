/**
 * Files of the workspace that are in the database: conversations, whose text is made when it is read, and files that came with their messages
 * (docs/conversations.md). A focus has some where it answers in a conversation. No tool changes them.
 */
import { relative, resolve } from 'node:path';
import { LONGEST_PATH } from '../../core/files/longest-path.ts';
import type { DatabaseFile, ToolContext } from '../tool.ts';
import { type Refusal, refuse } from './refusal.ts';
import type { TextFile } from './text-file.ts';

type Place = Pick<ToolContext, 'workspace' | 'databaseFiles'>;

/** The text of the file at a path of the workspace; null if there is none. It stands before a real file of the same name. */
export async function readDatabaseFile(
  path: string,
  context: Place,
): Promise<Pick<TextFile, 'text' | 'shown' | 'bytes'> | Refusal | null> {
  const shown = placeIn(path, context);
  const file = shown === null ? null : await context.databaseFiles!.read(shown);
  if (shown === null || file === null) return null;
  if (file.text !== null) return { text: file.text, shown, bytes: Buffer.byteLength(file.text) };
  if (file.kind === 'chat')
    return refuse(`${shown}: the conversation is too large to be read as a file (${file.bytes} bytes)`);
  return refuse(
    `${shown}: is not text (${file.mediaType}, ${file.bytes} bytes). It came with a message of the conversation, and is shown to you with that message if your model can see it`,
  );
}

/** Why a path may not be changed, if such a file is there. */
export async function refuseDatabaseFile(path: string, context: Place): Promise<Refusal | null> {
  const shown = placeIn(path, context);
  const file = shown === null ? null : await context.databaseFiles!.read(shown);
  if (shown === null || file === null) return null;
  const what =
    file.kind === 'chat'
      ? 'is a virtual file, made when it is read; it cannot be changed'
      : 'came with a message of the conversation; it cannot be changed. Write a copy to another path';
  return refuse(`${shown}: ${what}`, 'read_only');
}

/** A file below a directory, by its path relative to that directory; '' is the path itself. */
export interface FileBelow extends DatabaseFile {
  readonly below: string;
}

/** The files at or below a path of the workspace, those that were changed last first. */
export async function filesBelow(path: string, context: Place): Promise<readonly FileBelow[]> {
  const directory = placeIn(path, context);
  if (directory === null) return [];
  const prefix = directory === '' ? '' : `${directory}/`;
  const files = await context.databaseFiles!.list();
  return files.flatMap((file) => {
    if (file.path === directory) return [{ ...file, below: '' }];
    return file.path.startsWith(prefix) ? [{ ...file, below: file.path.slice(prefix.length) }] : [];
  });
}

/** The names directly below a directory; those of directories end in `/` and have no file. */
export async function namesBelow(path: string, context: Place): Promise<ReadonlyMap<string, DatabaseFile | null>> {
  const names = new Map<string, DatabaseFile | null>();
  for (const file of await filesBelow(path, context)) {
    if (file.below === '') continue;
    const end = file.below.indexOf('/');
    if (end < 0) names.set(file.below, file);
    else names.set(file.below.slice(0, end + 1), null);
  }
  return names;
}

/** A path as the database has it: relative to the workspace, '' for the workspace itself. Null: no such file can be there. */
function placeIn(path: string, { workspace, databaseFiles }: Place): string | null {
  if (databaseFiles === undefined || path.length > LONGEST_PATH) return null;
  const place = relative(workspace, resolve(workspace, path));
  return place === '..' || place.startsWith('../') ? null : place;
}
