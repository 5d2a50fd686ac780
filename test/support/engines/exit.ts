import process from 'node:process';
import { registerCompletionHandler } from 'ava';

// A test that fails may leave a server open, whose process AVA would wait for without end.
registerCompletionHandler(() => process.exit());
