/** The user that a command runs as; never root. */
export interface User {
  readonly uid: number;
  readonly gid: number;
  /** True: a spare user of the directory that the command runs in, which nothing else has. Absent: it may have other processes. */
  readonly isSpare?: true;
}
