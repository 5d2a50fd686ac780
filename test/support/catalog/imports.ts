import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { requestImport } from '../../../domain/catalog/imports/listing-import.command.ts';
import type { ImportFindings } from '../../../domain/catalog/imports/import-findings.ts';
import {
  findImport,
  insertImport,
} from '../../../domain/catalog/imports/listing-import.repository.ts';
import type { ImportKind, ImportState } from '../../../domain/catalog/imports/import-state.ts';
import { importWorkflow } from '../../../domain/outbox/workflow-targets.ts';
import { newUuid } from '../../../domain/shared/ids.ts';
import { isRefusal } from '../../../domain/shared/refusal.ts';
import type { Database } from '../../../platform/database/database.ts';
import { eventually } from '../eventually.ts';
import type { TestDatabase } from '../engines/database.ts';
import type { Stage } from '../engines/worker.ts';
import { addProduct } from './scene.ts';

export const NO_FINDINGS: ImportFindings = {
  texts: {},
  icons: [],
  skippedIcons: [],
  screenshots: [],
  groups: [],
  areTags: false,
  hints: { canonical: null, refresh: null },
  isCut: false,
};

/** The owner of a product, as one who changes it. */
export const ownerOf = (personId: string) => ({
  personId,
  isOperator: false,
  isEmailVerified: true,
  ip: '192.0.2.1',
});

/** A product that its owner finds in the console. */
export async function addManagedProduct(testDatabase: TestDatabase) {
  const product = await addProduct(testDatabase);
  await testDatabase.query(
    `insert into product_slug (slug, product_id) select 'p-' || replace($1::text, '-', ''), $1::uuid`,
    [product.productId],
  );
  return product;
}

/** An import that no workflow knows. */
export async function addQueuedImport(database: Pick<Database, 'em'>, productId: string) {
  const id = newUuid();
  await insertImport(database.em(), {
    id,
    productId,
    kind: 'page',
    address: 'https://paper.example/',
  });
  return id;
}

type Owned = { productId: string; personId: string };

async function askForImport(
  database: Pick<Database, 'em'>,
  { productId, personId }: Owned,
  { kind = 'page', address }: { kind?: ImportKind; address: string },
): Promise<string> {
  const by = ownerOf(personId);
  const asked = await requestImport(database.em(), { productId, by, kind, address });
  if (isRefusal(asked)) throw new Error(asked.refused);
  return asked.importId;
}

type Reply = {
  status?: number;
  headers?: Record<string, string>;
  json?: unknown;
  html?: string;
  bytes?: Buffer;
};

/** A site and a forge that reply by path, as the test says by then. */
export async function serveReplies(replies: Record<string, Reply> = {}) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://site');
    asked.push(pathname);
    const { status, headers, ...body } = replies[pathname] ?? { status: 404 };
    const type = 'json' in body ? 'application/json' : 'html' in body ? 'text/html' : 'image/png';
    response.writeHead(status ?? 200, { 'content-type': type, ...headers });
    response.end(body.bytes ?? body.html ?? JSON.stringify(body.json ?? null));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    replies,
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

export const REPOSITORY = 'https://github.com/maker/paper';

/** What the forge says of the repository. */
export const REPOSITORY_REPLIES: Record<string, Reply> = {
  '/repos/maker/paper': {
    json: { full_name: 'maker/paper', description: 'Files paper.', topics: ['paper', 'scanner'] },
  },
  '/repos/maker/paper/releases': {
    json: ['1.1.0', '1.0.0'].map((version, index) => ({
      tag_name: `v${version}`,
      published_at: `2026-01-0${2 - index}T00:00:00Z`,
      body: `Notes of **${version}**`,
    })),
  },
};

/** A forge that allows no more for ten minutes. */
export const BUSY: Reply = { status: 429, headers: { 'retry-after': '600' }, json: {} };

/** An import and its workflow, of a new product unless there is one. */
export async function startImport(
  stage: Stage,
  { owned, ...asked }: { owned?: Owned; kind?: ImportKind; address: string },
) {
  const { client, database, testDatabase } = stage;
  const owner = owned ?? (await addManagedProduct(testDatabase));
  const importId = await askForImport(database, owner, asked);
  const { workflowId } = importWorkflow(importId);
  const row = () => findImport(database.em(), importId);
  const handle = client.workflow.getHandle(workflowId);
  return {
    ...owner,
    importId,
    workflowId,
    row,
    /** Waits until the row is in a state. */
    async reaches(wanted: ImportState) {
      return (await eventually(row, (found) => found?.state === wanted))!;
    },
    async result(): Promise<string> {
      await eventually(
        () => handle.describe().catch(() => null),
        (described) => described?.status.name === 'COMPLETED',
      );
      return handle.result() as Promise<string>;
    },
  };
}
