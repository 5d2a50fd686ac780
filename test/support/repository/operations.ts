// The operations of an OpenAPI document.

type Media = {
  schema: object;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
};
export type Operation = {
  operationId: string;
  tags: string[];
  description: string;
  parameters?: {
    name: string;
    required?: boolean;
    schema: { type?: string };
    description: string;
  }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { headers: object; content?: Record<string, Media> }>;
};

/** Named by method and path. */
export const operationsOf = (items: object): [string, Operation][] =>
  Object.entries(items).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>).map(
      ([method, operation]) => [`${method} ${path}`, operation] as [string, Operation],
    ),
  );
