/** For `catch`: returns this value for a file or directory that does not exist; any other error is thrown. */
export function ifMissing<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return value;
    throw error;
  };
}
