import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { scratch, underRules } from './commands.ts';
import { hasNamespaces } from './scripted-focus.ts';

test.skipIf(!hasNamespaces)('no command of a root daemon can change what the kernel runs, or its cgroups', async () => {
  const before = readFileSync('/proc/sys/kernel/core_pattern', 'utf8');
  const { stdout } = await underRules(
    scratch(),
    [],
  )(
    `exec 2>/dev/null
     for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sysrq-trigger /sys/kernel/uevent_helper /sys/fs/cgroup/*/cgroup.procs /sys/fs/cgroup/cgroup.procs
     do [ -w $f ] && (: >> $f) && echo "$f can be written"; done
     unshare -Urmpf --mount-proc bash -c 'for f in /proc/sys/kernel/core_pattern; do (: >> $f) && echo "$f can be written in a nested namespace"; done'
     mkdir s; mount -t sysfs none s && echo sysfs; mount -t proc none s && echo proc; umount /proc/sys; (: >> /proc/sys/kernel/core_pattern) && echo again
     nproc > n && echo counted`,
  );
  expect(stdout.text).toBe('counted\n');
  expect(readFileSync('/proc/sys/kernel/core_pattern', 'utf8')).toBe(before);
});
