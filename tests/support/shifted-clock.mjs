// Preloaded into a daemon (NODE_OPTIONS=--import): its wall clock is off by CLOCK_SHIFT_MS. The monotonic clock is not.
const shiftMs = Number(process.env['CLOCK_SHIFT_MS']);
const { now } = Date;
const shiftedNow = () => now() + shiftMs;
globalThis.Date = new Proxy(Date, {
  construct: (real, given) => Reflect.construct(real, given.length === 0 ? [shiftedNow()] : given),
  get: (real, key) => (key === 'now' ? shiftedNow : Reflect.get(real, key)),
});
