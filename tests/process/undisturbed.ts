/** For tests of places and of their standbys; Linux only. */
import { readFileSync } from 'node:fs';
import { beforeEach } from 'vitest';

/**
 * When anything is mounted on the host, as by a container that starts, each place is made again and its standbys end. What a test says of them does not
 * hold then: with these options it is run again. Only for a failure during which the mounts have changed.
 */
export function undisturbed() {
  let before = '';
  beforeEach(() => {
    before = mounts();
  });
  return { retry: { count: 8, condition: () => mounts() !== before } };
}

function mounts(): string {
  return readFileSync('/proc/self/mountinfo', 'utf8');
}
