import { applyImport } from '../../../domain/catalog/imports/listing-import.command.ts';
import {
  BUSY,
  ownerOf,
  REPOSITORY,
  REPOSITORY_REPLIES,
  serveReplies,
  startImport,
} from '../catalog/imports.ts';
import { eventually } from '../eventually.ts';
import { pictureFile } from '../http/picture-file.ts';
import type { Stage } from '../engines/worker.ts';

type Outside = Awaited<ReturnType<typeof serveReplies>>;
type Ended = { workflowId: string; result(): Promise<string> };

/** What is recorded of imports; each has the site and the forge for itself. */
export function createImportRuns(
  outside: Outside,
): Record<string, (stage: Stage) => Promise<Ended>> {
  return {
    async 'import-of-a-page'(stage) {
      outside.replies['/'] = { html: '<title>Paper Trail</title>' };
      return startImport(stage, { address: `${outside.url}/` });
    },

    /** The run that the person who took the pictures began. */
    async 'import-applied-with-two-pictures'(stage) {
      const bytes = Buffer.from(await (await pictureFile()).arrayBuffer());
      outside.replies['/'] = {
        html: '<link rel="icon" href="/icon.png"><meta property="og:image" content="/shot.png">',
      };
      Object.assign(outside.replies, { '/icon.png': { bytes }, '/shot.png': { bytes } });
      const story = await startImport(stage, { address: `${outside.url}/` });
      await story.result();
      const { productId, importId, personId: owner } = story;
      const choice = { fields: [], icon: true, screenshots: true, prefix: null };
      const change = { importId, productId, by: ownerOf(owner), choice, version: 0 };
      await applyImport(stage.database.em(), change);
      await story.reaches('applied');
      return story;
    },

    async 'import-of-a-repository-that-waited'(stage) {
      outside.replies['/repos/maker/paper'] = BUSY;
      const story = await startImport(stage, { kind: 'repository', address: REPOSITORY });
      const { client, testDatabase } = stage;
      const handle = client.workflow.getHandle(story.workflowId);
      const readStatus = () => handle.query<string>('status').catch(() => null);
      await eventually(readStatus, (status) => status === 'waiting');
      Object.assign(outside.replies, REPOSITORY_REPLIES);
      await testDatabase.advance(601_000);
      await handle.signal('message');
      return story;
    },
  };
}
