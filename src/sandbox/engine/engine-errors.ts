/** Turns failures of the engine into errors that say what to do. */
import { AnimusError, messageOf } from '../../core/errors/errors.ts';

/** What the failed request was about. */
interface Attempt {
  readonly where: string;
  readonly image?: string;
  readonly runtime?: string | undefined;
}

/** The error of a failed request; an AnimusError stays as it is. */
export function engineError(error: unknown, { where, image, runtime }: Attempt): AnimusError {
  if (error instanceof AnimusError) return error;
  const detail = detailOf(error);
  const cause = { cause: error };
  const status = statusOf(error);
  if (status === null) return new AnimusError('sandbox.unreachable', { where, detail, hint: remedy(error) }, cause);
  if (status === 404 && /no such image/i.test(detail) && image !== undefined)
    return new AnimusError('sandbox.image_missing', { image, where, remedy: imageRemedy(image) }, cause);
  if (/no space left on device|not enough space/i.test(detail))
    return new AnimusError('sandbox.no_space', { where, detail }, cause);
  const hint =
    runtime !== undefined && /runtime/i.test(detail)
      ? `; the engine must know the runtime ${runtime} (docker info lists them)`
      : '';
  return new AnimusError('sandbox.refused', { where, detail, hint }, cause);
}

/** The HTTP status with which the engine answered; null if it did not answer. */
export function statusOf(error: unknown): number | null {
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : null;
}

/** What to do about an image that is missing. */
export function imageRemedy(image: string): string {
  return /^animus-sandbox(:|$)/.test(image) ? 'run: animus sandbox build' : `run: docker pull ${image}, or build it`;
}

/** What the engine said, without the frame that the client adds. */
function detailOf(error: unknown): string {
  const said = (error as { json?: { message?: unknown } | null } | null)?.json?.message;
  if (typeof said === 'string') return said.trim();
  return messageOf(error)
    .replace(/^\(HTTP code \d+\) [^-]*- /, '')
    .trim();
}

function remedy(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (code === 'EACCES' || code === 'EPERM')
    return '; this user may not use it: add the user to the group of the socket, or set another endpoint in [sandbox]';
  return '; start the Docker engine, or set its address as endpoint in [sandbox] or as DOCKER_HOST';
}
