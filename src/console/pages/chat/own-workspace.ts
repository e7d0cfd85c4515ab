/** Whose a workspace is. Others are shown for the conversations in which the person takes part. */
import type { Workspace } from '../../../client/client.ts';
import { whoseMe } from '../../model/session-state.ts';

export function isMine({ owner }: Workspace): boolean {
  return whoseMe()?.actor === owner;
}
