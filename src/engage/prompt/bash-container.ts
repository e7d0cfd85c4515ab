/** What the model is told about the container in which `bash` runs its commands. */
import type { BashContainer } from '../../catalog/faculty/faculty.ts';

/** A paragraph for the end of the system prompt; empty without a container. `caches`: package managers whose caches other work shares. */
export function bashContainerText(container: BashContainer | null, caches: readonly string[] = []): string {
  if (container === null) return '';
  const { image, network } = container;
  const reach =
    network.length === 0
      ? 'It has no network.'
      : `It reaches only ${network.join(', ')}, by the proxy in HTTP_PROXY and HTTPS_PROXY; names do not resolve in it.`;
  const shared =
    caches.length === 0
      ? ''
      : ` The caches of ${caches.join(', ')} can be written, too, and are shared with other work.`;
  return `\n\nbash runs its commands in a container of the image ${image}, which keeps running while you work. It has the workspace at the same path; beside that, only /tmp and the directory in HOME can be written, and nobody else sees them.${shared} ${reach}`;
}
