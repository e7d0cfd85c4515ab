/**
 * The system calls that programs need, by what they are for: the source of both seccomp profiles (`seccomp-profile.ts`). Names are those of
 * 64-bit Linux, on amd64 and arm64; an engine skips names that its kernel does not have. It began as what Docker's default profile allows to a
 * process without capabilities, less clocks (`adjtimex`, `clock_adjtime`), file handles (`name_to_handle_at`), `modify_ldt`, and sockets by `socketcall`.
 */

const FILES = `
access chdir chmod chown close close_range copy_file_range creat dup dup2 dup3 faccessat faccessat2 fadvise64 fallocate fchdir fchmod
fchmodat fchmodat2 fchown fchownat fcntl fdatasync flock fstat fstatfs fsync ftruncate futimesat getcwd getdents getdents64 ioctl
lchown link linkat listmount lseek lstat mkdir mkdirat mknod mknodat newfstatat open openat openat2 pread64 preadv preadv2
pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv rename renameat renameat2 rmdir sendfile splice stat statfs
statmount statx symlink symlinkat sync sync_file_range syncfs tee truncate umask unlink unlinkat utime utimensat utimes vmsplice
write writev`;

const ATTRIBUTES = `
fgetxattr flistxattr fremovexattr fsetxattr getxattr getxattrat lgetxattr listxattr listxattrat llistxattr lremovexattr lsetxattr
removexattr removexattrat setxattr setxattrat`;

const WAITING = `
epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 fanotify_mark inotify_add_watch inotify_init
inotify_init1 inotify_rm_watch io_cancel io_destroy io_getevents io_pgetevents io_setup io_submit pipe pipe2 poll ppoll pselect6 select
signalfd signalfd4`;

const MEMORY = `
brk cachestat madvise map_shadow_stack membarrier memfd_create memfd_secret mincore mlock mlock2 mlockall mmap mprotect mremap mseal
msync munlock munlockall munmap pkey_alloc pkey_free pkey_mprotect process_mrelease remap_file_pages`;

const PROCESSES = `
arch_prctl capget capset execve execveat exit exit_group fork getcpu getegid geteuid getgid getgroups getpgid getpgrp getpid getppid
getpriority getresgid getresuid getrlimit getrusage getsid gettid getuid ioprio_get ioprio_set landlock_add_rule landlock_create_ruleset
landlock_restrict_self pidfd_open pidfd_send_signal prctl prlimit64 sched_get_priority_max sched_get_priority_min sched_getaffinity
sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam sched_setscheduler
sched_yield seccomp setfsgid setfsuid setgid setgroups setpgid setpriority setregid setresgid setresuid setreuid setrlimit setsid
setuid sysinfo times uname uretprobe vfork wait4 waitid`;

const THREADS = `
futex futex_requeue futex_wait futex_waitv futex_wake get_robust_list get_thread_area rseq set_robust_list set_thread_area
set_tid_address`;

const SIGNALS = `
alarm kill pause restart_syscall rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend
rt_sigtimedwait rt_tgsigqueueinfo sigaltstack tgkill tkill`;

const TIME = `
clock_getres clock_gettime clock_nanosleep getitimer getrandom gettimeofday nanosleep setitimer time timer_create timer_delete
timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime timerfd_settime`;

/** Of sockets that exist. Which ones may be created is said by `seccomp-profile.ts`. */
const SOCKETS = `
accept accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmmsg recvmsg sendmmsg sendmsg sendto setsockopt
shutdown`;

const SHARED_BY_PROCESSES = `
mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink msgctl msgget msgrcv msgsnd semctl semget semop semtimedop
shmat shmctl shmdt shmget`;

/** Needs no rule about its arguments. */
export const ORDINARY_CALLS: Readonly<Record<string, readonly string[]>> = {
  files: words(FILES),
  attributes: words(ATTRIBUTES),
  waiting: words(WAITING),
  memory: words(MEMORY),
  processes: words(PROCESSES),
  threads: words(THREADS),
  signals: words(SIGNALS),
  time: words(TIME),
  sockets: words(SOCKETS),
  'shared by processes': words(SHARED_BY_PROCESSES),
};

/** Debuggers, strace and the leak check of sanitizers. They reach processes of the same user in the same container only. */
export const DEBUGGING_CALLS: readonly string[] = ['ptrace', 'process_vm_readv', 'process_vm_writev'];

/** What a user namespace needs to hide files. Outside of one, the kernel refuses them to a process without capabilities. */
export const NAMESPACE_CALLS: readonly string[] = words(`
chroot fsconfig fsmount fsopen fspick mount mount_setattr move_mount open_tree pivot_root setdomainname sethostname setns umount2`);

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
