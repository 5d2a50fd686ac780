// In the place of `ava`, for the test files that the court runs.
export { test as default } from './collect.ts';
