/** Sends files of workspaces: `.chat` files and exports, which are made when they are read, and files that came with messages. */
import {
  findVisibleFile,
  readVisibleWorkspace,
  readWorkspaceFile,
} from '../../features/conversations/store/workspaces.ts';
import { readingAs } from '../login/visitor.ts';
import { fileHeaders } from '../route/file-headers.ts';
import type { Visit } from '../route/route.ts';

/** Answers 200 with the file, 304 for a known ETag. Errors: `work.not_found`. */
export async function workspaceFile(visit: Visit, workspaceId: string, path: string, request: Request) {
  const { content, mediaType, etag } = await readingAs(visit.services.db, visit.visitor, async (tx) => {
    await readVisibleWorkspace(tx, workspaceId);
    return readWorkspaceFile(tx, await findVisibleFile(tx, workspaceId, path));
  });
  const headers = { ...fileHeaders(mediaType, path.split('/').at(-1)!), etag };
  return knows(request.headers.get('if-none-match'), etag)
    ? new Response(null, { status: 304, headers })
    : new Response(new Uint8Array(content), { headers });
}

export function textHeaders(type: string, name: string): Record<string, string> {
  return fileHeaders(`${type}; charset=utf-8`, name);
}

/** If-None-Match (RFC 9110, 13.1.2): a list of tags, of which a weak one counts too, or `*`. */
function knows(header: string | null, etag: string): boolean {
  return (header ?? '').split(',').some((given) => ['*', etag, `W/${etag}`].includes(given.trim()));
}
