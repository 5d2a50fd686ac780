/** What operators can search Temporal's workflows by. */
export const SEARCH_ATTRIBUTES = {
  GatehouseProduct: 'Keyword',
  GatehousePerson: 'Keyword',
  GatehouseEndpoint: 'Keyword',
  GatehouseEvent: 'Keyword',
  GatehouseStatus: 'Keyword',
  GatehouseAttempt: 'Int',
  GatehouseDueAt: 'Datetime',
} as const;
