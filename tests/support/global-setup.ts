/** Placeholder for the test database; the store's tests bring it. */
export default function setup(): void {}
