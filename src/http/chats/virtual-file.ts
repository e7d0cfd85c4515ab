/** Sends texts that are made when they are read: `.chat` files and exports. */
import { readVirtualFile } from '../../store/conversations/read-conversation.ts';
import { findVisibleFile, readVisibleWorkspace } from '../../store/conversations/visible-conversations.ts';
import { asVisitor } from '../login/visitor.ts';
import type { Visit } from '../route/route.ts';

/** Answers 200 with the file, 304 for a known ETag. Errors: `work.not_found`. */
export async function virtualFile(visit: Visit, workspaceId: string, path: string, request: Request) {
  const { content, etag } = await asVisitor(visit.means.db, visit.visitor, async (tx) => {
    await readVisibleWorkspace(tx, workspaceId);
    return readVirtualFile(tx, await findVisibleFile(tx, workspaceId, path));
  });
  const headers = { ...textHeaders('text/markdown', path.split('/').at(-1)!), etag };
  return knows(request.headers.get('if-none-match'), etag)
    ? new Response(null, { status: 304, headers })
    : new Response(content, { headers });
}

/** A browser must not show what people and models wrote as a page of this address. */
export function textHeaders(type: string, name: string): Record<string, string> {
  return {
    'content-type': `${type}; charset=utf-8`,
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name.toWellFormed()).replaceAll("'", '%27')}`,
    'content-security-policy': 'sandbox',
    'cache-control': 'private, no-cache',
  };
}

/** If-None-Match (RFC 9110, 13.1.2): a list of tags, of which a weak one counts too, or `*`. */
function knows(header: string | null, etag: string): boolean {
  return (header ?? '').split(',').some((given) => ['*', etag, `W/${etag}`].includes(given.trim()));
}
