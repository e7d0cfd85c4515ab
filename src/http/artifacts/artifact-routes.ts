/** Files of work: what came with it, and outputs that were too large for a row. */
import { z } from 'zod';
import { pageOf } from '../../operations/page-of.ts';
import { id, limit, page, time } from '../../operations/schemas.ts';
import { readVisibleArtifacts } from '../../store/views/visible/visible-artifacts.ts';
import { requireVisibleWork } from '../../store/views/visible/visible-work.ts';
import { jsonRoute, type Route, streamRoute } from '../route/route.ts';
import { DOWNLOAD, download } from './download.ts';
import { resultRoutes } from './result-routes.ts';

const artifact = z
  .object({ id: id(), name: z.string(), media_type: z.string(), bytes: z.number(), created_at: time() })
  .meta({ id: 'Artifact' });

const listArtifacts = jsonRoute({
  id: 'listArtifacts',
  method: 'GET',
  path: '/work/{id}/artifacts',
  tag: 'artifacts',
  summary: 'The files of an item, oldest first; `changes.patch` is what it has changed in its worktree',
  scope: 'read',
  params: z.strictObject({ id: id() }),
  query: z.strictObject({ after: id().optional(), limit: limit() }),
  output: page(artifact),
  errors: ['work.not_found'],
  run: async ({ tx }, { path, query }) => {
    await requireVisibleWork(tx, path.id);
    const rows = await readVisibleArtifacts(tx, path.id, query.after ?? null, query.limit + 1);
    return pageOf(rows, query.limit, (row) => row.id);
  },
});

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

export const artifactRoutes: readonly Route[] = [listArtifacts, readArtifact, ...resultRoutes];
