import { serveStatement } from './parts/bare.ts';

await serveStatement({
  name: 'find_key',
  text: 'select id, product_id, mode from api_key where key_hash = $1',
});
