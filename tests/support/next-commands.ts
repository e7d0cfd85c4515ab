/** The commands that a command prints for copying, below `Try next` or `Next`: indented, after a comment that says what each does. */
export function nextCommands(output: string): string[] {
  const [, below = ''] = output.split(/^(?:Try next|Next)$/m);
  return [...below.matchAll(/^ {2}# .*\n {2}(.+)$/gm)].map(([, command]) => command!);
}
