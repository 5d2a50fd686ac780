import { fileRoute, readFile } from './files.ts';

const JS = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

export const assets = fileRoute('/assets', {
  'pico.min.css': readFile(import.meta.resolve('@picocss/pico/css/pico.min.css'), CSS),
  'icon.svg': readFile(import.meta.resolve('./icon.svg'), 'image/svg+xml'),
  'passkeys.js': readFile(import.meta.resolve('../account/passkeys/passkeys.js'), JS),
  'gatehouse.css': readFile(import.meta.resolve('./gatehouse.css'), CSS),
});
