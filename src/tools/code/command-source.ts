/** Python that runs a command in the sandbox as a shell would, so that the runner needs no second way to run things. */
import { valueLiteral } from '../../sandbox/sdk/python-literal.ts';

/**
 * The code. It returns the exit status of the command: 127 if there is no such program, 126 if it cannot be run, 128 and the number of
 * the signal if one ended it. The output of the command is that of the code.
 */
export function commandSource(command: string | readonly string[]): string {
  const argv = typeof command === 'string' ? ['/bin/sh', '-c', command] : command;
  return `import subprocess, sys
def run():
    argv = ${valueLiteral(argv, Infinity)}
    try:
        status = subprocess.run(argv, stdin=subprocess.DEVNULL).returncode
    except OSError as error:
        print(f"{argv[0]}: {error.strerror}", file=sys.stderr)
        return 127 if isinstance(error, FileNotFoundError) else 126
    return status if status >= 0 else 128 - status
return run()
`;
}
