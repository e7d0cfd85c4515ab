/** The longest path that Linux opens, in bytes (PATH_MAX). A longer one leads nowhere, and taking it apart can stall the daemon. */
export const LONGEST_PATH = 4096;
