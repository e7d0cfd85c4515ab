/** The bytes of files of work: what came with it, outputs that were too large for a row, and what it has changed. */
import { z } from 'zod';
import { id } from '../../operations/schemas.ts';
import { readItemResult } from '../../store/views/item-worktree.ts';
import { noWork } from '../../store/views/views-of-login.ts';
import { readingAs } from '../login/visitor.ts';
import { type Route, streamRoute } from '../route/route.ts';
import { DOWNLOAD, download } from './download.ts';

const readArtifact = streamRoute({
  id: 'readArtifact',
  method: 'GET',
  path: '/artifacts/{id}',
  tag: 'artifacts',
  summary: 'The bytes of a file; supports Range',
  scope: 'read',
  params: z.strictObject({ id: id() }),
  media: ['*/*'],
  described: DOWNLOAD,
  errors: ['work.not_found'],
  respond: (visit, { path }, request) => download(visit, path.id, request),
});

const readPatch = streamRoute({
  id: 'readPatch',
  method: 'GET',
  path: '/work/{id}/patch',
  tag: 'artifacts',
  summary: 'What an item has changed in its worktree, as a patch for git apply; supports Range',
  scope: 'read',
  params: z.strictObject({ id: id() }),
  media: ['text/x-diff'],
  described: DOWNLOAD,
  errors: ['work.not_found'],
  respond: async (visit, { path }, request) => {
    const result = await readingAs(visit.services.db, visit.visitor, (tx) => readItemResult(tx, path.id));
    if (!result.has_patch) throw noWork(path.id);
    return download(visit, path.id, request);
  },
});

export const artifactRoutes: readonly Route[] = [readArtifact, readPatch];
