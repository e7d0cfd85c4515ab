"""The inside of animus's sandbox: the runner (PID 1) and the process of the agent's code. Standard library only."""

# The version of the messages between engine and runner. The engine refuses an image with another one.
PROTOCOL = 1
