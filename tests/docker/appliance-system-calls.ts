/** What the daemon of the appliance and the commands of models may ask of the kernel. */
import { expect } from 'vitest';
import type { Appliance } from './appliance.ts';
import { ATTEMPTS, ORDINARY, REFUSED } from './sandbox/system-calls.ts';

/** They reach no hypervisor, device or network of their own; namespaces, which hide the daemon's keys, can be made and filled. */
export async function callsLittleOfTheKernel(appliance: Appliance): Promise<void> {
  const seen = await appliance.inAnimus('python3', '-c', `${ATTEMPTS}\nprint(json.dumps(attempts()))`);
  expect(JSON.parse(seen)).toEqual({
    ...REFUSED,
    ...ORDINARY,
    'user namespace': 'ok',
    'user namespace by clone': 'ok',
    // The kernel refuses them outside of a user namespace.
    mount: expect.stringMatching(/EPERM|EFAULT|EINVAL/),
    chroot: 'EPERM',
    trace: 'EPERM',
  });
  const hide = 'mount -t tmpfs none /srv && ls -A /srv | wc -l && chroot / true && cat /proc/self/uid_map';
  const inside = await appliance.inAnimus('unshare', '-Urmpf', '--mount-proc', '--ipc', 'sh', '-c', hide);
  expect(inside).toMatch(/^0\n +0 +1000 +1\n$/);
  expect(await appliance.inAnimus('animus', 'doctor')).toMatch(/isolation.*namespace/);
  const git = 'cd $(mktemp -d) && git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x';
  expect(await appliance.inAnimus('sh', '-c', `${git} && git log --oneline | wc -l && npm --version`)).toMatch(
    /^1\n\d/,
  );
}
