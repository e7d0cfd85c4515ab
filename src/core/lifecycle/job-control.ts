/** How a command that uses the terminal is stopped by its shell, and ended with its terminal. */
export interface JobControl {
  /** Stops the job as Ctrl-Z does, until the shell continues it. Returns soon where no shell controls jobs. */
  stopJob(): Promise<void>;
  /** From now on, the end of the terminal (SIGHUP) ends the command like SIGTERM, until the function that is returned is called. */
  takeHangUps(): () => void;
}
