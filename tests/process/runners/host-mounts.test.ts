import { expect, test } from 'vitest';
import { hostMountsOf, stillFit } from '../../../src/process/runners/host-mounts.ts';

const ID = 'e8'.repeat(32);
const HOST = [
  '22 1 259:1 / / rw,relatime shared:1 - ext4 /dev/root rw',
  '23 22 0:21 / /run rw,nosuid shared:2 - tmpfs tmpfs rw,size=1g',
];
const NETNS = `41 23 0:4 net:[4026532301] /run/docker/netns/1a2b rw shared:9 - nsfs nsfs rw`;
const OF_CONTAINER = [
  `42 22 0:50 / /var/lib/docker/overlay2/${ID}/merged rw,relatime shared:10 - overlay overlay rw,lowerdir=/l`,
  `43 22 0:51 / /var/lib/docker/containers/${ID}/mounts/shm rw - tmpfs shm rw,size=65536k`,
  `44 23 0:52 / /run/containerd/io.containerd.runtime.v2.task/k8s.io/${ID}/rootfs rw - overlay overlay rw`,
];
const made = (...lines: string[]) => hostMountsOf(`${[...HOST, ...lines].join('\n')}\n`);

test.each([NETNS, ...OF_CONTAINER])('a place stays when this is added, and goes when it is removed: %s', (line) => {
  expect(stillFit(made(), made(line))).toBe(true);
  expect(stillFit(made(line), made(line))).toBe(true);
  expect(stillFit(made(line), made())).toBe(false);
  // The number of the mount shows that it is another one.
  expect(stillFit(made(line), made(`9${line}`))).toBe(false);
});

test.each([
  '45 22 0:60 / /mnt/data rw,relatime - overlay overlay rw,lowerdir=/l',
  `46 22 0:61 / /home/a/${ID}/merged/deep rw - overlay overlay rw`,
  `47 22 0:62 / /srv/${ID}/merged rw - ext4 /dev/sdb rw`,
  '48 23 0:63 / /run/secrets rw - tmpfs tmpfs rw',
  '49 23 0:64 / /run/nsfs rw - tmpfs nsfs rw',
])('a place goes when anything else is mounted: %s', (line) => {
  expect(stillFit(made(), made(line))).toBe(false);
  expect(made(line).own).not.toBe(made().own);
});

test('all lines are counted once', () => {
  const { text, own, others } = made(NETNS, ...OF_CONTAINER);
  expect([...own.split('\n'), ...others].toSorted()).toEqual(text.split('\n').toSorted());
  expect(others).toEqual(new Set([NETNS, ...OF_CONTAINER]));
});
