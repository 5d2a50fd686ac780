import { serveStatement } from './parts/bare.ts';

await serveStatement({
  name: 'write_row',
  text: 'insert into bench.written (key_hash) values ($1) returning id',
});
