import { Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { SEARCH_ATTRIBUTES } from '../../domain/shared/search-attributes.ts';

const NAMESPACE = 'default';
const RETENTION_SECONDS = 30 * 24 * 60 * 60;
const ANSWER_MS = 2_000;
const IndexedValueType = proto.temporal.api.enums.v1.IndexedValueType;
const TYPES = {
  Keyword: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  Int: IndexedValueType.INDEXED_VALUE_TYPE_INT,
  Datetime: IndexedValueType.INDEXED_VALUE_TYPE_DATETIME,
};

/** Gives the namespace its retention and search attributes; throws while the server is not ready for it. */
export async function prepareNamespace(address: string): Promise<void> {
  const connection = Connection.lazy({
    address,
    interceptors: [],
    channelArgs: { 'grpc.initial_reconnect_backoff_ms': 50, 'grpc.max_reconnect_backoff_ms': 200 },
  });
  try {
    await connection.withDeadline(Date.now() + ANSWER_MS, async () => {
      await connection.workflowService.updateNamespace({
        namespace: NAMESPACE,
        config: { workflowExecutionRetentionTtl: { seconds: RETENTION_SECONDS as never } },
      });
      await addMissingAttributes(connection);
    });
  } finally {
    await connection.close();
  }
}

async function addMissingAttributes({ operatorService }: Connection): Promise<void> {
  const known = await operatorService.listSearchAttributes({ namespace: NAMESPACE });
  const missing = Object.entries(SEARCH_ATTRIBUTES).filter(
    ([name]) => !(name in known.customAttributes),
  );
  if (missing.length === 0) return;
  await operatorService.addSearchAttributes({
    namespace: NAMESPACE,
    searchAttributes: Object.fromEntries(missing.map(([name, type]) => [name, TYPES[type]])),
  });
}
