/** Follows a value that changes often: at most once per frame, and not at all while the page is hidden. */
import { useEffect, useRef, useState } from 'preact/hooks';

export function useFrame<Value>(value: Value): Value {
  const [shown, setShown] = useState(value);
  const latest = useRef(value);
  const frame = useRef(0);
  latest.current = value;
  useEffect(() => {
    if (frame.current !== 0 || shown === value) return;
    frame.current = requestAnimationFrame(() => {
      frame.current = 0;
      setShown(latest.current);
    });
  }, [value, shown]);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  return shown;
}
