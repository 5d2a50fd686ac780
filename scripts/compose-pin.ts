// `npm run compose:pin`: adds the registry's current digest of each image to docker-compose.yml. It
// asks through Docker; without a registry it changes nothing.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('../docker-compose.yml', import.meta.url));
/** Name and tag; the images that the file builds itself are in no registry. */
const IMAGE = /^( *image: )(?!gatehouse(?:-trial)?:)([\w./-]+:[\w.-]+)(@sha256:[0-9a-f]{64})?$/gm;
const DIGEST = /^sha256:[0-9a-f]{64}$/;
const TIMEOUT_MS = 60_000;

type DigestOf = (image: string) => string;

/** The text with each image pinned. Throws when a digest is missing. */
export function pinImages(text: string, digestOf: DigestOf): string {
  return text.replaceAll(IMAGE, (_line, start: string, image: string) => {
    const digest = digestOf(image).trim();
    if (!DIGEST.test(digest)) throw new Error(`no digest of ${image}`);
    return `${start}${image}@${digest}`;
  });
}

function askRegistry(image: string): string {
  const args = ['buildx', 'imagetools', 'inspect', '--format', '{{.Manifest.Digest}}', image];
  return execFileSync('docker', args, {
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

if (import.meta.main) {
  try {
    writeFileSync(FILE, pinImages(readFileSync(FILE, 'utf8'), askRegistry));
    console.log(
      'Pinned the images of docker-compose.yml. Look at the difference before you commit it.',
    );
  } catch (error) {
    const reason = (error as Error).message.split('\n')[0];
    console.error(`No image registry could be asked, and nothing was changed: ${reason}`);
    process.exitCode = 1;
  }
}
