/** What work leaves beside its outcome: the diff of its worktree, and files. */
import { createHash, randomUUID } from 'node:crypto';
import { holdWorktree, recordWorktree } from '../../../store/work/worktrees.ts';
import type { Life } from './item-life.ts';
import type { Stage } from './stage.ts';

/** A file that an item keeps. */
export interface KeptFile {
  readonly name: string;
  readonly content: string;
}

const PLACE = '00000000-0000-7000-8000-0000000000f1';

/** Records a worktree that is gone, with its diff, which people read. */
export async function keepPatch({ tx }: Stage, life: Life, patch: string): Promise<void> {
  const branch = `animus/${life.workItemId.slice(-12)}`;
  const content = Buffer.from(patch);
  const [start, tip] = [commitOf('main'), commitOf(life.workItemId)];
  await holdWorktree(tx, life, {
    id: life.workItemId,
    host: 'demo-harbour',
    path: `/var/lib/animus/worktrees/${life.workItemId.slice(-12)}`,
    place: PLACE,
    repo: '/srv/git/booking.git',
    branch,
    base: start,
    handed: false,
    lost: null,
  });
  const result = { start, tip, rest: null, patch: content, patchBytes: content.length, ended: true };
  await recordWorktree(tx, life, { id: life.workItemId, state: 'removed', handed: true, holds: [], branch, result });
}

export async function keepFile({ tx }: Stage, life: Life, { name, content }: KeptFile): Promise<void> {
  const keep = 'select media_type from animus.keep_file($1, $2, $3, $4, $5)';
  await tx.query(keep, [life.focusId, life.leaseToken, randomUUID(), name, Buffer.from(content)]);
}

function commitOf(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
