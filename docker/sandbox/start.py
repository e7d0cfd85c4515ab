"""Starts one of the two programs of the sandbox: `runner` (PID 1 of the container) or `code` (runs the agent's code)."""

import os
import sys

HERE = os.path.dirname(os.path.realpath(__file__))


def main() -> None:
    sys.path.insert(0, HERE)
    part, *arguments = sys.argv[1:] or ["runner"]
    if part == "runner":
        from animus_sandbox import runner as program
    elif part == "code":
        from animus_sandbox import code_process as program
    else:
        sys.exit(f"unknown part {part!r}: expected runner or code")
    # The agent's code imports from the library and its working directory, not from here.
    sys.path.remove(HERE)
    program.main(arguments)


if __name__ == "__main__":
    main()
