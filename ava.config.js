export default {
  files: ['test/**/*.test.ts'],
  extensions: ['ts'],
  // The Temporal SDK's native part crashes when a worker thread ends.
  workerThreads: false,
  concurrency: 2,
  timeout: '2m',
};
