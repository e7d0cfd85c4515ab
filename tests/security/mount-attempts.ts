/** What commands try in order to reach hidden files. */

/** Each tries to read `keys/key`, `home/db/data` or `home/pass`, from a directory that contains them and `own`. */
export const ATTEMPTS: readonly (readonly [string, string])[] = [
  [
    'unmounting',
    'for m in home keys/key keys .; do umount $m; umount -l $m; umount -R $m; done; cat home/db/data keys/key',
  ],
  [
    'moving a mount',
    'mkdir t; mount --move home t; mount --move keys t; mount --move . /mnt; cat keys/key home/db/data t/*',
  ],
  [
    'binding a parent',
    'mkdir t; mount --bind . t; mount --bind .. t; mount --bind / t; cat t/keys/key t/home/db/data; find t -name key -exec cat {} +',
  ],
  [
    'binding a parent with all below',
    'mkdir t; mount --rbind . t; cat t/keys/key t/home/db/data; umount -l t/home t/keys/key t/keys; cat t/keys/key t/home/db/data',
  ],
  ['binding what is hidden', 'mkdir t; mount --bind home t; mount --bind keys t; cat t/key t/db/data t/pass'],
  [
    'an overlay',
    'mkdir -p o/u o/w t; for d in . home keys ..; do mount -t overlay overlay -o userxattr,lowerdir=$d,upperdir=o/u,workdir=o/w t && cat t/keys/key t/home/db/data t/db/data t/key; umount t; done',
  ],
  [
    'an overlay of the temporary directory',
    'mkdir -p /dev/shm/u$$ /dev/shm/w$$ t; mount -t overlay overlay -o userxattr,lowerdir=${TMPDIR:-/tmp},upperdir=/dev/shm/u$$,workdir=/dev/shm/w$$ t; cat t/*/keys/key t/*/home/db/data; rm -rf /dev/shm/u$$ /dev/shm/w$$',
  ],
  ['the working directory', 'cat keys/key home/db/data ./../*/keys/key; cd /; cd - ; cat keys/key'],
  [
    'a nested namespace',
    'unshare -Urm --map-root-user bash -c "umount home; umount -l keys/key; mount -o remount,bind,rw home; cat home/db/data keys/key"; unshare -Urmpf --mount-proc bash -c "cat home/db/data"',
  ],
  [
    'changing the root',
    'mkdir r; mount --rbind / r; chroot r bash -c "cat $PWD/keys/key $PWD/home/db/data"; cd r; pivot_root . mnt; cat /mnt/$OLDPWD/keys/key',
  ],
  [
    'process 1',
    'ls /proc/1/root /proc/1/cwd /proc/1/fd; cat /proc/1/root$PWD/keys/key /proc/1/cwd/keys/key /proc/1/mem; nsenter -t 1 -a cat keys/key; nsenter -t 1 -m -U cat keys/key',
  ],
  [
    'any process',
    'for p in /proc/[0-9]*; do cat $p/root$PWD/keys/key $p/cwd/keys/key $p/root$PWD/home/db/data; done; ls -l /proc/self/fd',
  ],
  [
    'tracing process 1',
    'python3 -c "import ctypes,sys; l=ctypes.CDLL(None,use_errno=True); print(l.ptrace(16,1,0,0), ctypes.get_errno())"; gdb -p 1 -batch; cat /proc/1/environ',
  ],
  [
    'renaming grandparents',
    'P=$(dirname $PWD); mv keys k2; mv $PWD $P/gone; mv $P /gone; mkdir -p keys; cat k2/key $P/gone/keys/key /gone/*/keys/key',
  ],
  [
    'exchanging directories',
    "python3 -c \"import ctypes; l=ctypes.CDLL(None,use_errno=True); print(l.renameat2(-100,b'keys',-100,b'own',2), ctypes.get_errno())\"; cat own/key",
  ],
  ['a hard link', 'ln keys/key k; ln home/pass p; cp -l keys/key k2; cat k p k2'],
  ['a link', 'ln -s keys/key k; ln -s $PWD/home/db/data d; cat k d /proc/self/cwd/keys/key linked-home/db/data'],
  ['truncating and removing', ': > keys/key; rm -rf home keys; echo x > home/db/data; cat keys/key'],
  [
    'opening by file handle',
    "python3 -c \"import ctypes,os; l=ctypes.CDLL(None,use_errno=True); h=ctypes.create_string_buffer(136); h[0]=b'\\x80'; m=ctypes.c_int(); print(l.name_to_handle_at(-100,b'own',h,ctypes.byref(m),0)); print(l.open_by_handle_at(os.open('own',0),h,0), ctypes.get_errno())\"",
  ],
  ['a terminal or file of another process', 'ls -la /proc/*/fd/ | grep -E "keys|home"'],
];
